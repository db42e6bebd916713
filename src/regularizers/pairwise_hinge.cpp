// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/pairwise_hinge.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/solvers/threshold.hpp"
#include "regularizers/pairwise_costs.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {
namespace {

using pairwise::Kind;

// The traits with general costs: classes are no longer interchangeable.
Traits with_costs(Traits refined, const CostMatrix& costs) {
  refined.symmetric = costs.empty();
  for (std::size_t k = 0; k < costs.size(); ++k) refined.zero_at_vertices &= costs[k][k] == 0;
  return refined;
}

// r_j = t/(1 − p_j) with t = 1 − max p; 1 for the largest entries, also at a vertex, where it is 0/0.
double ratio(double p, double top) { return p == top ? 1 : (1 - top) / (1 - p); }

// Σ_j r_j, compensated because the slopes of Ω are of the size of d².
double sum_of_ratios(std::span<const double> p, double top) {
  CompensatedSum sum;
  for (const double entry : p) sum += ratio(entry, top);
  return sum.value();
}

// The two best scores; the second is −inf for one class.
std::pair<double, double> two_best(std::span<const double> theta) {
  double first = -infinity;
  double second = -infinity;
  for (const double score : theta) {
    if (score > first) {
      second = first;
      first = score;
    } else {
      second = std::max(second, score);
    }
  }
  return {first, second};
}

double top_gap(std::span<const double> theta) {
  const auto [first, second] = two_best(theta);
  return first - second;
}

// Scores relative to the second best. Near a vertex θ_j − τ is tiny for all classes but the best, and keeps
// its digits only if τ is near 0 too.
std::span<double> relative_scores(std::span<const double> theta, Workspace& scratch) {
  const double second = two_best(theta).second;
  const auto scores = scratch.take<double>(theta.size());
  for (std::size_t j = 0; j < scores.size(); ++j) scores[j] = theta[j] - second;
  return scores;
}

}  // namespace

void PairwiseHinge::check() const { pairwise::check_costs(costs); }
void PairwiseSmoothedHinge::check() const { pairwise::check_costs(costs); }
void PairwiseSquaredHinge::check() const { pairwise::check_costs(costs); }
Traits PairwiseHinge::refined_traits() const { return with_costs(traits, costs); }
Traits PairwiseSmoothedHinge::refined_traits() const { return with_costs(traits, costs); }
Traits PairwiseSquaredHinge::refined_traits() const { return with_costs(traits, costs); }

// ---------------------------------------------------------------- hinge

double PairwiseHinge::value(std::span<const double> p) const {
  if (!costs.empty()) return pairwise::value(Kind::hinge, costs, p);
  return -static_cast<double>(p.size()) * (1 - max_of(p));
}

Report PairwiseHinge::predict(std::span<const double> theta, std::span<double> out,
                              Workspace& scratch) const {
  if (!costs.empty()) return pairwise::predict(Kind::hinge, costs, theta, out);
  const auto d = static_cast<double>(theta.size());
  auto objective = [d](double sum, std::size_t k) { return (sum - d) / static_cast<double>(k); };
  simplex::predict_uniform_top(theta, objective, out, scratch);
  return {};
}

void PairwiseHinge::gradient(std::span<const double> p, std::span<double> out) const {
  if (!costs.empty()) return pairwise::gradient(Kind::hinge, costs, p, out);
  const double top = max_of(p);
  const auto ties = static_cast<double>(std::ranges::count(p, top));
  for (std::size_t j = 0; j < p.size(); ++j) out[j] = p[j] == top ? static_cast<double>(p.size()) / ties : 0;
}

Report PairwiseHinge::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace&) const {
  if (!costs.empty()) return pairwise::prox(Kind::hinge, costs, eta, tau, out);
  simplex::prox_of_max(eta, tau * static_cast<double>(eta.size()), out);
  return {};
}

void PairwiseHinge::jvp(std::span<const double> theta, std::span<const double> prediction,
                        std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  Argmax{}.jvp(theta, prediction, v, out,
               scratch);  // piecewise constant, also with general costs (a linear programme)
}

std::optional<double> PairwiseHinge::margin(std::size_t d) const {
  if (!costs.empty()) return pairwise::margin(Kind::hinge, costs, d);
  return static_cast<double>(d);
}

// ---------------------------------------------------------------- smoothed hinge

double PairwiseSmoothedHinge::value(std::span<const double> p) const {
  if (!costs.empty()) return pairwise::value(Kind::smoothed, costs, p);
  const double top = max_of(p);
  const double sum = sum_of_ratios(p, top);
  return (1 - top) * (0.5 * sum - static_cast<double>(p.size()));
}

