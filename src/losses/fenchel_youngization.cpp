// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/fenchel_youngization.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/minimax.hpp"

namespace fenchel {
namespace {

constexpr int attempts = 4;  // at a saddle point, before giving up on ℓ being convex
constexpr int most_cuts = 100;
constexpr double rounding = 1e-13;  // of entropies, relative
constexpr double start_size = 2;    // s = 2 e_k: far enough for a zero-one loss, near enough for the others

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

void centre(std::span<double> values) {
  const double mean = sum_of(values) / static_cast<double>(values.size());
  for (double& entry : values) entry -= mean;
}

// The two players of max_p min_s Σ_i p_i (θ_i + ℓ(s; e_i)) in d classes.
class Game {
 public:
  Game(const FenchelYoungized& omega, std::size_t d) : omega_(omega), d_(d), at_(d), partial_(d) {}

  std::size_t classes() const { return d_; }

  // ℓ(s; e_i) for one i, with its gradient in `slope`.
  double loss(std::span<const double> s, std::size_t i, std::span<double> slope) {
    std::ranges::copy(s, at_.begin());
    if (omega_.sum_to_zero) centre(at_);
    const double value = omega_.loss(at_, i, slope);
    if (omega_.sum_to_zero && !slope.empty()) centre(slope);
    return value;
  }

  // min_s max_i θ_i + ℓ(s; e_i) over the classes that are not masked, from s; p are its multipliers.
  Minimax::Result minimax(std::span<const double> theta, std::span<double> s, std::span<double> p) {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < d_; ++i) {
      if (theta[i] != -infinity) active.push_back(i);
    }
    const auto functions = [&](std::span<const double> x, std::span<double> values,
                               std::span<double> slopes) {
      for (std::size_t a = 0; a < active.size(); ++a) {
        values[a] = theta[active[a]] + loss(x, active[a], slopes.subspan(a * d_, d_));
      }
    };
    std::vector<double> weights(active.size());
    const Minimax::Result result = Minimax{}.minimize(functions, s, weights);
    std::ranges::fill(p, 0.0);
    for (std::size_t a = 0; a < active.size(); ++a) p[active[a]] = weights[a];
    return result;
  }

  // H_ℓ(p), from `guess` (unless it is empty) and, as ℓ may not be convex, from points where each class wins.
  FenchelYoungized::Entropy entropy(std::span<const double> p, std::span<const double> guess) {
    FenchelYoungized::Entropy best{infinity, std::vector<double>(d_, 0.0), {Status::diverged, 0, infinity}};
    const auto risk = [&](std::span<const double> x, std::span<double> value, std::span<double> slope) {
      std::ranges::fill(slope, 0.0);
      value[0] = 0;
      for (std::size_t i = 0; i < d_; ++i) {
        if (p[i] <= 0) continue;
        value[0] += p[i] * loss(x, i, partial_);
        add_scaled(p[i], partial_, slope.data());
      }
    };
    const auto try_from = [&](std::span<double> s) {
      double weight = 0;
      const Minimax::Result result = Minimax{}.minimize(risk, s, {&weight, 1});
      // What a converged search has found is not given up for less than rounding.
      const double margin = rounding * std::max(1.0, std::abs(result.value));
      const int proven = int{result.report.converged()} - int{best.report.converged()};
      if (result.value < best.value + proven * margin) {
        best = {result.value, {s.begin(), s.end()}, result.report};
      }
      return best.report;
    };
    std::vector<double> s(guess.begin(), guess.end());
    if (guess.empty() || !enough(try_from(s))) for_each_start(try_from);
    if (omega_.sum_to_zero) centre(best.theta);
    return best;
  }

  // Calls f with starting points that it may change, until its report is enough.
  template <class F>
  void for_each_start(F&& f) {
    std::vector<double> s(d_);
    for (std::size_t start = 0; start <= d_; ++start) {
      std::ranges::fill(s, 0.0);
      if (start > 0) s[start - 1] = start_size;
      if (enough(f(std::span<double>(s)))) return;
    }
  }

 private:
  // A minimum of a convex function is one wherever the search began.
  bool enough(const Report& report) const { return omega_.convex && report.converged(); }

  const FenchelYoungized& omega_;
  std::size_t d_;
  std::vector<double> at_, partial_;
};

// max_p ⟨θ, p⟩ + H_ℓ(p) where ℓ is not convex: each p with its minimiser s bounds the maximum over all p by
// that of the linear Σ_i p_i (θ_i + ℓ(s; e_i)).
class CuttingPlanes {
 public:
  CuttingPlanes(Game& game, std::span<const double> theta, double tolerance)
      : game_(game), theta_(theta), tolerance_(tolerance) {
    for (std::size_t i = 0; i < theta.size(); ++i) {
      if (theta[i] != -infinity) active_.push_back(i);
    }
  }

