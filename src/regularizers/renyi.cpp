// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/renyi.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "fenchel/solvers/root.hpp"
#include "regularizers/renyi_maximum.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {
namespace {

constexpr int margin_grid = 200;       // samples of the entropy ratio before the best one is refined
constexpr double log_of_small = 40;    // e^−40 beside 1: at the vertex, as far as floating point tells
constexpr double largest_power = 1e6;  // beyond, the entropy is that of β = ∞ to 6 digits of its last cell
constexpr int minimum_bits = 26;       // of the place: the ratio is flat there, so it has twice as many

// The curve c ↦ p(c) ∝ (1 + (θ + c)/b)^{1/(β−1)} on which the maximum lies for β < 1.
class StationaryCurve {
 public:
  StationaryCurve(double beta, std::span<const double> theta)
      : power_(1 / (beta - 1)), inverse_b_((beta - 1) / beta), theta_(theta), top_(max_of(theta)) {}

  // log w relative to the top score's, so that nothing overflows; −inf off the support.
  double log_weight(double score, double c) const {
    const double base = inverse_b_ * (score + c);
    if (base <= -1) return -infinity;
    return power_ * (std::log1p(base) - std::log1p(inverse_b_ * (top_ + c)));
  }

  // −(c + the mean score under p(c)): 0 where p(c) is stationary.
  RootSample excess(double c) const {
    double total = 0;
    double mean = 0;
    for (const double score : theta_) {
      if (score == -infinity) continue;
      const double w = std::exp(log_weight(score, c));
      total += w;
      if (w > 0) mean += w * (score + c);
    }
    return {-mean / total, 0};
  }

  void write(double c, std::span<double> out) const {
    double total = 0;
    for (std::size_t j = 0; j < theta_.size(); ++j) {
      out[j] = theta_[j] == -infinity ? 0 : std::exp(log_weight(theta_[j], c));
      total += out[j];
    }
    for (double& entry : out) entry /= total;
  }

 private:
  double power_;
  double inverse_b_;
  std::span<const double> theta_;
  double top_;
};

}  // namespace

std::vector<Renyi> Renyi::examples() {
  return {{0}, {0.2}, {0.5}, {0.9}, {1 - 1e-7}, {1}, {1 + 1e-7}, {1.3}, {2}, {5}, {infinity}};
}

void Renyi::check() const { check_at_least("beta", beta, 0); }

Traits Renyi::refined_traits() const {
  Traits refined = traits;
  refined.convex = beta <= 1;
  refined.strictly_convex = beta > 0 && beta <= 1;
  refined.strongly_convex = refined.strictly_convex;
  refined.sparse = beta > 1 || beta == 0;
  refined.legendre = refined.strictly_convex;
  refined.separable = beta == 1;
  refined.differentiable = beta < infinity;
  refined.attained = beta > 0;
  return refined;
}

double Renyi::value(std::span<const double> p) const {
  if (beta == 0)
    return -std::log(static_cast<double>(std::ranges::count_if(p, [](double x) { return x > 0; })));
  if (beta == infinity) return std::log(max_of(p));
  if (beta == 1) return Shannon{}.value(p);
  const double a = beta - 1;
  double sum = 0;  // Σ p^β − 1, exact near β = 1
  for (const double entry : p) {
    if (entry > 0) sum += entry * std::expm1(a * std::log(entry));
  }
  if (std::abs(sum) < 0.5) return std::log1p(sum) / a;
  // Far from 1 that difference cancels; there Σ p^β is summed relative to its largest term.
  const double top = max_of(p);
  double scaled = 0;
  for (const double entry : p) {
    if (entry > 0) scaled += std::pow(entry / top, beta);
  }
  return (beta * std::log(top) + std::log(scaled)) / a;
}

double Renyi::conjugate(std::span<const double> theta, std::span<const double> prediction) const {
  if (beta == 1) return Shannon{}.conjugate(theta, prediction);
  // β = 0: a vanishing mass on every class costs nothing and earns the whole entropy log d.
  if (beta == 0) return max_of(theta) + std::log(static_cast<double>(simplex::count_finite(theta)));
  return dot_masked(theta, prediction) - value(prediction);
}

Report Renyi::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  if (beta == 1) {
    Shannon{}.predict(theta, out, scratch);
    return {};
  }
  if (beta == 0) {
    // The limit of β ↓ 0: all mass on the top score, shared equally by ties as symmetry demands.
    const double top = max_of(theta);
    const auto ties = static_cast<double>(std::ranges::count(theta, top));
    for (std::size_t j = 0; j < theta.size(); ++j) out[j] = theta[j] == top ? 1 / ties : 0;
    return {};
  }
  if (beta == infinity) {
    // For a given max p the objective is linear on a face and convex in max p: the best p is uniform.
    auto objective = [](double sum, std::size_t k) {
      return sum / static_cast<double>(k) + std::log(static_cast<double>(k));
    };
    simplex::predict_uniform_top(theta, objective, out, scratch);
    return {};
  }
  if (beta > 1) return maximize_renyi(beta, theta, out, scratch);
  const StationaryCurve curve(beta, theta);
  // The powers have a pole at c = |b| − top, beyond the root.
  const double top = max_of(theta);
  const double pole = beta / (1 - beta) * (1 - machine_epsilon) - top;
  const Root root = find_root([&](double c) { return curve.excess(c); }, -top,
                              std::min(-simplex::lowest_finite(theta), pole));
  curve.write(root.x, out);
  return root.report;
}

