// SPDX-License-Identifier: Apache-2.0
// −Ω(μ) = the largest Gini entropy of a distribution over Y with mean μ. The optimal distribution is
// sparsemax of the scores ⟨θ, y⟩ of all structures, of which only the best few matter: they come from a
// k-best oracle (paper §7.1).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// Structured sparsemax. With k = 0 the number of structures is raised until the next one's score is below
/// the threshold (then the result is exact) or k_max is reached (then the report says max_iterations); with
/// k > 0 it is fixed, which is the paper's approximation. The report's iterations are the structures looked
/// at, its residual how far the next score is above the threshold: 0 where the result is exact.
struct StructuredSparsemax {
  AnyPolytope polytope;
  std::size_t k = 0;
  std::size_t k_max = 4096;

  static constexpr Traits traits{.name = "structured_sparsemax",
                                 .domain = Domain::polytope,
                                 .symmetric = false,
                                 .piecewise_linear = true,
                                 .value_by_search = true,
                                 .formula = "min ½‖p‖² − ½ over distributions p with mean μ",
                                 .loss = "structured sparsemax",
                                 .prediction = "mean of the sparsemax of all structures",
                                 .paper = "§7.1"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"polytope", &StructuredSparsemax::polytope, "the set of structures, nested"},
        Parameter{"k", &StructuredSparsemax::k, "structures to keep; 0: as many as an exact result takes"},
        Parameter{"k_max", &StructuredSparsemax::k_max, "the most structures that k = 0 looks at"}};
  }
  static std::vector<StructuredSparsemax> examples();
  void check() const;

  /// 0 at structures; elsewhere solved iteratively (`solve_value` says how it went).
  double value(std::span<const double> mu) const { return solve_value(mu).value; }
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// The distribution behind the prediction.
  Report mixture(std::span<const double> theta, Mixture& mixture, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  /// Ω*(θ), and ŷ_Ω(θ) into `out`.
  double predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                               Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const;
};

static_assert(Regularizer<StructuredSparsemax>);

}  // namespace fenchel
