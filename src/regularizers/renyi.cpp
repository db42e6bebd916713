// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/renyi.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "fenchel/solvers/root.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {
namespace {

// Classes up to which all stationary points are compared (β > 1).
constexpr std::size_t exhaustive_limit = 200;
// Samples of the stationarity condition between two breakpoints.
constexpr std::size_t points_per_interval = 8;
constexpr std::size_t sampled_points = 512;  // samples in total for more classes
constexpr double nearly_cancelled = -0.999;  // 1 + x loses three digits below
constexpr int margin_grid = 400;             // samples of the entropy ratio before the best one is refined

// The curve c ↦ p(c) ∝ [1 + (θ + c)/b]₊^{1/(β−1)} on which every stationary point lies.
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

// Samples of c for β > 1: between every two points where a class enters the support, or evenly for many
// classes.
std::span<double> sample_points(double beta, std::span<const double> theta, double lower, double upper,
                                Workspace& scratch) {
  if (theta.size() > exhaustive_limit) {
    const auto samples = scratch.take<double>(sampled_points + 1);
    for (std::size_t i = 0; i <= sampled_points; ++i) {
      samples[i] = std::lerp(lower, upper, static_cast<double>(i) / sampled_points);
    }
    return samples;
  }
  const auto samples = scratch.take<double>((theta.size() + 2) * (points_per_interval + 1));
  const auto breaks = scratch.take<double>(theta.size() + 2);
  std::size_t used = 0;
  breaks[used++] = lower;
  breaks[used++] = upper;
  for (const double score : theta) {
    const double c = -beta / (beta - 1) - score;
    if (c > lower && c < upper) breaks[used++] = c;
  }
  std::ranges::sort(breaks.first(used));
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < used; ++i) {
    // Every score of the support is above −c − b, and their mean is −c at a root: none lies farther than b
    // from the break, however far the next class is.
    const double last = std::min(breaks[i + 1], breaks[i] + beta / (beta - 1));
    for (std::size_t k = 0; k <= points_per_interval; ++k) {
      samples[count++] = std::lerp(breaks[i], last, static_cast<double>(k) / points_per_interval);
    }
  }
  samples[count++] = upper;
  return samples.first(count);
}

// β > 1: the best of the stationary points, found as sign changes between samples.
Report predict_non_concave(const Renyi& omega, const StationaryCurve& curve, std::span<const double> theta,
                           std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto samples =
      sample_points(omega.beta, theta, -max_of(theta), -simplex::lowest_finite(theta), scratch);
  const auto candidate = scratch.take<double>(theta.size());
  double best = -infinity;
  Report report;
  auto consider = [&](const Root& root) {
    curve.write(root.x, candidate);
    const double objective = dot_masked(theta, candidate) - omega.value(candidate);
    if (objective <= best) return;
    best = objective;
    report = root.report;
    std::ranges::copy(candidate, out.begin());
  };
  auto excess = [&](double c) { return curve.excess(c); };
  double left = excess(samples[0]).value;
  if (left == 0) consider({samples[0], samples[0], samples[0], {}});  // a vertex, or all scores equal
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const double right = excess(samples[i + 1]).value;
    if (left >= 0 && right < 0) consider(find_root(excess, samples[i], samples[i + 1]));
    if (right == 0) consider({samples[i + 1], samples[i + 1], samples[i + 1], {}});
    left = right;
  }
  if (theta.size() > exhaustive_limit) report.status = Status::stationary;
  return report;
}

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
  const StationaryCurve curve(beta, theta);
  if (beta < 1) {
    // For β < 1 the powers have a pole at c = |b| − top, beyond every root.
    const double top = max_of(theta);
    const double pole = beta / (1 - beta) * (1 - machine_epsilon) - top;
    const Root root = find_root([&](double c) { return curve.excess(c); }, -top,
                                std::min(-simplex::lowest_finite(theta), pole));
    curve.write(root.x, out);
    return root.report;
  }
  return predict_non_concave(*this, curve, theta, out, scratch);
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
  // sup H(p)/(1 − ‖p‖_∞) (Proposition 5). H is Schur-concave, so for a given largest entry 1 − t the best
  // rest is uniform; what is left is a search in t ∈ (0, 1 − 1/d], whose limit at 0 is β/(β − 1).
  const auto others = static_cast<double>(d - 1);
  auto ratio = [&](double t) {
    if (beta == infinity) return -std::log1p(-t) / t;
    const double sum = std::expm1(beta * std::log1p(-t)) + std::pow(others, 1 - beta) * std::pow(t, beta);
    if (sum > nearly_cancelled) return std::log1p(sum) / ((1 - beta) * t);
    // 1 + sum cancels, to 0 for many classes: the two terms in logarithms.
    const double largest = beta * std::log1p(-t);
    const double rest = (1 - beta) * std::log(others) + beta * std::log(t);
    const double log_sum = std::max(largest, rest) + std::log1p(std::exp(-std::abs(largest - rest)));
    return log_sum / ((1 - beta) * t);
  };
  const double last = others / static_cast<double>(d);
  const double at_vertex = beta == infinity ? 1 : beta / (beta - 1);
  double best = at_vertex;
  double best_t = 0;
  for (int i = 1; i <= margin_grid; ++i) {
    const double t = last * i / margin_grid;
    if (ratio(t) > best) {
      best = ratio(t);
      best_t = t;
    }
  }
  if (best_t == 0 || best_t == last) return best;
  // Golden-section search in the two cells around the best sample.
  constexpr double golden = 0.6180339887498949;
  double a = best_t - last / margin_grid;
  double b = std::min(best_t + last / margin_grid, last);
  while (b - a > 1e-9 * last) {
    const double left = b - golden * (b - a);
    const double right = a + golden * (b - a);
    (ratio(left) > ratio(right) ? b : a) = ratio(left) > ratio(right) ? right : left;
  }
  return std::max(best, ratio(0.5 * (a + b)));
}

std::optional<double> Renyi::strong_convexity() const {
  if (beta != 1) return std::nullopt;
  return 1;
}

}  // namespace fenchel
