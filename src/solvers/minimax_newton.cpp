// SPDX-License-Identifier: Apache-2.0
#include "solvers/minimax_newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "solvers/lapack.hpp"

namespace fenchel {
namespace {

constexpr int most_steps =
    40;                      // for all sets together: where functions have kinks, none of them leads anywhere
constexpr int patience = 3;  // steps without a smaller residual before giving a set up
// Steps of differences, relative to x: the square root of what rounding leaves of a gradient.
constexpr double difference = 1e-7;
// What is added to second derivatives, relative to them and to 1: where there are none (along shifts), their
// differences are rounding of that size.
constexpr double least_curvature = 1e-7;
// The longest step, relative to x.
constexpr double farthest = 10;

class NewtonSearch {
 public:
  NewtonSearch(Minimax::Functions functions, std::size_t n, std::size_t m)
      : functions_(functions),
        n_(n),
        values_(m),
        gradients_(m * n),
        trial_values_(m),
        trial_gradients_(m * n),
        p_(m),
        trial_(n),
        hessian_(n * n),
        sum_(n) {}

  std::span<const double> weights() const { return p_; }
  double value() const { return max_of(values_); }
  bool tired() const { return steps_ >= most_steps; }

  /// Searches from x, with these functions at one height, and moves x. The residual, relative to the value.
  double search(std::span<double> x, std::span<const std::size_t> set, double tolerance) {
    std::ranges::fill(p_, 0.0);
    for (const std::size_t i : set) p_[i] = 1 / static_cast<double>(set.size());
    functions_(x, values_, gradients_);
    double best = infinity;
    for (int idle = 0; idle < patience && !tired(); ++steps_) {
      if (!move(x, set)) return infinity;
      const double now = residual(x, set) / std::max(1.0, std::abs(value()));
      if (now <= tolerance) return now;
      idle = now < best ? 0 : idle + 1;
      best = std::min(best, now);
    }
    return infinity;
  }

 private:
  std::span<const double> gradient(std::size_t i) const { return std::span(gradients_).subspan(i * n_, n_); }

  void weighted_gradient(std::span<const double> gradients, std::span<const std::size_t> set,
                         std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    for (const std::size_t i : set) add_scaled(p_[i], gradients.subspan(i * n_, n_), out.data());
  }

  // What the conditions lack; a function above the others or a negative weight counts, too.
  double residual(std::span<const double> x, std::span<const std::size_t> set) {
    weighted_gradient(gradients_, set, sum_);
    double lacking = max_abs(sum_) * std::max(1.0, max_abs(x));
    const double top = value();
    for (const std::size_t i : set)
      lacking = std::max({lacking, std::abs(p_[i]) * (top - values_[i]), -p_[i]});
    return std::isfinite(top) ? std::max(lacking, std::abs(1 - sum_of(p_))) : infinity;
  }

  // Of Σ p_i f_i, by differences of its gradient.
  void second_derivatives(std::span<const double> x, std::span<const std::size_t> set) {
    weighted_gradient(gradients_, set, sum_);
    std::ranges::copy(x, trial_.begin());
    for (std::size_t j = 0; j < n_; ++j) {
      trial_[j] = x[j] + difference * std::max(1.0, std::abs(x[j]));
      const double moved = trial_[j] - x[j];
      functions_(trial_, trial_values_, trial_gradients_);
      trial_[j] = x[j];
      const std::span<double> row = std::span(hessian_).subspan(j * n_, n_);
      weighted_gradient(trial_gradients_, set, row);
      for (std::size_t k = 0; k < n_; ++k) row[k] = (row[k] - sum_[k]) / moved;
    }
  }

  // One step: (∇²L) dx + Σ_i p_i ∇f_i = 0 with the new weights p, Σ p = 1, f_i + ⟨∇f_i, dx⟩ = v.
  bool move(std::span<double> x, std::span<const std::size_t> set) {
    second_derivatives(x, set);
    const std::size_t size = n_ + 1 + set.size();
    system_.assign(size * size, 0);
    solution_.assign(size, 0);
    pivots_.resize(size);
    const auto at = [&](std::size_t row, std::size_t column) -> double& {
      return system_[column * size + row];
    };
    double largest = 1;
    for (std::size_t j = 0; j < n_; ++j) largest = std::max(largest, std::abs(hessian_[j * n_ + j]));
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < n_; ++k) at(j, k) = 0.5 * (hessian_[j * n_ + k] + hessian_[k * n_ + j]);
      at(j, j) += least_curvature * largest;
    }
    for (std::size_t a = 0; a < set.size(); ++a) {
      const std::size_t row = n_ + 1 + a;
      for (std::size_t j = 0; j < n_; ++j) at(j, row) = at(row, j) = gradient(set[a])[j];
      at(n_, row) = at(row, n_) = -1;
      solution_[row] = -values_[set[a]];
    }
    solution_[n_] = -1;
    const int order = static_cast<int>(size), one = 1;
    int info = 0;
    dgesv_(&order, &one, system_.data(), &order, pivots_.data(), solution_.data(), &order, &info);
    if (info != 0 || !std::ranges::all_of(solution_, [](double entry) { return std::isfinite(entry); }))
      return false;
    const double length = max_abs(std::span<const double>(solution_).first(n_));
    const double limit = farthest * std::max(1.0, max_abs(x));
    for (std::size_t j = 0; j < n_; ++j) x[j] += std::min(1.0, limit / length) * solution_[j];
    for (std::size_t a = 0; a < set.size(); ++a) p_[set[a]] = solution_[n_ + 1 + a];
    functions_(x, values_, gradients_);
    return true;
  }

  Minimax::Functions functions_;
  std::size_t n_;
  std::vector<double> values_, gradients_, trial_values_, trial_gradients_;
  std::vector<double> p_, trial_, hessian_, sum_, system_, solution_;
  std::vector<int> pivots_;
  int steps_ = 0;
};

}  // namespace

Minimax::Result newton_minimax(Minimax::Functions functions, std::span<double> x, std::span<double> weights,
                               double tolerance) {
  NewtonSearch newton(functions, x.size(), weights.size());
  std::vector<std::size_t> set(weights.size());
  std::iota(set.begin(), set.end(), std::size_t{0});
  std::vector<double> point(x.size());
  while (!set.empty() && !newton.tired()) {
    std::ranges::copy(x, point.begin());
    if (const double residual = newton.search(point, set, tolerance); residual <= tolerance) {
      std::ranges::copy(point, x.begin());
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::max(newton.weights()[i], 0.0);
      return {newton.value(), {Status::converged, 0, residual}};
    }
    const auto by_weight = [&](std::size_t a, std::size_t b) {
      return newton.weights()[a] < newton.weights()[b];
    };
    set.erase(std::ranges::min_element(set, by_weight));
  }
  return {infinity, {Status::stalled, 0, infinity}};
}

}  // namespace fenchel
