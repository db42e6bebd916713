// SPDX-License-Identifier: Apache-2.0
// New regularizers from old: t·Ω, Ω + c and Ω − ⟨c, ·⟩ (paper Proposition 1.4–1.5, Proposition 2.5–2.6,
// §3.4).
#pragma once

#include <vector>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// t·Ω, t > 0: ŷ(θ) = ŷ_Ω(θ/t), L(θ; y) = t L_Ω(θ/t; y). Small t sharpens, t → 0 is the argmax.
struct Temperature {
  AnyRegularizer omega;
  double temperature = 1;

  static constexpr Traits traits{.name = "temperature"};
  Traits refined_traits() const;
  Spec spec() const;
  void check() const;

  double value(std::span<const double> mu) const { return temperature * omega.value(mu); }
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  double loss(std::span<const double> theta, std::span<const double> y,
              std::span<const double> prediction) const;
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
  std::optional<double> strong_convexity() const;
  std::optional<double> smoothness() const;
  std::optional<std::size_t> dimension() const { return omega.dimension(); }
  void check_scores(std::string_view name, std::span<const double> theta) const {
    omega.check_scores(name, theta);
  }
  void check_point(std::string_view name, std::span<const double> mu) const { omega.check_point(name, mu); }

  bool takes_blocks() const;
  std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                            RowSummaries summaries) const;
  std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                            RowSummaries summaries) const;
  bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v, MatrixView<float> out) const;
  bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                 MatrixView<double> out) const;
  std::optional<double> ridge() const;
};

/// Ω + c: the same predictions and the same loss.
struct Constant {
  AnyRegularizer omega;
  double constant = 0;

  static constexpr Traits traits{.name = "constant"};
  Traits refined_traits() const;
  Spec spec() const;
  void check() const;

  double value(std::span<const double> mu) const { return omega.value(mu) + constant; }
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    return omega.predict(theta, out, scratch);
  }
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const {
    return omega.conjugate(theta, prediction) - constant;
  }
  double loss(std::span<const double> theta, std::span<const double> y,
              std::span<const double> prediction) const {
    return omega.loss(theta, y, prediction);
  }
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
    omega.gradient(mu, out, scratch);
  }
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const {
    return omega.prox(eta, tau, out, scratch);
  }
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const {
    omega.jvp(theta, prediction, v, out, scratch);
  }
  std::optional<double> margin(std::size_t d) const { return omega.margin(d); }
  std::optional<double> strong_convexity() const { return omega.strong_convexity(); }
  std::optional<double> smoothness() const { return omega.smoothness(); }
  std::optional<std::size_t> dimension() const { return omega.dimension(); }
  void check_scores(std::string_view name, std::span<const double> theta) const {
    omega.check_scores(name, theta);
  }
  void check_point(std::string_view name, std::span<const double> mu) const { omega.check_point(name, mu); }

  bool takes_blocks() const { return omega.takes_blocks(); }
  std::size_t predict_block(MatrixView<const float> theta, MatrixView<float> out,
                            RowSummaries summaries) const;
  std::size_t predict_block(MatrixView<const double> theta, MatrixView<double> out,
                            RowSummaries summaries) const;
  bool jvp_block(MatrixView<const float> prediction, MatrixView<const float> v, MatrixView<float> out) const {
    return omega.jvp_block(prediction, v, out);
  }
  bool jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                 MatrixView<double> out) const {
    return omega.jvp_block(prediction, v, out);
  }
  std::optional<double> ridge() const { return omega.ridge(); }
};

/// Ω − ⟨c, ·⟩ for a fixed cost vector c: ŷ(θ) = ŷ_Ω(θ + c), L(θ; y) = L_Ω(θ + c; y). A cost that depends on
/// the truth belongs to the loss (`FenchelYoungLoss::with_cost`), where predictions leave it out.
struct CostSensitive {
  AnyRegularizer omega;
  std::vector<double> cost;

  static constexpr Traits traits{.name = "cost"};
  Traits refined_traits() const;
  Spec spec() const;
  void check() const;

  double value(std::span<const double> mu) const;
  operations::SolvedValue solve_value(std::span<const double> mu) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  double conjugate(std::span<const double> theta, std::span<const double> prediction) const;
  double loss(std::span<const double> theta, std::span<const double> y,
              std::span<const double> prediction) const;
  void gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  void jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
           std::span<double> out, Workspace& scratch) const;
  std::optional<double> margin(std::size_t d) const;
  std::optional<double> strong_convexity() const { return omega.strong_convexity(); }
  std::optional<double> smoothness() const { return omega.smoothness(); }
  std::optional<std::size_t> dimension() const { return omega.dimension(); }
  void check_scores(std::string_view name, std::span<const double> theta) const {
    omega.check_scores(name, theta);
  }
  void check_point(std::string_view name, std::span<const double> mu) const { omega.check_point(name, mu); }
};

static_assert(Regularizer<Temperature> && Regularizer<Constant> && Regularizer<CostSensitive>);

}  // namespace fenchel