Report PairwiseSmoothedHinge::predict(std::span<const double> theta, std::span<double> out,
                                      Workspace& scratch) const {
  if (!costs.empty()) return pairwise::predict(Kind::smoothed, costs, theta, out);
  const auto d = static_cast<double>(theta.size());
  if (top_gap(theta) >= d - 0.5) {
    Argmax{}.predict(theta, out, scratch);
    return {};
  }
  const Workspace::Frame frame(scratch);
  const auto scores = relative_scores(theta, scratch);
  // For a fixed t: p_j = clip(1 − t/√(2x_j), 0, 1 − t), x = θ − ν, with ν from Σ p = 1. H is jointly concave
  // in (p, t), so its slope in t decreases: d − t Σ 1/(1 − p_j) − Σ_capped (x_j − ½).
  const double bottom = simplex::lowest_finite(scores);
  const double top = max_of(scores);
  auto inner = [&](double t) {
    auto curve = [t](double x) {
      if (x <= 0.5 * t * t) return RootSample{};
      if (x >= 0.5) return RootSample{1 - t, 0};
      const double root = std::sqrt(2 * x);
      return RootSample{1 - t / root, t / (2 * x * root)};
    };
    return solve_threshold(scores, curve, bottom - 0.5, top - 0.5 * t * t, out);
  };
  double nu = 0;
  auto slope = [&](double t) {
    nu = inner(t).x;
    CompensatedSum total(d);
    for (const double score : scores) {
      const double x = score - nu;
      if (x <= 0.5 * t * t) {
        total += -t;
      } else if (x < 0.5) {
        total += -std::sqrt(2 * x);
      } else {
        total += -(x + 0.5);
      }
    }
    return RootSample{total.value(), 0};
  };
  const double largest = 1 - 1 / static_cast<double>(simplex::count_finite(scores));
  const Root root = find_root(slope, largest * machine_epsilon, largest);
  // Where the capped classes alone sum to one, ν jumps between neighbouring t. Mixing the two sides tells
  // which classes are off the support; on one side alone they would keep a rounding error of mass.
  const double at_upper = slope(root.upper).value;
  const double nu_upper = nu;
  const double at_lower = slope(root.lower).value;
  const double weight = at_lower > at_upper ? -at_upper / (at_lower - at_upper) : 0;
  const double mixed = nu_upper + weight * (nu - nu_upper);
  inner(root.x);
  CompensatedSum sum;
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (scores[j] - mixed < 0.5 * root.x * root.x) out[j] = 0;
    sum += out[j];
  }
  for (double& entry : out) entry /= sum.value();
  return root.report;
}

void PairwiseSmoothedHinge::gradient(std::span<const double> p, std::span<double> out) const {
  if (!costs.empty()) return pairwise::gradient(Kind::smoothed, costs, p, out);
  const double top = max_of(p);
  const auto ties = static_cast<double>(std::ranges::count(p, top));
  const double sum = sum_of_ratios(p, top);
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double r = ratio(p[j], top);
    out[j] = 0.5 * r * r + (p[j] == top ? (static_cast<double>(p.size()) - sum) / ties : 0);
  }
}

Report PairwiseSmoothedHinge::prox(std::span<const double> eta, double tau, std::span<double> out,
                                   Workspace& scratch) const {
  if (!costs.empty()) return pairwise::prox(Kind::smoothed, costs, eta, tau, out);
  if (tau == 0 || eta.size() == 1) return Argmax{}.prox(eta, tau, out, scratch);
  // As predict, with p_j added to the slope: for a fixed t, p_j + τt²/(2(1 − p_j)²) = η_j − ν between 0 and 1
  // − t.
  const auto d = static_cast<double>(eta.size());
  const double bottom = simplex::lowest_finite(eta);
  const double top = max_of(eta);
  auto inner = [&](double t) {
    const double at_zero = 0.5 * tau * t * t;
    const double at_cap = 1 - t + 0.5 * tau;
    auto curve = [&](double x) {
      if (x <= at_zero) return RootSample{};
      if (x >= at_cap) return RootSample{1 - t, 0};
      auto excess = [&](double p) { return RootSample{x - p - at_zero / ((1 - p) * (1 - p)), 0}; };
      return RootSample{find_root(excess, 0, 1 - t).x, 0};
    };
    return solve_threshold(eta, curve, bottom - at_cap, top - at_zero, out);
  };
  double nu = 0;
  auto slope = [&](double t) {
    nu = inner(t).x;
    CompensatedSum total(tau * d);
    for (std::size_t j = 0; j < eta.size(); ++j) {
      const double surplus = eta[j] - nu - (1 - t + 0.5 * tau);  // the multiplier of a capped class
      total += surplus >= 0 ? -(tau + surplus) : -tau * t / (1 - out[j]);
    }
    return RootSample{total.value(), 0};
  };
  const double largest = 1 - 1 / static_cast<double>(simplex::count_finite(eta));
  const Root root = find_root(slope, largest * machine_epsilon, largest);
  inner(root.x);
  return root.report;
}

