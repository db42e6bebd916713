// SPDX-License-Identifier: Apache-2.0
// Passes over examples: all losses at fixed parameters, and orders to visit them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/training/examples.hpp"

namespace fenchel {

/// Σ_i w_i L_i(W); adds its gradient to `gradient` unless that is empty. The same bits for any number of
/// threads.
double full_pass(const Examples& examples, std::span<const double> w, std::span<double> gradient,
                 int threads);

/// A random order, a different one for every (seed, pass).
template <class Index>
void shuffle(std::span<Index> order, std::uint64_t seed, std::uint64_t pass) {
  Random random(seed + 0x9e3779b97f4a7c15U * (pass + 1));
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
}

}  // namespace fenchel
