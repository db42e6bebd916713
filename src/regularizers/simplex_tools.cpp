// SPDX-License-Identifier: Apache-2.0
#include "regularizers/simplex_tools.hpp"

#include <algorithm>
#include <functional>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/projections.hpp"
#include "solvers/threshold.hpp"

namespace fenchel::simplex {

void project(std::span<const double> x, std::span<double> out) {
  if (x.data() != out.data()) std::ranges::copy(x, out.begin());
  project_simplex(out);
}

Traits inherited(const Traits& traits, const Traits& entropy) {
  Traits refined = traits;
  refined.convex = entropy.convex;
  refined.strictly_convex = entropy.strictly_convex;
  refined.strongly_convex = entropy.strongly_convex;
  refined.sparse = entropy.sparse;
  refined.zero_at_vertices = entropy.zero_at_vertices;
  refined.legendre = entropy.legendre;
  refined.differentiable = entropy.differentiable;
  refined.attained = entropy.attained;
  refined.predict_by_search = entropy.predict_by_search;
  refined.jvp_by_differences = entropy.jvp_by_differences;
  return refined;
}

std::size_t count_finite(std::span<const double> theta) {
  return static_cast<std::size_t>(
      std::ranges::count_if(theta, [](double score) { return score != -infinity; }));
}

double lowest_finite(std::span<const double> theta) {
  double bottom = infinity;
  for (const double score : theta) bottom = score == -infinity ? bottom : std::min(bottom, score);
  return bottom;
}

void predict_uniform_top(std::span<const double> theta, FunctionRef<double(double, std::size_t)> objective,
                         std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto sorted = scratch.take<double>(theta.size());
  std::ranges::copy(theta, sorted.begin());
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0;
  double best = -infinity;
  std::size_t best_count = 1;
  for (std::size_t k = 1; k <= sorted.size() && sorted[k - 1] != -infinity; ++k) {
    sum += sorted[k - 1];
    const double candidate = objective(sum, k);
    if (candidate > best) {
      best = candidate;
      best_count = k;
    }
  }
  // Ties at the boundary go to the lowest indices.
  const double cut = sorted[best_count - 1];
  std::size_t at_cut = best_count - static_cast<std::size_t>(std::ranges::count_if(
                                        theta, [&](double score) { return score > cut; }));
  const double share = 1 / static_cast<double>(best_count);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const bool tied = theta[j] == cut && at_cut > 0;
    out[j] = theta[j] > cut || tied ? share : 0;
    if (tied) --at_cut;
  }
}

void prox_of_max(std::span<const double> eta, double tau, std::span<double> out) {
  // Stationarity: p_j = clip(η_j − ν, 0, M), Σ p_j = 1, and the caps together absorb the weight of the max:
  // Σ [η_j − ν − M]₊ = τ. For a cap M the sum condition gives ν; the second condition falls as M grows.
  const double top = max_of(eta);
  const auto count = static_cast<double>(count_finite(eta));
  const double bottom = lowest_finite(eta);
  auto threshold = [&](double cap) {
    auto curve = [&](double x) { return RootSample{std::clamp(x, 0.0, cap), x > 0 && x < cap ? 1.0 : 0.0}; };
    return solve_threshold(eta, curve, bottom - cap, top, out);
  };
  auto surplus = [&](double cap) {
    const double nu = threshold(cap).x;
    double total = -tau;
    for (const double entry : eta) total += std::max(entry - nu - cap, 0.0);
    return RootSample{total, 0};
  };
  const double uniform = 1 / count;
  threshold(find_root(surplus, uniform, 1).x);
}

void jvp(std::span<const double> s, std::span<const double> u, double weight, std::span<const double> v,
         std::span<double> out) {
  // dp = s ∘ (v − weight·c·u − t·1) with c = ⟨u, dp⟩ and Σ dp = 0: two equations in c and t.
  double s_sum = 0, su = 0, suu = 0, sv = 0, suv = 0;
  for (std::size_t j = 0; j < s.size(); ++j) {
    if (s[j] == 0) continue;
    s_sum += s[j];
    sv += s[j] * v[j];
    if (weight == 0) continue;
    su += s[j] * u[j];
    suu += s[j] * u[j] * u[j];
    suv += s[j] * u[j] * v[j];
  }
  double c = 0;
  double t = s_sum > 0 ? sv / s_sum : 0;
  if (weight != 0 && s_sum > 0) {
    const double centred = suu - su * su / s_sum;  // eliminates t from the first equation
    c = (suv - su * sv / s_sum) / (1 + weight * centred);
    t = (sv - weight * c * su) / s_sum;
  }
  for (std::size_t j = 0; j < s.size(); ++j) {
    out[j] = s[j] == 0 ? 0 : s[j] * (v[j] - (weight != 0 ? weight * c * u[j] : 0) - t);
  }
}

void jvp(std::span<const double> s, std::span<const double> v, std::span<double> out) {
  jvp(s, {}, 0, v, out);
}

}  // namespace fenchel::simplex
