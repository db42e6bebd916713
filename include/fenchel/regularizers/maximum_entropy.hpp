// SPDX-License-Identifier: Apache-2.0
// −Ω(μ) = max H(p) over distributions p on Y with mean μ, for any entropy H over the simplex and a set Y that
// can be listed (paper §7.1, the generalised maximum entropy principle). ŷ is the mean of Y under ŷ_{−H} of
// the scores ⟨θ, y⟩ of all structures.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/regularizers/tsallis.hpp"

namespace fenchel {

/// The generalised maximum entropy over an enumerable Y.
struct MaximumEntropy {
  AnyPolytope polytope;
  AnyRegularizer entropy = Tsallis{1.5};  ///< −H, an Ω over the simplex
  std::size_t limit = 100'000;            ///< how many structures may be listed, at most 10⁷

  static constexpr Traits traits{.name = "maximum_entropy",
                                 .domain = Domain::polytope,
                                 .symmetric = false,
                                 .value_by_search = true,
                                 .formula = "−max H(p) over distributions p with mean μ",
                                 .loss = "generalised maximum entropy",
                                 .prediction = "mean of the regularized distribution over structures",
                                 .paper = "§7.1"};
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &MaximumEntropy::polytope, "the set of structures, nested"},
                      Parameter{"entropy", &MaximumEntropy::entropy, "an Ω over the simplex, nested"},
                      Parameter{"limit", &MaximumEntropy::limit, "the most structures that are listed"}};
  }
  static std::vector<MaximumEntropy> examples();
  void check() const;
  /// Lists Y, once.
  void prepare();
  Traits refined_traits() const;

  double value(std::span<const double> mu) const { return solve_value(mu).value; }
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  /// Ω*(θ), and ŷ_Ω(θ) into `out`.
  double predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                               Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const;

  std::vector<Structure> structures = {};  ///< Y, filled by prepare()

 private:
  // Ω*(θ), p = ŷ_{−H} of the scores (shifted so that their largest is 0), and how it went.
  double distribution(std::span<const double> theta, std::span<double> scores, std::span<double> p,
                      Report& report, Workspace& scratch) const;
  // Ω*(θ), and the mean under p into `out`.
  double mean(std::span<const double> theta, std::span<double> out, Report& report, Workspace& scratch) const;
};

static_assert(Regularizer<MaximumEntropy>);

}  // namespace fenchel
