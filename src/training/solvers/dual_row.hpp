// SPDX-License-Identifier: Apache-2.0
// What dual algorithms ask of Ω for one example: the update of a dual variable. Ω = (ridge/2)‖μ‖² on the
// simplex (hinge and perceptron: ridge 0, sparsemax: 1) is done in place without a virtual call, because
// there everything else costs as little as a projection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "losses/row_loss.hpp"
#include "training/problems/linear_losses.hpp"

namespace fenchel {

/// The projections that the fast path makes: non-zero entries only.
struct SparseRow {
  std::vector<std::int32_t> indices;
  std::vector<double> values;
};

class DualRow {
 public:
  explicit DualRow(RowLoss row);

  /// Set if Ω is (ridge/2)‖μ‖² plus a constant on the simplex.
  const std::optional<double>& ridge() const { return ridge_; }

  /// prox_{Ω/σ}(v/σ) = argmin Ω(μ) − ⟨v, μ⟩ + (σ/2)‖μ‖² (paper §8.2); σ = 0 gives ŷ_Ω(v).
  Report update(std::span<const double> v, double sigma, std::span<double> mu, Workspace& scratch) const;
  /// The same where ridge() is set: [v − τ]₊/(σ + ridge). What is not finite gives a NaN, as in update().
  void project(std::span<const double> v, double sigma, SparseRow& mu) const;
  /// The scores as losses take them, where ridge() is set.
  RidgeScores seen(std::span<const double> u, SparseRow& scratch) const;

 private:
  RowLoss row_;
  std::optional<double> ridge_;
};

}  // namespace fenchel