  // From p = out, whose entropy is `at`.
  Report maximize(FenchelYoungized::Entropy at, std::span<double> out) {
    std::vector<double> p(out.begin(), out.end());
    double lower = -infinity, gap = infinity;
    for (int iteration = 1; iteration <= most_cuts; ++iteration) {
      const double value = dot_masked(theta_, p) + at.value;
      if (value > lower) {
        lower = value;
        std::ranges::copy(p, out.begin());
      }
      gap = std::abs(cut(at.theta, p) - lower) + (at.report.converged() ? 0 : at.report.residual);
      if (gap <= tolerance_ * std::max(1.0, std::abs(lower))) return {Status::converged, iteration, gap};
      at = game_.entropy(p, {});
    }
    return {Status::max_iterations, most_cuts, gap};
  }

 private:
  // Adds the cut of s; moves p to the maximum under all cuts and returns it.
  double cut(std::span<const double> s, std::span<double> p) {
    const std::size_t a = active_.size();
    for (const std::size_t i : active_) cuts_.push_back(theta_[i] + game_.loss(s, i, {}));
    const std::size_t count = cuts_.size() / a;
    const Coordinate objective{a, -1};
    ConvexProgram program{objective, {}, {}, std::vector<double>(a + 1, 1.0)};
    program.equality[a] = 0;
    std::vector<double> point(a + 1, 1 / static_cast<double>(a)), row(a + 1);
    point[a] = infinity;
    for (std::size_t c = 0; c < count; ++c) {
      const auto slopes = std::span<const double>(cuts_).subspan(c * a, a);
      for (const double entry : slopes) program.inequality.push_back(-entry);
      program.inequality.push_back(1);
      point[a] = std::min(point[a], sum_of(slopes) / static_cast<double>(a) - 1);
    }
    for (std::size_t i = 0; i < a; ++i) {
      std::ranges::fill(row, 0.0);
      row[i] = -1;
      program.inequality.insert(program.inequality.end(), row.begin(), row.end());
    }
    program.bound.assign(count + a, 0.0);
    std::vector<double> multipliers(program.bound.size());
    InteriorPoint{.tolerance = 1e-12}.minimize(program, point, multipliers);
    double sum = 0;
    for (std::size_t i = 0; i < a; ++i) {
      if (point[i] < multipliers[count + i]) point[i] = 0;
      sum += point[i];
    }
    std::ranges::fill(p, 0.0);
    for (std::size_t i = 0; i < a; ++i) p[active_[i]] = point[i] / sum;
    return point[a];
  }

  Game& game_;
  std::span<const double> theta_;
  double tolerance_;
  std::vector<std::size_t> active_;
  std::vector<double> cuts_;  // one row per cut
};

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
  return Game(*this, p.size()).entropy(p, {});
}

operations::SolvedValue FenchelYoungized::solve_value(std::span<const double> p) const {
  const Entropy at = entropy(p);
  return {-at.value, at.report};
}

void FenchelYoungized::gradient(std::span<const double> p, std::span<double> out) const {
  const Entropy at = entropy(p);
  for (std::size_t i = 0; i < p.size(); ++i) out[i] = -loss(at.theta, i, {});
}

Report FenchelYoungized::predict(std::span<const double> theta, std::span<double> out, Workspace&) const {
  Game game(*this, theta.size());
  std::vector<double> s(theta.size(), 0.0);
  Entropy at;
  Report report{Status::stalled, 0, infinity};
  std::vector<double> p(theta.size());
  for (int attempt = 0; attempt < attempts; ++attempt) {  // again from s, in a fresh metric
    const Minimax::Result saddle = game.minimax(theta, s, p);
    at = game.entropy(p, s);
    const double lower = dot_masked(theta, p) + at.value;
    // Upper and lower bound have to meet: a lower bound above the upper one is an entropy that was not found.
    const double gap = std::abs(saddle.value - lower) + (at.report.converged() ? 0 : at.report.residual);
    report.iterations += saddle.report.iterations;
    if (!(gap < report.residual)) continue;
    report.residual = gap;
    std::ranges::copy(p, out.begin());
    if (gap > tolerance * std::max(1.0, std::abs(lower))) continue;
    report.status = Status::converged;
    return report;
  }
  if (convex && std::isfinite(report.residual)) return report;
  std::ranges::copy(p, out.begin());
  return CuttingPlanes(game, theta, tolerance).maximize(at, out);
}

double FenchelYoungized::upper_bound(std::span<const double> theta, std::size_t k) const {
  check_finite("theta", theta);
  check_label("k", static_cast<std::int64_t>(k), theta.size());
  Game game(*this, theta.size());
  std::vector<double> p(theta.size());
  double lowest = infinity;
  game.for_each_start([&](std::span<double> s) {
    const Minimax::Result found = game.minimax(theta, s, p);
    lowest = std::min(lowest, found.value);
    return found.report;
  });
  return lowest - theta[k];
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
