// SPDX-License-Identifier: Apache-2.0
// The distribution p(S) ∝ exp Σ_{i∈S} θ_i over the subsets of k items, seen as independent yes-or-no draws
// given that k say yes. Adding a constant to θ changes nothing, so it is chosen such that k items are
// expected: then "exactly k" is a likely event, its probability is a sum of products of probabilities, and
// neither the counts' distribution nor its parts can overflow, underflow or cancel where they matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// Memory comes from `scratch` and lives as long as the caller's frame. Scores are finite, 0 < k < θ.size().
class SubsetDistribution {
 public:
  SubsetDistribution(std::span<const double> theta, std::size_t k, Workspace& scratch);

  /// log Σ_S exp Σ_{i∈S} θ_i.
  double log_partition(Workspace& scratch) const;

  /// E[Y]; returns log Z.
  double marginals(std::span<double> mu, Workspace& scratch) const;

  /// Cov[Y] v, given the marginals.
  void covariance(std::span<const double> mu, std::span<const double> v, std::span<double> out,
                  Workspace& scratch) const;

  /// Draws subsets; `take` gets the items of each in increasing order.
  void sample(std::size_t draws, Random& random, FunctionRef<void(std::span<const std::uint32_t>)> take,
              Workspace& scratch) const;

 private:
  // Counts of the rarer answer, weighted by the probabilities of what leads to them: p[j] is the probability
  // of j, and m[j] that times the expectation of ⟨v, y⟩ given j. m is empty where it is not wanted.
  struct Counts {
    std::span<double> p;
    std::span<double> m;
  };

  // What is seen at an item: the probability that the other items leave room for it to be in the subset, and
  // the expectation of the others' ⟨v, y⟩ on that event (times its probability).
  using Visit = FunctionRef<void(std::size_t item, double p, double m)>;

  Counts take_counts(bool moments, Workspace& scratch) const;
  void start(Counts counts) const;
  void add(std::size_t item, Counts before, Counts after, std::span<const double> v) const;
  Counts sweep(std::span<const double> v, Visit visit, Workspace& scratch) const;
  double log_normalizer(double probability) const;

  std::span<const double> theta_;
  std::size_t k_;
  bool counts_yes_;              // k ≤ d − k: the answer counted is yes, else no
  std::size_t target_;           // how many of the counted answer
  double shift_ = 0;             // τ: Σ 1/(1 + e^{τ − θ}) ≈ k
  std::span<double> counted_;    // the probability of the counted answer
  std::span<double> uncounted_;  // and of the other
};

}  // namespace fenchel
