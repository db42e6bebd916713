// SPDX-License-Identifier: Apache-2.0
// Everything that follows from Ω, one row at a time in double: what Ω offers itself, else a correct generic
// fallback. Each function is named as in the paper; arguments are assumed checked.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "fenchel/core/differences.hpp"
#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/regularizers/concepts.hpp"

namespace fenchel {
class AnyPolytope;
}

namespace fenchel::operations {

using ValueFunction = FunctionRef<double(std::span<const double>)>;
using PredictFunction = VectorMap;
/// Returns Ω*(θ) and fills ŷ_Ω(θ).
using ConjugateFunction = FunctionRef<double(std::span<const double> theta, std::span<double> prediction)>;

/// ŷ_Ω(θ) into `out`, and Ω*(θ), for scores with any shift: over the simplex they are shifted as Ω expects.
double conjugate_at(ValueFunction value, PredictFunction predict, std::span<const double> theta,
                    Domain domain, std::span<double> out, Workspace& scratch);

// The fallbacks themselves (src/regularizers/operations.cpp).
void gradient_by_differences(ValueFunction value, std::span<const double> mu, const Traits& traits,
                             std::span<double> out, Workspace& scratch);
Report prox_by_moreau(ConjugateFunction conjugate, std::span<const double> eta, double tau,
                      std::span<double> out, Workspace& scratch);

/// A value of Ω that an iterative method found, and how it went.
struct SolvedValue {
  double value = 0;
  Report report;
};
/// J v at θ, given ŷ_Ω(θ).
using JvpFunction = FunctionRef<void(std::span<const double> theta, std::span<const double> prediction,
                                     std::span<const double> v, std::span<double> out)>;
/// What value_by_conjugate maximises.
struct ConjugateProblem {
  ConjugateFunction conjugate;
  JvpFunction jvp;
  bool masks;  ///< entries where μ is 0 are held at −inf: no structure with mass there takes part
};
/// Ω(μ) = max_θ ⟨θ, μ⟩ − Ω*(θ); the maximiser, a subgradient of Ω at μ, into `theta`. L-BFGS, then Newton
/// steps.
SolvedValue value_by_conjugate(const ConjugateProblem& problem, std::span<const double> mu,
                               std::span<double> theta, Workspace& scratch);
std::optional<double> margin_by_search(ValueFunction value, std::size_t d);

/// Ω(μ).
template <Regularizer R>
double value(const R& omega, std::span<const double> mu) {
  if constexpr (CoordinatewiseRegularizer<R>) {
    double sum = 0;
    for (const double m : mu) sum += omega.phi(m);
    return sum;
  } else {
    return omega.value(mu);
  }
}

/// ŷ_Ω(θ).
template <Regularizer R>
Report predict(const R& omega, std::span<const double> theta, std::span<double> out, Workspace& scratch) {
  if constexpr (CoordinatewiseRegularizer<R>) {
    for (std::size_t j = 0; j < theta.size(); ++j) out[j] = omega.predict_one(theta[j]);
    return {};
  } else if constexpr (std::is_void_v<decltype(omega.predict(theta, out, scratch))>) {
    omega.predict(theta, out, scratch);
    return {};
  } else {
    return omega.predict(theta, out, scratch);
  }
}

/// Ω*(θ), given ŷ = ŷ_Ω(θ).
template <Regularizer R>
double conjugate(const R& omega, std::span<const double> theta, std::span<const double> prediction) {
  if constexpr (requires { omega.conjugate(theta, prediction); }) {
    return omega.conjugate(theta, prediction);
  } else {
    return dot_masked(theta, prediction) - value(omega, prediction);
  }
}

/// L_Ω(θ; y), given ŷ = ŷ_Ω(θ): Ω(y) − Ω(ŷ) + ⟨θ, ŷ − y⟩, which does not subtract large numbers.
template <Regularizer R>
double loss(const R& omega, std::span<const double> theta, std::span<const double> y,
            std::span<const double> prediction) {
  double result = 0;
  if constexpr (requires { omega.loss_one(0.0, 0.0); }) {
    for (std::size_t j = 0; j < y.size(); ++j) result += omega.loss_one(theta[j], y[j]);
  } else if constexpr (requires { omega.loss(theta, y, prediction); }) {
    result = omega.loss(theta, y, prediction);
  } else if constexpr (requires { omega.conjugate(theta, prediction); }) {
    result = omega.conjugate(theta, prediction) + value(omega, y) - dot_masked(theta, y);
  } else {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double difference = prediction[j] - y[j];
      if (difference != 0) result += theta[j] * difference;
    }
    result += value(omega, y) - value(omega, prediction);
  }
  return result < 0 ? 0 : result;  // rounding only; a NaN stays a NaN
}

/// ∇Ω(μ), the canonical link; a subgradient where Ω has a kink.
template <Regularizer R>
void gradient(const R& omega, std::span<const double> mu, std::span<double> out, Workspace& scratch) {
  if constexpr (requires { omega.phi_prime(0.0); }) {
    for (std::size_t j = 0; j < mu.size(); ++j) out[j] = omega.phi_prime(mu[j]);
  } else if constexpr (requires { omega.gradient(mu, out); }) {
    omega.gradient(mu, out);
  } else if constexpr (requires { omega.gradient(mu, out, scratch); }) {
    omega.gradient(mu, out, scratch);
  } else {
    gradient_by_differences([&](std::span<const double> at) { return value(omega, at); }, mu,
                            traits_of(omega), out, scratch);
  }
}

