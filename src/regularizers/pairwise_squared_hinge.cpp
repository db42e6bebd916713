// SPDX-License-Identifier: Apache-2.0
// The squared pairwise hinge of pairwise_hinge.hpp.
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

double PairwiseSquaredHinge::value(std::span<const double> p) const {
  if (!costs.empty()) return pairwise::value(Kind::squared, costs, p);
  const double top = max_of(p);
  const double sum = pairwise::sum_of_ratios(p, top);  // (1 − max p) Σ 1/(1 − p_j), finite at the vertices
  const auto d = static_cast<double>(p.size());
  return -0.5 * d * d * (1 - top) / sum;
}

Report PairwiseSquaredHinge::predict(std::span<const double> theta, std::span<double> out,
                                     Workspace& scratch) const {
  if (!costs.empty()) return pairwise::predict(Kind::squared, costs, theta, out);
  const auto d = static_cast<double>(theta.size());
  if (pairwise::top_gap(theta) >= 0.5 * d * d) {
    Argmax{}.predict(theta, out, scratch);
    return {};
  }
  const Workspace::Frame frame(scratch);
  const auto scores = pairwise::relative_scores(theta, scratch);
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
  const double sum = pairwise::sum_of_ratios(p, top);
  const auto d = static_cast<double>(p.size());
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double w = pairwise::ratio(p[j], top) / sum;
    out[j] = 0.5 * d * d * w * w;
  }
}

Report PairwiseSquaredHinge::prox(std::span<const double> eta, double tau, std::span<double> out,
                                  Workspace& scratch) const {
  if (!costs.empty()) return pairwise::prox(Kind::squared, costs, eta, tau, out);
  const auto d = static_cast<double>(eta.size());
  constexpr double negligible = 1e-20;  // as a slope (at most τd²/2), beside the rounding of a probability
  if (tau * d * d < negligible || eta.size() == 1 || pairwise::top_gap(eta) >= 1 + 0.5 * tau * d * d) {
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
