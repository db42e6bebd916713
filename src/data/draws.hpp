// SPDX-License-Identifier: Apache-2.0
// Distributions for made-up data, on the library's own generator so that they are the same everywhere.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/random.hpp"

namespace fenchel {

/// Poisson(mean): exact, by products of uniform numbers over pieces of the mean (whose exponentials do not
/// underflow); O(mean).
std::size_t draw_poisson(Random& random, double mean);

/// A point of the simplex from a flat Dirichlet distribution: normalised exponential numbers.
std::vector<double> draw_dirichlet(Random& random, std::size_t size);

/// A discrete distribution: a position with probability proportional to its weight.
class Discrete {
 public:
  explicit Discrete(std::span<const double> weights);
  std::size_t draw(Random& random) const;

 private:
  std::vector<double> sums_;
};

}  // namespace fenchel
