// SPDX-License-Identifier: Apache-2.0
// What dual algorithms ask of Ω for one example: the update of a dual variable, and how far it is from
// optimal. Ω = (ridge/2)‖μ‖² on the simplex (hinge and perceptron: ridge 0, sparsemax: 1) is done in place
// without a virtual call, because there everything else costs as little as a projection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// The projections that the fast path makes: non-zero entries only.
struct SparseRow {
  std::vector<std::int32_t> indices;
  std::vector<double> values;
};

/// Losses of one example, not weighted.
struct RowLosses {
  double primal = 0;  ///< L_Ω(u; y)
  double gap = 0;     ///< L_Ω(u; μ): what the example contributes to the duality gap
};

class RowOmega {
 public:
  explicit RowOmega(const AnyRegularizer& omega);

  const AnyRegularizer& omega() const { return omega_; }
  /// Set if Ω is (ridge/2)‖μ‖² plus a constant on the simplex.
  const std::optional<double>& ridge() const { return ridge_; }

  /// prox_{Ω/σ}(v/σ) = argmin Ω(μ) − ⟨v, μ⟩ + (σ/2)‖μ‖² (paper §8.2); σ = 0 gives ŷ_Ω(v).
  Report update(std::span<const double> v, double sigma, std::span<double> mu, Workspace& scratch) const;
  /// The same where ridge() is set: [v − τ]₊/(σ + ridge).
  void project(std::span<const double> v, double sigma, SparseRow& mu) const;
  /// Ω*(u) − max u where ridge() is set, with Ω = (ridge/2)‖μ‖².
  double conjugate_below_top(std::span<const double> u, double top, SparseRow& scratch) const;

  /// ŷ_Ω(u), for scores of any shift.
  Report predict(std::span<const double> u, std::span<double> mu, Workspace& scratch) const;
  /// Both losses at u.
  RowLosses losses(std::span<const double> u, std::span<const double> y, std::span<const double> mu,
                   Workspace& scratch) const;
  /// L_Ω(u; y), and ŷ_Ω(u) into `prediction`.
  double loss(std::span<const double> u, std::span<const double> y, std::span<double> prediction,
              Workspace& scratch) const;

 private:
  AnyRegularizer omega_;
  bool simplex_;
  std::optional<double> ridge_;
};

}  // namespace fenchel
