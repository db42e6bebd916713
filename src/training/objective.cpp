// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/objective.hpp"

#include <algorithm>

namespace fenchel {

double Objective::evaluate(std::span<const double> w, std::span<double> gradient) {
  std::ranges::fill(gradient, 0.0);
  double value = 0;
  for (std::size_t shard = 0; shard < shards(); ++shard) value += accumulate(shard, w, gradient);
  return value;
}

}  // namespace fenchel
