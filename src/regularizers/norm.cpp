// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/norm.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "regularizers/norms.hpp"
#include "regularizers/simplex_tools.hpp"
#include "solvers/threshold.hpp"

namespace fenchel {
namespace {

// From here on 1/(q − 1) is below the rounding of p, so that ŷ changes no more than for q = ∞, and powers of
// q would be those of rounding errors.
constexpr double flat_order = 0x1p52;

}  // namespace

std::vector<Norm> Norm::examples() { return {{1.2}, {1.5}, {2}, {4}, {30}, {infinity}}; }

void Norm::check() const { check_greater("q", q, 1); }

Traits Norm::refined_traits() const {
  Traits refined = traits;
  refined.strictly_convex = q < infinity;
  refined.piecewise_linear = q >= flat_order;
  refined.differentiable = q < infinity;
  return refined;
}

double Norm::value(std::span<const double> p) const { return norm(p, q) - 1; }

Report Norm::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  if (q == infinity) {
    auto mean_less = [](double sum, std::size_t k) { return (sum - 1) / static_cast<double>(k); };
    simplex::predict_uniform_top(theta, mean_less, out, scratch);
    return {};
  }
  // Solves for w = x^{q/(q−1)}, which sums to one; then p ∝ x^{1/(q−1)} = w^{1/q}.
  const double power = q / (q - 1);
  auto curve = [&](double x) {
    if (x <= 0) return RootSample{};
    const double w = std::pow(x, power);
    return RootSample{w, power * w / x};
  };
  const double top = max_of(theta);
  const Report report = solve_threshold(theta, curve, top - 1, top, out).report;
  double sum = 0;
  for (double& entry : out) {
    if (entry > 0) entry = std::pow(entry, 1 / q);
    sum += entry;
  }
  for (double& entry : out) entry /= sum;
  return report;
}

void Norm::gradient(std::span<const double> p, std::span<double> out) const {
  if (q == infinity) {
    // A subgradient: the mean over the coordinates that attain the maximum.
    const double top = max_of(p);
    const auto ties = static_cast<double>(std::ranges::count(p, top));
    for (std::size_t j = 0; j < p.size(); ++j) out[j] = p[j] == top ? 1 / ties : 0;
    return;
  }
  const double length = norm(p, q);
  for (std::size_t j = 0; j < p.size(); ++j) out[j] = std::pow(p[j] / length, q - 1);
}

Report Norm::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const {
  if (q == infinity) {
    simplex::prox_of_max(eta, tau, out);
    return {};
  }
  if (tau == 0) return Argmax{}.prox(eta, tau, out, scratch);
  // ‖p‖_q = min over N > 0 of Σ p^q/(q N^{q−1}) + (1 − 1/q) N, jointly convex in p and N: for a fixed N it is
  // separable, p + τ(p/N)^{q−1} = η − ν on the support, and the right N is the norm of the solution.
  const double bottom = simplex::lowest_finite(eta);
  const double top = max_of(eta);
  const double share = 1 / static_cast<double>(eta.size());
  auto inner = [&](double length) {
    const double log_length = std::log(length);
    auto curve = [&](double x) {
      if (x <= 0) return RootSample{};
      auto excess = [&](double u) {  // on u = log p
        return RootSample{x - std::exp(u) - tau * std::exp((q - 1) * (u - log_length)), 0};
      };
      return RootSample{std::exp(find_root(excess, log_of_smallest, 0).x), 0};
    };
    // The lower end gives every class at least 1/d.
    return solve_threshold(eta, curve, bottom - share - tau * std::pow(share / length, q - 1), top, out);
  };
  auto excess = [&](double length) {
    inner(length);
    return RootSample{norm(out, q) - length, 0};
  };
  const Root root = find_root(excess, std::pow(share, 1 - 1 / q), 1);
  inner(root.x);
  return root.report;
}

void Norm::jvp(std::span<const double>, std::span<const double> prediction, std::span<const double> v,
               std::span<double> out, Workspace& scratch) const {
  if (q >= flat_order) {
    std::ranges::fill(out, 0.0);  // ŷ is piecewise constant
    return;
  }
  // ∇²Ω = (q−1)/N (diag((p/N)^{q−2}) − r rᵀ), r = (p/N)^{q−1}, N = ‖p‖_q.
  const Workspace::Frame frame(scratch);
  const auto s = scratch.take<double>(v.size());
  const auto r = scratch.take<double>(v.size());
  const double length = norm(prediction, q);
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double ratio = prediction[j] / length;
    s[j] = ratio > 0 ? length / (q - 1) * std::pow(ratio, 2 - q) : 0;
    r[j] = ratio > 0 ? std::pow(ratio, q - 1) : 0;
  }
  simplex::jvp(s, r, -(q - 1) / length, v, out);
}

}  // namespace fenchel
