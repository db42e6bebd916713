// SPDX-License-Identifier: Apache-2.0
// expected: this polytope lacks: std::size_t dimension() const
#include <fenchel/fenchel.hpp>

struct Own {
  void map(std::span<const double>, std::span<double> vertex) const { vertex[0] = 1; }
};

const fenchel::FenchelYoungLoss loss{fenchel::SparseMap{Own{}}};
