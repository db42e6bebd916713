// SPDX-License-Identifier: Apache-2.0
// Ω(p) = Σ (p^α − p)/(α(α − 1)) on the simplex, the Tsallis negentropy, for every α > 0: ŷ_Ω is α-entmax.
// α = 1 is softmax, 1.5 entmax-1.5, 2 sparsemax, ∞ argmax (paper §4.3, §5, §8.3). Sparse, with margin
// 1/(α − 1), for α > 1.
#pragma once

#include <tuple>
#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// The Tsallis (entmax) losses.
struct Tsallis {
  double alpha = 1.5;

  static constexpr Traits traits{.name = "tsallis",
                                 .separable = true,
                                 .formula = "Σ (p^α − p)/(α(α−1))",
                                 .loss = "entmax; α=1 logistic, α=2 sparsemax",
                                 .prediction = "α-entmax",
                                 .paper = "§4.3; §8.3"};
  static constexpr auto parameters() {
    return std::tuple{
        Parameter{"alpha", &Tsallis::alpha, "order of the entropy, > 0 or inf; 1 is softmax, 2 sparsemax"}};
  }
  static std::vector<Tsallis> examples();
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
  std::optional<double> strong_convexity() const;
  std::optional<double> smoothness() const;

  bool takes_blocks() const;
  std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                            RowSummaries summaries) const;
  std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                            RowSummaries summaries) const;
  bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v, MatrixView<float> out) const;
  bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                 MatrixView<double> out) const;
  /// α = 2 is ½‖p‖² − ½, α = ∞ is 0.
  std::optional<double> ridge() const;
  /// Its sigmoid, with an algorithm of its own for α = 2.
  AnyRegularizer coordinatewise(std::size_t d) const;

  /// ∂ŷ/∂α given ŷ: with a_i = ∂g'(p_i)/∂α and s_i = p_i^{2−α} on the support, −s_i (a_i − Σ s a / Σ s).
  void predict_alpha_derivative(std::span<const double> prediction, std::span<double> out) const;
  /// ⟨∂ŷ/∂α, v⟩ given ŷ, in one pass.
  double predict_alpha_product(std::span<const double> prediction, std::span<const double> v) const;
  /// ∂L(θ; y)/∂α = ∂Ω(y)/∂α − ∂Ω(ŷ)/∂α, because θ and ŷ enter Ω* at its maximum.
  double loss_alpha_derivative(std::span<const double> y, std::span<const double> prediction) const;
};

static_assert(Regularizer<Tsallis>);

}  // namespace fenchel
