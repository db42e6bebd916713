// SPDX-License-Identifier: Apache-2.0
// Your own uniformly separable Ω(p) = Σ g(p_j) on the simplex from g, g' and, if you have it, (g')⁻¹: paper
// §8.3, Proposition "Reduction to root finding"; its prox is the same problem with ½t² + τg (appendix A.1).
#pragma once

#include <functional>
#include <string_view>

#include "fenchel/regularizers/any.hpp"
#include "fenchel/solvers/root.hpp"

namespace fenchel {

/// g must be strictly convex and differentiable on (0, 1]; g'(0) may be −inf. Without `inverse` the inverse
/// of g' is found numerically.
struct Separable {
  std::function<double(double)> g;
  std::function<double(double)> g_prime;
  std::function<double(double)> inverse = {};
  RootMethod method = RootMethod::toms748;  ///< bisection or TOMS 748; Newton would need g''

  static constexpr Traits traits{.name = "separable",
                                 .strongly_convex = false,
                                 .sparse = false,
                                 .separable = true,
                                 .zero_at_vertices = false,
                                 .formula = "Σ g(p)",
                                 .loss = "user-defined",
                                 .prediction = "root finding",
                                 .paper = "§8.3"};
  void check() const;
  Traits refined_traits() const;

  double value(std::span<const double> p) const;
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const;
  void gradient(std::span<const double> p, std::span<double> out) const;
  Report prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const;
  /// h'(0) − h'(1) = g'(1) − g'(0) (Proposition 7); none where g'(0) is −inf.
  std::optional<double> margin(std::size_t d) const;

 private:
  Report solve(std::span<const double> theta, double ridge, double tau, std::span<double> out) const;
};

static_assert(Regularizer<Separable>);

}  // namespace fenchel
