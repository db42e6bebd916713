// SPDX-License-Identifier: Apache-2.0
#include "data/draws.hpp"

#include <algorithm>
#include <cmath>

namespace fenchel {

std::size_t draw_poisson(Random& random, double mean) {
  constexpr double largest_piece = 30;
  std::size_t total = 0;
  while (mean > 0) {
    const double piece = std::min(mean, largest_piece);
    const double limit = std::exp(-piece);
    for (double product = 1 - random.uniform(); product > limit; product *= 1 - random.uniform()) ++total;
    mean -= piece;
  }
  return total;
}

std::vector<double> draw_dirichlet(Random& random, std::size_t size) {
  std::vector<double> point(size);
  double sum = 0;
  for (double& entry : point) sum += entry = random.exponential();
  for (double& entry : point) entry = sum > 0 ? entry / sum : 1 / static_cast<double>(size);
  return point;
}

Discrete::Discrete(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) sums_.push_back(sum += weight);
}

std::size_t Discrete::draw(Random& random) const {
  const double place = random.uniform() * sums_.back();
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), place);
  return std::min(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
}

}  // namespace fenchel
