// SPDX-License-Identifier: Apache-2.0
// Ω = −H_ℓ for the pairwise hinge losses ℓ(θ; k) = Σ_j c_kj φ(θ_j) under Σ θ = 0 (paper, appendix A.2,
// Proposition 10 and the lemma of B.9): the three entropies of hinge, smoothed hinge and squared hinge. With
// s_j = Σ_i p_i c_ij, which is 1 − p_j for the 0/1 costs, and t = min_j s_j:
//   hinge           H(p) = t d
//   smoothed hinge  H(p) = t d − (t²/2) Σ_j 1/s_j
//   squared hinge   H(p) = (d²/2) / Σ_j 1/s_j
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// Row k: the cost c_kj of each class j when the truth is k. Empty stands for the 0/1 costs.
using CostMatrix = std::vector<std::vector<double>>;

/// The entropy of the pairwise hinge loss. With 0/1 costs ŷ is uniform over some of the top classes.
struct PairwiseHinge {
  CostMatrix costs = {};

  static constexpr Traits traits{.name = "pairwise_hinge",
                                 .strictly_convex = false,
                                 .strongly_convex = false,
                                 .piecewise_linear = true,
                                 .differentiable = false,
                                 .formula = "−d·min_j(1−p_j)",
                                 .loss = "pairwise hinge, Fenchel-Youngized",
                                 .prediction = "uniform over the top",
                                 .paper = "Proposition 10; appendix B.9"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"costs", &PairwiseHinge::costs, "d rows of d costs >= 0; default 0/1"}};
  }
  static std::vector<PairwiseHinge> examples() { return {{}}; }
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
};

/// The entropy of the pairwise smoothed hinge loss.
struct PairwiseSmoothedHinge {
  CostMatrix costs = {};

  static constexpr Traits traits{.name = "pairwise_smoothed_hinge",
                                 .strongly_convex = false,
                                 .differentiable = false,
                                 .formula = "(t²/2) Σ 1/(1−p_j) − t·d, t = min_j(1−p_j)",
                                 .loss = "pairwise smoothed hinge, Fenchel-Youngized",
                                 .prediction = "–",
                                 .paper = "Proposition 10; appendix B.9"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"costs", &PairwiseSmoothedHinge::costs, "d rows of d costs >= 0; default 0/1"}};
  }
  static std::vector<PairwiseSmoothedHinge> examples() { return {{}}; }
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
};

/// The entropy of the pairwise squared hinge loss.
struct PairwiseSquaredHinge {
  CostMatrix costs = {};

  static constexpr Traits traits{.name = "pairwise_squared_hinge",
                                 .strongly_convex = false,
                                 .formula = "−(d²/2)/Σ 1/(1−p_j)",
                                 .loss = "pairwise squared hinge, Fenchel-Youngized",
                                 .prediction = "–",
                                 .paper = "Proposition 10; appendix B.9"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"costs", &PairwiseSquaredHinge::costs, "d rows of d costs >= 0; default 0/1"}};
  }
  static std::vector<PairwiseSquaredHinge> examples() { return {{}}; }
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
};

static_assert(Regularizer<PairwiseHinge> && Regularizer<PairwiseSmoothedHinge> &&
              Regularizer<PairwiseSquaredHinge>);

}  // namespace fenchel
