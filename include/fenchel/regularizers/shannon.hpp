// SPDX-License-Identifier: Apache-2.0
// Ω(p) = Σ p log p on the simplex, the Shannon negentropy: ŷ_Ω is the softmax, Ω* the log-partition function
// and L_Ω the logistic (cross-entropy) loss KL(y ‖ softmax θ) (paper §2.2, §3.2, §4.3).
#pragma once

#include <cstddef>
#include <vector>

#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {

class AnyRegularizer;

/// The logistic loss.
struct Shannon {
  static constexpr Traits traits{.name = "shannon",
                                 .sparse = false,
                                 .separable = true,
                                 .legendre = true,
                                 .entmax_order = 1,
                                 .formula = "Σ p log p",
                                 .loss = "logistic (cross-entropy)",
                                 .prediction = "softmax",
                                 .paper = "Table 1; §4.3"};
  static std::vector<Shannon> examples() { return {{}}; }

  double value(std::span<const double> p) const;
  void predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  /// By root finding on the Wright omega function (paper, appendix A.1).
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 1; }
  /// The sigmoid.
  AnyRegularizer coordinatewise(std::size_t d) const;

  bool takes_blocks() const { return true; }
  std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                            RowSummaries summaries) const;
  std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                            RowSummaries summaries) const;
  bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v, MatrixView<float> out) const;
  bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                 MatrixView<double> out) const;
};

static_assert(Regularizer<Shannon>);

}  // namespace fenchel
