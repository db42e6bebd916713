// SPDX-License-Identifier: Apache-2.0
// The Gibbs distribution p(y) ∝ exp⟨θ, y⟩ over the structures of a polytope, with all that can be asked of
// it (paper §7.1): the checked way to use a polytope's oracles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// p(y) ∝ exp⟨θ, y⟩ on Y. Every function throws std::invalid_argument where the polytope does not offer it,
/// or where θ masks every structure.
class GibbsDistribution {
 public:
  /// Checks θ: as many scores as the polytope has dimensions, finite or (where it takes masks) −inf.
  GibbsDistribution(AnyPolytope polytope, std::vector<double> theta);

  const AnyPolytope& polytope() const { return polytope_; }
  const std::vector<double>& theta() const { return theta_; }

  /// argmax p(y).
  Structure map() const;
  /// E[Y].
  std::vector<double> marginals() const;
  /// log Σ_y exp⟨θ, y⟩.
  double log_partition() const;
  /// −Σ p(y) log p(y) = log Z − ⟨θ, E[Y]⟩.
  double entropy() const;
  /// log p(y); −inf where y is masked.
  double log_probability(const Structure& y) const;
  double log_probability(std::span<const double> y) const;
  /// Cov[Y] v.
  std::vector<double> covariance_product(std::span<const double> v) const;
  /// The k most likely structures, best first; all there are, if fewer.
  std::vector<Structure> k_best(std::size_t k) const;
  /// Independent draws, the same for the same seed.
  std::vector<Structure> sample(std::size_t count, std::uint64_t seed) const;

  /// argmin over conv(Y) of ½‖μ − θ‖², and argmax of ⟨θ, μ⟩ − Σ μ log μ.
  std::vector<double> project() const;
  std::vector<double> project_kl() const;
  /// The same, and how the search went.
  Report project(std::span<double> mu) const;
  Report project_kl(std::span<double> mu) const;
  /// The projection as a mixture of few structures, and its Wolfe gap.
  struct Sparse {
    Mixture mixture;
    std::vector<double> mean;
    Report report;
  };
  Sparse sparsemap() const;

 private:
  AnyPolytope polytope_;
  std::vector<double> theta_;
};

}  // namespace fenchel
