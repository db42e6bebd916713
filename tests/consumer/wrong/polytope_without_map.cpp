// SPDX-License-Identifier: Apache-2.0
// expected: this polytope lacks: void map(
#include <fenchel/fenchel.hpp>

struct Own {
  std::size_t dimension() const { return 2; }
};

const fenchel::FenchelYoungLoss loss{fenchel::SparseMap{Own{}}};