void PairwiseSmoothedHinge::jvp(std::span<const double> theta, std::span<const double> prediction,
                                std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  if (!costs.empty()) {
    return jvp_by_differences(
        [&](std::span<const double> at, std::span<double> p) { return predict(at, p, scratch); }, theta, v,
        out, scratch);
  }
  // Differentiates the two conditions of predict in (ν, t): Σ dp = 0 and d(slope) = 0.
  const double top = max_of(prediction);
  const double t = 1 - top;
  constexpr double cap_tolerance = 1e-9;  // a class this close to the largest probability is capped
  double sum_nu = 0, sum_t = 0, slope_nu = 0, slope_t = 0, sum_v = 0, slope_v = 0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double p = prediction[j];
    if (p == 0) {
      slope_t -= 1;
    } else if (p >= top - cap_tolerance) {
      sum_t -= 1;
      slope_nu += 1;
      slope_v -= v[j];
    } else {
      const double inverse_root = (1 - p) / t;  // 1/√(2x)
      const double curvature = t * inverse_root * inverse_root * inverse_root;
      sum_t -= inverse_root;
      sum_nu -= curvature;
      sum_v += curvature * v[j];
      slope_nu += inverse_root;
      slope_v -= inverse_root * v[j];
    }
  }
  const double determinant = sum_nu * slope_t - sum_t * slope_nu;
  if (t == 0 || determinant == 0) return std::ranges::fill(out, 0.0), void();
  const double dnu = (-sum_v * slope_t + sum_t * slope_v) / determinant;
  const double dt = (-sum_nu * slope_v + slope_nu * sum_v) / determinant;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double p = prediction[j];
    if (p == 0) {
      out[j] = 0;
    } else if (p >= top - cap_tolerance) {
      out[j] = -dt;
    } else {
      const double inverse_root = (1 - p) / t;
      out[j] = -inverse_root * dt + t * inverse_root * inverse_root * inverse_root * (v[j] - dnu);
    }
  }
}

std::optional<double> PairwiseSmoothedHinge::margin(std::size_t d) const {
  if (!costs.empty()) return pairwise::margin(Kind::smoothed, costs, d);
  return static_cast<double>(d) - 0.5;
}

// ---------------------------------------------------------------- squared hinge

double PairwiseSquaredHinge::value(std::span<const double> p) const {
  if (!costs.empty()) return pairwise::value(Kind::squared, costs, p);
  const double top = max_of(p);
  const double sum = sum_of_ratios(p, top);  // (1 − max p) Σ 1/(1 − p_j), finite at the vertices
  const auto d = static_cast<double>(p.size());
  return -0.5 * d * d * (1 - top) / sum;
}

Report PairwiseSquaredHinge::predict(std::span<const double> theta, std::span<double> out,
                                     Workspace& scratch) const {
  if (!costs.empty()) return pairwise::predict(Kind::squared, costs, theta, out);
  const auto d = static_cast<double>(theta.size());
  if (top_gap(theta) >= 0.5 * d * d) {
    Argmax{}.predict(theta, out, scratch);
    return {};
  }
  const Workspace::Frame frame(scratch);
  const auto scores = relative_scores(theta, scratch);
  // On the support 1 − p_j = a/√x_j, x = θ − τ; elsewhere p_j = 0 and x_j ≤ a². Σ p = 1 gives τ(a), and
  // Σ_j max(a, √x_j) = d/√2 gives a.
  const double bottom = simplex::lowest_finite(scores);
  const double top = max_of(scores);
  const auto classes = static_cast<double>(simplex::count_finite(scores));
  auto inner = [&](double a) {
    auto curve = [a](double x) {
      if (x <= a * a) return RootSample{};
      const double root = std::sqrt(x);
      return RootSample{1 - a / root, 0.5 * a / (x * root)};
    };
    const double reach = a * classes / (classes - 1);
    return solve_threshold(scores, curve, bottom - reach * reach, top - a * a, out);
  };
  auto shortfall = [&](double a) {
    const double tau = inner(a).x;
    CompensatedSum total(d / std::sqrt(2.0));
    for (const double score : scores) total += -std::max(a, std::sqrt(std::max(score - tau, 0.0)));
    return RootSample{total.value(), 0};
  };
  const Root root = find_root(shortfall, machine_epsilon, 1 / std::sqrt(2.0));
  inner(root.x);
  return root.report;
}