void Renyi::gradient(std::span<const double> p, std::span<double> out) const {
  if (beta == 1) return Shannon{}.gradient(p, out);
  if (beta == 0) return Argmax{}.gradient(p, out);
  if (beta == infinity) {
    const double top = max_of(p);
    const auto ties = static_cast<double>(std::ranges::count(p, top));
    for (std::size_t j = 0; j < p.size(); ++j) out[j] = p[j] == top ? 1 / (ties * top) : 0;
    return;
  }
  // Without the constant β/(β − 1), which has no effect along the simplex and would cost digits near β = 1.
  const double log_sum = (beta - 1) * value(p);
  for (std::size_t j = 0; j < p.size(); ++j) {
    out[j] = beta / (beta - 1) * std::expm1((beta - 1) * std::log(p[j]) - log_sum);
  }
}

Report Renyi::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace& scratch) const {
  if (beta == 0 || tau == 0)
    return Argmax{}.prox(eta, tau, out, scratch);  // β = 0: a constant inside the simplex
  if (beta == 1) return Shannon{}.prox(eta, tau, out, scratch);
  // ∇Ω = (β/(β−1)) p^{β−1}/S with S = Σ p^β: for a fixed S the prox of a Tsallis entropy of order β, whose
  // solution has a smaller sum of powers the larger S is.
  auto excess = [&](double sum) {
    Tsallis{beta}.prox(eta, tau * beta / sum, out, scratch);
    double total = 0;
    for (const double entry : out) total += entry > 0 ? std::pow(entry, beta) : 0;
    return RootSample{total - sum, 0};
  };
  const Root root = find_root(excess, 1, std::pow(static_cast<double>(eta.size()), 1 - beta));
  excess(root.x);
  return root.report;
}

void Renyi::jvp(std::span<const double> theta, std::span<const double> prediction, std::span<const double> v,
                std::span<double> out, Workspace& scratch) const {
  if (beta == 1) return Shannon{}.jvp(theta, prediction, v, out, scratch);
  if (beta == 0 || beta == infinity) return Argmax{}.jvp(theta, prediction, v, out, scratch);
  // ∇²Ω = diag(β p^{β−2}/S) − (β²/(β−1)) u uᵀ with u = p^{β−1}/S, S = Σ p^β. Along the simplex u may be
  // replaced by u − 1, which vanishes with β − 1 and keeps the product bounded.
  const Workspace::Frame frame(scratch);
  const auto s = scratch.take<double>(v.size());
  const auto u = scratch.take<double>(v.size());
  const double log_sum = (beta - 1) * value(prediction);
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double p = prediction[j];
    s[j] = p > 0 ? std::exp((2 - beta) * std::log(p) + log_sum) / beta : 0;
    u[j] = p > 0 ? std::expm1((beta - 1) * std::log(p) - log_sum) : 0;
  }
  simplex::jvp(s, u, -beta * beta / (beta - 1), v, out);
}

std::optional<double> Renyi::margin(std::size_t d) const {
  if (beta <= 1) return std::nullopt;
  // sup H(p)/(1 − ‖p‖_∞) (Proposition 5). H is Schur-concave, so for a given largest entry the best rest is
  // uniform: what is left is a search in the logarithm u ≥ 0 of the ratio of the two; at u = ∞ it is
  // β/(β − 1).
  const auto others = static_cast<double>(d - 1);
  const auto ratio = [&](double u) {
    const double rest = others * std::exp(-u);  // relative to the largest entry
    if (rest == 0) return 1.0;
    const double entropy =
        beta == infinity ? std::log1p(rest)
                         : (beta * std::log1p(rest) - std::log1p(others * std::exp(-beta * u))) / (beta - 1);
    return entropy * (1 + rest) / rest;
  };
  // p^β changes β times as quickly as p: samples for either.
  const double end = std::log(others) + log_of_small;
  double best = beta == infinity ? 1 : beta / (beta - 1);
  for (const double scale : {end, end / std::min(beta, largest_power)}) {
    int top = 0;
    for (int i = 1; i < margin_grid; ++i) {
      if (ratio(scale * i / margin_grid) > ratio(scale * top / margin_grid)) top = i;
    }
    const double left = scale * std::max(top - 1, 0) / margin_grid, right = scale * (top + 1) / margin_grid;
    const auto found =
        boost::math::tools::brent_find_minima([&](double u) { return -ratio(u); }, left, right, minimum_bits);
    best = std::max({best, ratio(scale * top / margin_grid), -found.second});
  }
  return best;
}

std::optional<double> Renyi::strong_convexity() const {
  if (beta != 1) return std::nullopt;
  return 1;
}

}  // namespace fenchel
