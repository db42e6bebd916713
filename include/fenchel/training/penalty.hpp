// SPDX-License-Identifier: Apache-2.0
// Penalties G of the parameters (paper §8.1–8.2):
//   G(W) = (l2/2)‖W‖² + l1‖W‖₁ + group Σ_j ‖W_j‖,   W_j the weights of feature j.
// One strength for each term; the usual names set some of them. A free intercept is not among W.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fenchel {

/// How a vector of parameters is made up: rows of `width` weights, one row per feature, and after them what
/// no penalty touches (a free intercept).
struct ParameterShape {
  std::size_t size = 0;       ///< all parameters
  std::size_t penalised = 0;  ///< this many at the front are W
  std::size_t width = 1;      ///< entries in a row of W
};

/// G. Spans hold rows of `width` entries, one row per feature.
struct Penalty {
  double l2 = 0;
  double l1 = 0;
  double group = 0;

  bool smooth() const { return l1 == 0 && group == 0; }
  /// Throws std::invalid_argument unless every strength is finite and ≥ 0.
  void check() const;

  double value(std::span<const double> w, std::size_t width) const;
  /// gradient += ∇ of the smooth term, l2·w.
  void add_smooth_gradient(std::span<const double> w, std::span<double> gradient) const;
  /// (l2/2)‖w‖².
  double smooth_value(std::span<const double> w) const;
  /// prox of step · (the terms that are not smooth), in place: soft thresholding, then shrinking of rows.
  void prox(double step, std::size_t width, std::span<double> w) const;
  /// prox of step · G, in place.
  void full_prox(double step, std::size_t width, std::span<double> w) const;

  /// G*(v); +inf outside its domain (possible only where l2 = 0).
  double conjugate(std::span<const double> v, std::size_t width) const;
  /// ∇G*(v) = prox(v / l2) (paper §8.2); needs l2 > 0.
  void conjugate_gradient(std::span<const double> v, std::size_t width, std::span<double> w) const;
};

/// No penalty.
struct NoPenalty : Penalty {};
/// (λ/2)‖W‖².
struct L2 : Penalty {
  explicit L2(double lambda) : Penalty{.l2 = lambda} {}
};
/// λ‖W‖₁.
struct L1 : Penalty {
  explicit L1(double lambda) : Penalty{.l1 = lambda} {}
};
/// (λ/2)‖W‖² + λρ‖W‖₁.
struct ElasticNet : Penalty {
  ElasticNet(double lambda, double rho) : Penalty{.l2 = lambda, .l1 = lambda * rho} {}
};
/// λ Σ_j ‖W_j‖: features come in or stay out as a whole.
struct GroupLasso : Penalty {
  explicit GroupLasso(double lambda) : Penalty{.group = lambda} {}
};

/// A penalty with a name, as the option `penalty` takes it.
struct PenaltyKind {
  std::string_view name;
  bool has_lambda = true;
  bool has_rho = false;
  Penalty (*make)(double lambda, double rho) = nullptr;
};
/// The one list of them: options, help texts and messages follow it.
std::span<const PenaltyKind> penalty_kinds();
/// Whether ρ is a parameter of the penalty of that name.
bool has_rho(std::string_view penalty);
/// The penalty of that name and strength. Throws OptionError, with the nearest name, if there is none, or if
/// its parameters are not finite and ≥ 0.
Penalty make_penalty(std::string_view name, double lambda, double rho);

}  // namespace fenchel
