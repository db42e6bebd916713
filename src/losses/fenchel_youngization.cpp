// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/fenchel_youngization.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/lbfgs_minimizer.hpp"

namespace fenchel {
namespace {

constexpr double first_radius = 8;      // of the box that cutting planes search, around the best point so far
constexpr double largest_radius = 1e6;  // beyond: the infimum is at infinity
constexpr int most_cuts = 400;
constexpr double start_size = 2;  // θ = 2 e_k: far enough for a zero-one loss, near enough for the others

using Function = FunctionRef<double(std::span<const double>, std::span<double>)>;

// f(x) = x_i, the objective of a linear programme in which one variable is the value.
struct Coordinate {
  std::size_t i;
  double sign;

  void operator()(std::span<const double>, std::span<double> slope, std::span<double> hessian) const {
    std::ranges::fill(hessian, 0.0);
    std::ranges::fill(slope, 0.0);
    slope[i] = sign;
  }
};

// The piecewise-linear model max_c offset_c + ⟨slope_c, x⟩ of a convex function.
struct Cuts {
  std::size_t n;
  std::vector<double> slopes;  // one row a cut
  std::vector<double> offsets;

  // The minimum of the model over the box of the given radius around x, which goes to `argmin`.
  double minimize(std::span<const double> x, double radius, std::span<double> argmin) const {
    // Variables: x, the value z, and one more that the equality constraint holds at 1.
    const std::size_t size = n + 2;
    const Coordinate objective{n, 1};
    ConvexProgram program{objective, {}, {}, std::vector<double>(size, 0.0)};
    program.equality[n + 1] = 1;
    std::vector<double> point(x.begin(), x.end());
    double highest = -infinity;
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      double at_x = offsets[c];
      for (std::size_t j = 0; j < n; ++j) {
        program.inequality.push_back(slopes[c * n + j]);
        at_x += slopes[c * n + j] * x[j];
      }
      program.inequality.insert(program.inequality.end(), {-1.0, 0.0});
      program.bound.push_back(-offsets[c]);
      highest = std::max(highest, at_x);
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> row(size, 0.0);
        row[j] = sign;
        program.inequality.insert(program.inequality.end(), row.begin(), row.end());
        program.bound.push_back(sign * x[j] + radius);
      }
    }
    point.insert(point.end(), {highest + 1, 1.0});
    std::vector<double> multipliers(program.bound.size());
    InteriorPoint{.tolerance = 1e-12}.minimize(program, point, multipliers);
    std::copy_n(point.begin(), n, argmin.begin());
    return point[n];
  }
};

// Minimises a convex f by Kelley's method in boxes around the best point; exact for piecewise linear f.
Report minimize_by_cuts(Function f, std::span<double> x, double& best, double tolerance) {
  const std::size_t n = x.size();
  std::vector<double> gradient(n), trial(n);
  Cuts cuts{n, {}, {}};
  auto evaluate = [&](std::span<const double> at) {
    const double value = f(at, gradient);
    double offset = value;
    for (std::size_t j = 0; j < n; ++j) offset -= gradient[j] * at[j];
    cuts.slopes.insert(cuts.slopes.end(), gradient.begin(), gradient.end());
    cuts.offsets.push_back(offset);
    return value;
  };
  best = evaluate(x);
  double radius = first_radius;
  for (int iteration = 1; iteration <= most_cuts; ++iteration) {
    const double model = cuts.minimize(x, radius, trial);
    if (best - model <= tolerance * std::max(1.0, std::abs(best))) {
      double reach = 0;
      for (std::size_t j = 0; j < n; ++j) reach = std::max(reach, std::abs(trial[j] - x[j]));
      const bool inside = reach < 0.99 * radius;
      if (inside || radius >= largest_radius) return {Status::converged, iteration, best - model};
      radius *= 8;  // the minimum is on the border of the box: look farther
      continue;
    }
    const double value = evaluate(trial);
    if (value < best) {
      best = value;
      std::ranges::copy(trial, x.begin());
    }
  }
  return {Status::max_iterations, most_cuts, infinity};
}

void centre(std::span<double> values) {
  const double mean = sum_of(values) / static_cast<double>(values.size());
  for (double& entry : values) entry -= mean;
}

// The best of L-BFGS from several starts, finished by cutting planes where it stalled on a kink.
FenchelYoungized::Entropy minimize(Function f, std::size_t d, double tolerance) {
  FenchelYoungized::Entropy best{infinity, std::vector<double>(d, 0.0), {}};
  std::vector<double> x(d), gradient(d);
  for (std::size_t start = 0; start <= d; ++start) {
    std::ranges::fill(x, 0.0);
    if (start < d) x[start] = start_size;
    const Report report = LbfgsMinimizer{.max_iterations = 500}.minimize(f, x, thread_workspace());
    const double value = f(x, gradient);
    if (value < best.value) best = {value, x, report};
  }
  if (!best.report.converged()) {
    double value = best.value;
    best.report = minimize_by_cuts(f, best.theta, value, tolerance);
    best.value = std::min(best.value, value);
  }
  return best;
}

// Σ_{j ≠ k} φ(θ_j − θ_k), or without θ_k.
LabelLoss sum_over_others(MarginFunction phi, bool pairwise) {
  return [phi = std::move(phi), pairwise](std::span<const double> theta, std::size_t k,
                                          std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    double total = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      if (j == k) continue;
      const auto [value, slope] = phi(pairwise ? theta[j] - theta[k] : theta[j]);
      total += value;
      if (gradient.empty()) continue;
      gradient[j] += slope;
      if (pairwise) gradient[k] -= slope;
    }
    return total;
  };
}

}  // namespace