/// prox_{τΩ}(η) = argmin ½‖μ − η‖² + τΩ(μ) (paper §8.4).
template <Regularizer R>
Report prox(const R& omega, std::span<const double> eta, double tau, std::span<double> out,
            Workspace& scratch) {
  const Traits traits = traits_of(omega);
  if (!traits.convex) {
    throw std::invalid_argument(
        "prox: " + std::string(traits.name) +
        " is not convex with these parameters; its proximity operator is not defined");
  }
  if constexpr (requires { omega.prox_one(0.0, 0.0); }) {
    for (std::size_t j = 0; j < eta.size(); ++j) out[j] = omega.prox_one(eta[j], tau);
    return {};
  } else if constexpr (requires { omega.prox(eta, tau, out, scratch); }) {
    return omega.prox(eta, tau, out, scratch);
  } else {
    const auto value_at = [&](std::span<const double> at) { return value(omega, at); };
    const auto predict_at = [&](std::span<const double> theta, std::span<double> mu) {
      return predict(omega, theta, mu, scratch);
    };
    return prox_by_moreau(
        [&](std::span<const double> theta, std::span<double> mu) {
          return conjugate_at(value_at, predict_at, theta, traits.domain, mu, scratch);
        },
        eta, tau, out, scratch);
  }
}

/// J v, where J = ∇ŷ_Ω(θ) = ∇²Ω*(θ) is symmetric, so that this is the vector-Jacobian product too.
template <Regularizer R>
void jvp(const R& omega, std::span<const double> theta, std::span<const double> prediction,
         std::span<const double> v, std::span<double> out, Workspace& scratch) {
  if constexpr (requires { omega.slope_one(0.0); }) {
    for (std::size_t j = 0; j < v.size(); ++j) out[j] = omega.slope_one(theta[j]) * v[j];
  } else if constexpr (requires { omega.jvp(theta, prediction, v, out, scratch); }) {
    omega.jvp(theta, prediction, v, out, scratch);
  } else {
    jvp_by_differences(
        [&](std::span<const double> at, std::span<double> mu) { return predict(omega, at, mu, scratch); },
        theta, v, out, scratch);
  }
}

/// The separation margin with d classes (paper Definition 4); nothing where there is none.
template <Regularizer R>
std::optional<double> margin(const R& omega, std::size_t d) {
  // One class: the loss is zero everywhere. Sets of structures may have two in one dimension.
  if (d <= 1 && traits_of(omega).domain != Domain::polytope) return 0.0;
  if constexpr (requires {
                  { omega.margin(d) } -> std::convertible_to<std::optional<double>>;
                }) {
    return omega.margin(d);
  } else if (traits_of(omega).domain != Domain::simplex) {
    return std::nullopt;  // off the simplex the loss depends on more than differences of scores
  } else {
    return margin_by_search([&](std::span<const double> at) { return value(omega, at); }, d);
  }
}

/// γ such that Ω is γ-strongly convex in ‖·‖₂ over its domain, where known. L_Ω is then 1/γ-smooth.
template <Regularizer R>
std::optional<double> strong_convexity(const R& omega) {
  if constexpr (requires {
                  { omega.strong_convexity() } -> std::convertible_to<std::optional<double>>;
                }) {
    return omega.strong_convexity();
  } else {
    return std::nullopt;
  }
}

// An Ω over conv(Y) holds its set in a member `polytope`; these ask it.

/// The set of structures, also of an Ω inside another; nullptr where there is none.
template <Regularizer R>
const AnyPolytope* polytope(const R& omega) {
  if constexpr (requires { requires std::same_as<decltype(R::polytope), AnyPolytope>; }) {
    return &omega.polytope;
  } else if constexpr (requires {
                         { omega.omega.polytope() } -> std::convertible_to<const AnyPolytope*>;
                       }) {
    return omega.omega.polytope();
  } else {
    return nullptr;
  }
}

/// The number of entries of θ where Ω fixes it.
template <Regularizer R>
std::optional<std::size_t> dimension(const R& omega) {
  if constexpr (requires {
                  { omega.dimension() } -> std::convertible_to<std::optional<std::size_t>>;
                }) {
    return omega.dimension();
  } else if constexpr (requires { omega.polytope.dimension(); }) {
    return omega.polytope.dimension();
  } else {
    return std::nullopt;
  }
}

/// Throws if θ is wrong in a way that only Ω can tell: a mask where its polytope takes none.
template <Regularizer R>
void check_scores(const R& omega, std::string_view name, std::span<const double> theta) {
  if constexpr (requires { omega.check_scores(name, theta); }) {
    omega.check_scores(name, theta);
  } else if constexpr (requires { omega.polytope.check_scores(name, theta); }) {
    omega.polytope.check_scores(name, theta);
  }
}

/// Throws if μ is outside dom(Ω) in a way that only Ω can tell.
template <Regularizer R>
void check_point(const R& omega, std::string_view name, std::span<const double> mu) {
  if constexpr (requires { omega.check_point(name, mu); }) {
    omega.check_point(name, mu);
  } else if constexpr (requires { omega.polytope.check_point(name, mu); }) {
    omega.polytope.check_point(name, mu);
  }
}

/// Ω(μ), and how the search for it went where it needs one.
template <Regularizer R>
SolvedValue solve_value(const R& omega, std::span<const double> mu) {
  if constexpr (requires { omega.solve_value(mu); }) {
    return omega.solve_value(mu);
  } else {
    return {value(omega, mu), {}};
  }
}

/// L such that ∇Ω is L-Lipschitz in ‖·‖₂ over the domain, where known.
template <Regularizer R>
std::optional<double> smoothness(const R& omega) {
  if constexpr (requires {
                  { omega.smoothness() } -> std::convertible_to<std::optional<double>>;
                }) {
    return omega.smoothness();
  } else {
    return std::nullopt;
  }
}

}  // namespace fenchel::operations
