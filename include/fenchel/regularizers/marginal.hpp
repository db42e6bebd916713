// SPDX-License-Identifier: Apache-2.0
// −Ω(μ) = the largest Shannon entropy of a distribution over Y with mean μ: the conditional random field. ŷ
// is marginal inference, Ω* the log-partition function (paper §7.1).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// The CRF over structures whose marginals can be computed.
struct Marginal {
  AnyPolytope polytope;

  static constexpr Traits traits{.name = "marginal",
                                 .domain = Domain::polytope,
                                 .sparse = false,
                                 .symmetric = false,
                                 .legendre = true,
                                 .value_by_search = true,
                                 .formula = "−max H(p) over distributions p with mean μ",
                                 .loss = "conditional random field",
                                 .prediction = "marginal inference",
                                 .paper = "§7.1"};
  static constexpr bool gibbs = true;
  static constexpr auto parameters() {
    return std::tuple{Parameter{"polytope", &Marginal::polytope, "the set of structures, nested"}};
  }
  static std::vector<Marginal> examples();
  void check() const;

  /// 0 at structures; elsewhere max_θ ⟨θ, μ⟩ − log Z(θ), solved iteratively (`solve_value` says how it went).
  double value(std::span<const double> mu) const { return solve_value(mu).value; }
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  void predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  /// log Z(θ).
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  /// Ω*(θ), and ŷ_Ω(θ) into `out`.
  double predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                               Workspace& scratch) const;
  /// Scores θ whose marginals are μ: unique up to directions in which conv(Y) is flat.
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  /// Cov[Y] v.
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return std::nullopt; }

  bool takes_blocks() const { return true; }
  std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                            RowSummaries summaries) const;
  std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                            RowSummaries summaries) const;
};

static_assert(Regularizer<Marginal>);

}  // namespace fenchel