void FenchelYoungized::check() const {
  if (!loss) throw std::invalid_argument("fenchel_youngized: loss must be set");
}

FenchelYoungized::Entropy FenchelYoungized::entropy(std::span<const double> p) const {
  const std::size_t d = p.size();
  std::vector<double> partial(d), at(d);
  auto risk = [&](std::span<const double> theta, std::span<double> gradient) {
    std::ranges::copy(theta, at.begin());
    if (sum_to_zero) centre(at);
    std::ranges::fill(gradient, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < d; ++i) {
      if (p[i] <= 0) continue;
      total += p[i] * loss(at, i, partial);
      for (std::size_t j = 0; j < d; ++j) gradient[j] += p[i] * partial[j];
    }
    if (sum_to_zero) centre(gradient);
    return total;
  };
  Entropy result = minimize(risk, d, tolerance);
  if (sum_to_zero) centre(result.theta);
  return result;
}

void FenchelYoungized::gradient(std::span<const double> p, std::span<double> out) const {
  const Entropy at = entropy(p);
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = -loss(at.theta, i, {});
}

Report FenchelYoungized::predict(std::span<const double> theta, std::span<double> out, Workspace&) const {
  // Among the unmasked classes: maximise z subject to z ≤ ⟨θ + ℓ(θ_c; ·), p⟩ for the minimisers θ_c found so
  // far.
  std::vector<std::size_t> active;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if (theta[j] != -infinity) active.push_back(j);
  }
  const std::size_t a = active.size();
  std::vector<double> p(theta.size(), 0.0), best(theta.size(), 0.0), cut(a), point;
  std::vector<std::vector<double>> cuts;
  double lower = -infinity;
  for (const std::size_t j : active) p[j] = 1 / static_cast<double>(a);
  for (int iteration = 1; iteration <= most_cuts; ++iteration) {
    const Entropy at = entropy(p);
    const double objective = dot_masked(theta, p) + at.value;
    if (objective > lower) {
      lower = objective;
      best = p;
    }
    for (std::size_t i = 0; i < a; ++i) cut[i] = theta[active[i]] + loss(at.theta, active[i], {});
    cuts.push_back(cut);
    const Coordinate objective_value{a, -1};
    ConvexProgram program{objective_value, {}, {}, std::vector<double>(a + 1, 1.0)};
    program.equality[a] = 0;
    point.assign(a + 1, 1 / static_cast<double>(a));
    point[a] = infinity;
    for (const auto& row : cuts) {
      for (const double entry : row) program.inequality.push_back(-entry);
      program.inequality.push_back(1);
      program.bound.push_back(0);
      point[a] = std::min(point[a], sum_of(row) / static_cast<double>(a) - 1);
    }
    for (std::size_t i = 0; i < a; ++i) {
      std::vector<double> row(a + 1, 0.0);
      row[i] = -1;
      program.inequality.insert(program.inequality.end(), row.begin(), row.end());
      program.bound.push_back(0);
    }
    std::vector<double> multipliers(program.bound.size());
    InteriorPoint{.tolerance = 1e-12}.minimize(program, point, multipliers);
    double sum = 0;
    for (std::size_t i = 0; i < a; ++i) {
      if (point[i] < multipliers[cuts.size() + i]) point[i] = 0;
      sum += point[i];
    }
    for (std::size_t i = 0; i < a; ++i) p[active[i]] = point[i] / sum;
    const double gap = point[a] - lower;
    if (gap <= tolerance * std::max(1.0, std::abs(lower)) || iteration == most_cuts) {
      std::ranges::copy(best, out.begin());
      return {iteration == most_cuts ? Status::max_iterations : Status::converged, iteration, gap};
    }
  }
  return {};
}

double FenchelYoungized::upper_bound(std::span<const double> theta, std::size_t k) const {
  check_finite("theta", theta);
  check_label("k", static_cast<std::int64_t>(k), theta.size());
  const std::size_t d = theta.size();
  std::vector<double> partial(d), at(d);
  auto worst_case = [&](std::span<const double> point, std::span<double> gradient) {
    std::ranges::copy(point, at.begin());
    if (sum_to_zero) centre(at);
    double highest = -infinity;
    for (std::size_t i = 0; i < d; ++i) {
      const double value = loss(at, i, partial) + theta[i] - theta[k];
      if (value <= highest) continue;
      highest = value;
      std::ranges::copy(partial, gradient.begin());
    }
    if (sum_to_zero) centre(gradient);
    return highest;
  };
  return minimize(worst_case, d, tolerance).value;
}

LabelLoss zero_one_loss() {
  return [](std::span<const double> theta, std::size_t k, std::span<double> gradient) {
    std::ranges::fill(gradient, 0.0);
    return theta[k] == max_of(theta) && std::ranges::count(theta, theta[k]) == 1 ? 0.0 : 1.0;
  };
}

MarginFunction hinge_function() {
  return [](double t) { return t > -1 ? std::pair{1 + t, 1.0} : std::pair{0.0, 0.0}; };
}

MarginFunction smoothed_hinge_function() {
  return [](double t) {
    if (t <= -1) return std::pair{0.0, 0.0};
    return t >= 0 ? std::pair{t + 0.5, 1.0} : std::pair{0.5 * (1 + t) * (1 + t), 1 + t};
  };
}

MarginFunction squared_hinge_function() {
  return [](double t) { return t > -1 ? std::pair{0.5 * (1 + t) * (1 + t), 1 + t} : std::pair{0.0, 0.0}; };
}

LabelLoss pairwise_loss(MarginFunction phi) { return sum_over_others(std::move(phi), true); }

LabelLoss one_sided_loss(MarginFunction phi) { return sum_over_others(std::move(phi), false); }

}  // namespace fenchel
