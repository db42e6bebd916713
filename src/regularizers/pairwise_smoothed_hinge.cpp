// SPDX-License-Identifier: Apache-2.0
// The smoothed pairwise hinge of pairwise_hinge.hpp.
#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/pairwise_hinge.hpp"
#include "regularizers/pairwise_costs.hpp"
#include "regularizers/pairwise_tools.hpp"
#include "regularizers/simplex_tools.hpp"
#include "solvers/threshold.hpp"

namespace fenchel {

using pairwise::Kind;

double PairwiseSmoothedHinge::value(std::span<const double> p) const {
  if (!costs.empty()) return pairwise::value(Kind::smoothed, costs, p);
  const double top = max_of(p);
  const double sum = pairwise::sum_of_ratios(p, top);
  return (1 - top) * (0.5 * sum - static_cast<double>(p.size()));
}

Report PairwiseSmoothedHinge::predict(std::span<const double> theta, std::span<double> out,
                                      Workspace& scratch) const {
  if (!costs.empty()) return pairwise::predict(Kind::smoothed, costs, theta, out);
  const auto d = static_cast<double>(theta.size());
  if (pairwise::top_gap(theta) >= d - 0.5) {
    Argmax{}.predict(theta, out, scratch);
    return {};
  }
  const Workspace::Frame frame(scratch);
  const auto scores = pairwise::relative_scores(theta, scratch);
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
  const double sum = pairwise::sum_of_ratios(p, top);
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double r = pairwise::ratio(p[j], top);
    out[j] = 0.5 * r * r + (p[j] == top ? (static_cast<double>(p.size()) - sum) / ties : 0);
  }
}

Report PairwiseSmoothedHinge::prox(std::span<const double> eta, double tau, std::span<double> out,
                                   Workspace& scratch) const {
  if (!costs.empty()) return pairwise::prox(Kind::smoothed, costs, eta, tau, out);
  if (tau == 0 || eta.size() == 1) return Argmax{}.prox(eta, tau, out, scratch);
  // As predict, with p_j added to the slope: for a fixed t, p_j + τt²/(2(1 − p_j)²) = η_j − ν between 0
  // and 1 − t.
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

}  // namespace fenchel
