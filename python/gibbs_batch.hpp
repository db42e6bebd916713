// SPDX-License-Identifier: Apache-2.0
// Distributions over structures, one per example.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "core/parallel.hpp"
#include "fenchel/polytopes/gibbs.hpp"
#include "ragged_examples.hpp"

namespace fenchel::python {

using Sets = std::vector<AnyPolytope>;
using Doubles = Array<double>;

/// p(y) ∝ exp⟨θ, y⟩ for each example: its set, and its part of the scores.
class Batch {
 public:
  Batch(const std::vector<AnyPolytope>& sets, const Doubles& theta, const Offsets& offsets, int threads)
      : sets_(sets), theta_(theta), ends_(offsets_of(theta, offsets)), threads_(threads) {
    if (sets.size() + 1 == ends_.size()) return;
    throw std::invalid_argument("there are " + std::to_string(sets.size()) + " polytopes; expected " +
                                std::to_string(ends_.size() - 1) + ", one for each example");
  }

  std::size_t count() const { return sets_.size(); }
  std::size_t entries() const { return theta_.size(); }
  std::size_t dimension(std::size_t i) const { return ends_[i + 1] - ends_[i]; }
  std::span<const double> part(const Doubles& values, std::size_t i) const {
    return {values.data() + ends_[i], dimension(i)};
  }
  std::span<double> part(const Result<double>& values, std::size_t i) const {
    return {values.data() + ends_[i], dimension(i)};
  }
  const AnyPolytope& set(std::size_t i) const { return sets_[i]; }
  GibbsDistribution at(std::size_t i) const {
    const auto theta = part(theta_, i);
    return {sets_[i], {theta.begin(), theta.end()}};
  }

  // Calls the body for every example, by threads; errors say which example it was. Structures take long, so
  // that a block is one example.
  template <class Body>
  void for_each(Body body) const {
    for_each_block(count(), 1, threads_,
                   [&](std::size_t i, std::size_t) { named("example", i, count(), body); });
  }

 private:
  const std::vector<AnyPolytope>& sets_;
  const Doubles& theta_;
  std::vector<std::size_t> ends_;
  int threads_;
};

}  // namespace fenchel::python
