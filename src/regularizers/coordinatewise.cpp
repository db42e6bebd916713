// SPDX-License-Identifier: Apache-2.0
// The scalar functions of the Ω that act on each coordinate: Poisson, sigmoid, Tsallis sigmoid.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/wright_omega.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/poisson.hpp"
#include "fenchel/regularizers/sigmoid.hpp"
#include "fenchel/regularizers/sparse_sigmoid.hpp"
#include "fenchel/regularizers/tsallis_sigmoid.hpp"
#include "fenchel/solvers/root.hpp"

namespace fenchel {
namespace {

// e^u − 1 − u without cancellation.
double expm1_minus(double u) {
  constexpr double series_limit = 0.02;  // the first term left out is u⁷/5040 < 3e-16 · u²
  if (std::abs(u) > series_limit) return std::expm1(u) - u;
  return u * u * (1.0 / 2 + u * (1.0 / 6 + u * (1.0 / 24 + u * (1.0 / 120 + u / 720))));
}

}  // namespace

double Poisson::phi(double m) const { return xlogx(m) - m; }
double Poisson::phi_prime(double m) const { return std::log(m); }
double Poisson::predict_one(double s) const { return std::exp(s); }
double Poisson::loss_one(double s, double y) const {
  return y > 0 ? y * expm1_minus(s - std::log(y)) : std::exp(s);
}
double Poisson::prox_one(double eta, double tau) const {
  const double scaled = eta / tau - std::log(tau);
  // The limit of τ → 0, which is as good where η/τ leaves the range of numbers.
  return tau == 0 || std::isinf(scaled) ? std::max(eta, 0.0) : tau * wright_omega(scaled);
}

double Sigmoid::phi(double p) const { return xlogx(p) + (p < 1 ? (1 - p) * std::log1p(-p) : 0); }
double Sigmoid::phi_prime(double p) const { return std::log(p) - std::log1p(-p); }
double Sigmoid::predict_one(double s) const {
  const double e = std::exp(-std::abs(s));
  return s >= 0 ? 1 / (1 + e) : e / (1 + e);
}
double Sigmoid::slope_one(double s) const {
  const double e = std::exp(-std::abs(s));
  return e / ((1 + e) * (1 + e));
}
double Sigmoid::loss_one(double s, double y) const {
  // log(1 + e^s) − s y, with the linear part on the side where it does not cancel.
  const double linear = s >= 0 ? s * (1 - y) : (y == 0 ? 0 : -s * y);
  return std::log1p(std::exp(-std::abs(s))) + linear + phi(y);
}
double Sigmoid::prox_one(double eta, double tau) const {
  // On the scores: σ(u) + τu = η.
  if (tau == 0) return std::clamp(eta, 0.0, 1.0);
  auto excess = [&](double u) { return RootSample{eta - predict_one(u) - tau * u, -slope_one(u) - tau}; };
  const auto within = [](double u) { return std::clamp(u, log_of_smallest, -log_of_smallest); };
  return predict_one(find_root(excess, within((eta - 1) / tau), within(eta / tau)).x);
}

void TsallisSigmoid::check() const {
  check_greater("alpha", alpha, 0);
  check_finite("alpha", alpha);
}
Traits TsallisSigmoid::refined_traits() const {
  Traits refined = traits;
  refined.sparse = alpha > 1;
  refined.legendre = alpha <= 1;
  return refined;
}
double TsallisSigmoid::phi(double p) const {
  const double a = alpha - 1;
  const double rest = p < 1 ? std::log1p(-p) : -infinity;
  const double first = p > 0 ? p * power_ratio(p, a) : 0;
  const double second = p < 1 ? (1 - p) * (a == 0 ? rest : std::expm1(a * rest) / a) : 0;
  return (first + second) / alpha;
}
double TsallisSigmoid::phi_prime(double p) const {
  const double a = alpha - 1;
  if (p > 0.5) {
    const double q = 1 - p;
    return -(power_ratio(q, a) - (a == 0 ? std::log1p(-q) : std::expm1(a * std::log1p(-q)) / a));
  }
  return power_ratio(p, a) - (a == 0 ? std::log1p(-p) : std::expm1(a * std::log1p(-p)) / a);
}

// The p ≤ ½ with unit · p + weight · φ'(p) = target, searched on log p so that tiny p stay exact.
double TsallisSigmoid::lower_half(double target, double unit, double weight) const {
  const double a = alpha - 1;
  if (a > 0 && target <= -weight / a) return 0;
  auto excess = [&](double u) {
    const double p = std::exp(u);
    const double rest = std::log1p(-p);
    const double slope = a == 0 ? u - rest : (std::expm1(a * u) - std::expm1(a * rest)) / a;
    const double curvature = p * (std::exp((a - 1) * u) + std::exp((a - 1) * rest));
    return RootSample{target - unit * p - weight * slope, -unit * p - weight * curvature};
  };
  return std::exp(find_root(excess, log_of_smallest, -std::numbers::ln2).x);
}
double TsallisSigmoid::predict_one(double s) const {
  if (alpha == 1) return Sigmoid{}.predict_one(s);
  if (alpha == 2) return SparseSigmoid{}.predict_one(s);
  if (s == -infinity) return 0;
  return s <= 0 ? lower_half(s, 0, 1) : 1 - lower_half(-s, 0, 1);
}
double TsallisSigmoid::slope_one(double s) const {
  if (alpha > 1 && std::abs(s) >= 1 / (alpha - 1)) return 0;
  if (s == -infinity) return 0;
  const double p = predict_one(-std::abs(s));  // the slope is even in s
  return 1 / (std::pow(p, alpha - 2) + std::pow(1 - p, alpha - 2));
}
double TsallisSigmoid::loss_one(double s, double y) const {
  const double p = predict_one(s);
  return (p == y ? 0 : s * (p - y)) + phi(y) - phi(p);
}
double TsallisSigmoid::prox_one(double eta, double tau) const {
  if (alpha == 1) return Sigmoid{}.prox_one(eta, tau);
  if (alpha == 2) return SparseSigmoid{}.prox_one(eta, tau);
  if (tau == 0) return std::clamp(eta, 0.0, 1.0);
  return eta <= 0.5 ? lower_half(eta, 1, tau) : 1 - lower_half(1 - eta, 1, tau);
}
std::optional<double> TsallisSigmoid::strong_convexity() const {
  // φ'' = p^{α−2} + (1 − p)^{α−2} is smallest at ½, or at the ends where both powers are concave.
  return alpha > 2 && alpha < 3 ? 1 : std::exp2(3 - alpha);
}
std::optional<double> TsallisSigmoid::smoothness() const {
  if (alpha < 2) return std::nullopt;
  return alpha < 3 ? std::exp2(3 - alpha) : 1;
}

}  // namespace fenchel