void PairwiseSquaredHinge::gradient(std::span<const double> p, std::span<double> out) const {
  if (!costs.empty()) return pairwise::gradient(Kind::squared, costs, p, out);
  const double top = max_of(p);
  const double sum = sum_of_ratios(p, top);
  const auto d = static_cast<double>(p.size());
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double w = ratio(p[j], top) / sum;
    out[j] = 0.5 * d * d * w * w;
  }
}

Report PairwiseSquaredHinge::prox(std::span<const double> eta, double tau, std::span<double> out,
                                  Workspace& scratch) const {
  if (!costs.empty()) return pairwise::prox(Kind::squared, costs, eta, tau, out);
  const auto d = static_cast<double>(eta.size());
  if (tau == 0 || eta.size() == 1 || top_gap(eta) >= 1 + 0.5 * tau * d * d) {
    return Argmax{}.prox(eta, tau, out,
                         scratch);  // nothing to mix, or the slope at the vertex is not reached
  }
  // For a fixed u = 1/S, S = Σ 1/(1 − p_j): p_j + τ(d²/2) u²/(1 − p_j)² = η_j − ν, and u is right where it is
  // the inverse of its own S. Every such u is a stationary point of a strictly convex problem, so there is
  // only one.
  auto inner = [&](double u) {
    const double weight = 0.5 * tau * d * d * u * u;
    auto curve = [&](double x) {
      if (x <= weight) return RootSample{};
      auto excess = [&](double p) { return RootSample{x - p - weight / ((1 - p) * (1 - p)), 0}; };
      return RootSample{find_root(excess, 0, 1).x, 0};
    };
    const double top = max_of(eta);
    const auto classes = static_cast<double>(simplex::count_finite(eta));
    const double share = 1 / classes;
    const double all = share + weight / ((1 - share) * (1 - share));  // the x at which p_j = 1/d
    return solve_threshold(eta, curve, simplex::lowest_finite(eta) - all, top - weight, out);
  };
  auto excess = [&](double u) {
    inner(u);
    double least = infinity;
    for (const double p : out) least = std::min(least, 1 - p);
    CompensatedSum sum;  // S (1 − max p), finite at a vertex
    for (const double p : out) sum += p == 1 ? 1 : least / (1 - p);
    return RootSample{least / sum.value() - u, 0};
  };
  // Below this u, 1 − max p would be lost in the rounding of p.
  constexpr double least_u = 1e-10;
  const Root root = find_root(excess, least_u, (d - 1) / (d * d));
  inner(root.x);
  return root.report;
}

void PairwiseSquaredHinge::jvp(std::span<const double> theta, std::span<const double> prediction,
                               std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  if (!costs.empty()) {
    return jvp_by_differences(
        [&](std::span<const double> at, std::span<double> p) { return predict(at, p, scratch); }, theta, v,
        out, scratch);
  }
  // ∇²Ω = d² (diag(w²/(1 − p)) − S w² (w²)ᵀ) with S = Σ 1/(1 − p) and w = 1/(S(1 − p)).
  const Workspace::Frame frame(scratch);
  const auto s = scratch.take<double>(v.size());
  const auto u = scratch.take<double>(v.size());
  const auto d = static_cast<double>(v.size());
  double total = 0;
  for (const double p : prediction) total += 1 / (1 - p);
  if (total == infinity) return std::ranges::fill(out, 0.0), void();  // at a vertex
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double p = prediction[j];
    const double w = 1 / (total * (1 - p));
    s[j] = p > 0 ? (1 - p) / (d * d * w * w) : 0;
    u[j] = p > 0 ? w * w : 0;
  }
  simplex::jvp(s, u, -d * d * total, v, out);
}

std::optional<double> PairwiseSquaredHinge::margin(std::size_t d) const {
  if (!costs.empty()) return pairwise::margin(Kind::squared, costs, d);
  return 0.5 * static_cast<double>(d) * static_cast<double>(d);
}

}  // namespace fenchel
