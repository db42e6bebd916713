// SPDX-License-Identifier: Apache-2.0
// The corrective step of the conditional gradient methods: min over the weights w of f(Σ w_i y_i), w in the
// simplex or non-negative. On the simplex the largest weight stands for the constraint: y_i − y_p take the
// place of the y_i.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fenchel/core/numeric.hpp"
#include "solvers/mixture_descent.hpp"

namespace fenchel {
namespace {

constexpr int newton_steps = 200;
constexpr int patience = 10;  // steps that do not halve the gap before giving up at working precision
constexpr double difference_share = 1e-5;  // the step of a difference, relative to the weight …
constexpr double difference_least = 1e-8;  // … but above the rounding of the gradient
constexpr double frozen_weight = 1e-12;    // a smaller weight that wants to fall would block the others
// A pivot below this share of its diagonal is the noise of differences.
constexpr double dependent_share = 1e-6;
constexpr double least_weight = 1e-300;  // of a structure that the line search keeps
constexpr double gap_noise = 4 * machine_epsilon;

class Correction {
 public:
  Correction(MixtureDescent& descent, Workspace& scratch)
      : descent_(descent),
        slopes_(scratch.take<double>(descent.size())),
        change_(scratch.take<double>(descent.size())),
        free_(scratch.take<std::uint32_t>(descent.size())),
        hessian_(scratch.take<double>(descent.size() * descent.size())),
        point_(scratch.take<double>(descent.mu().size())) {}

  // The gap over the active structures: on the simplex Σ w s − min s, s the slopes ⟨∇f, y⟩, else the worst
  // violation of optimality.
  double gap() {
    double smallest = infinity, mean = 0, slack = 0;
    magnitude_ = 0;
    pivot_ = 0;
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      slopes_[i] = descent_.slope(descent_.active(i));
      smallest = std::min(smallest, slopes_[i]);
      mean += descent_.weight(i) * slopes_[i];
      slack += descent_.weight(i) * std::abs(slopes_[i]);
      magnitude_ = std::max(magnitude_, std::abs(slopes_[i]));
      if (descent_.weight(i) > descent_.weight(pivot_)) pivot_ = i;
    }
    return descent_.sums_to_one() ? mean - smallest : std::max(slack, -smallest);
  }
  double noise() const { return gap_noise * magnitude_; }

  // One step of Newton's method; whether it moved.
  bool newton_step() {
    choose_free();
    if (count_ == 0) return false;
    differences();
    factorize();
    solve();
    if (descent_.sums_to_one()) change_[pivot_] = -sum_of(change_.first(descent_.size()));
    return move();
  }

  // Along the two extreme structures on the simplex, else along the worst one.
  bool coordinate_step() {
    std::ranges::fill(change_, 0.0);
    std::size_t best = 0, worst = 0, steepest = 0;
    const auto usable = [&](std::size_t i) { return descent_.weight(i) > frozen_weight || slopes_[i] < 0; };
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      if (slopes_[i] < slopes_[best]) best = i;
      if (slopes_[i] > slopes_[worst] && descent_.weight(i) > frozen_weight) worst = i;
      if (usable(i) && std::abs(slopes_[i]) > std::abs(slopes_[steepest])) steepest = i;
    }
    if (descent_.sums_to_one()) {
      if (best == worst) return false;
      change_[best] = descent_.weight(worst);
      change_[worst] = -descent_.weight(worst);
    } else {
      change_[steepest] = slopes_[steepest] < 0 ? 1 : -descent_.weight(steepest);
    }
    return move();
  }

 private:
  void choose_free() {
    count_ = 0;
    const double level = descent_.sums_to_one() ? slopes_[pivot_] : 0;
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      if (descent_.sums_to_one() && i == pivot_) continue;
      if (descent_.weight(i) <= frozen_weight && slopes_[i] >= level) continue;
      free_[count_++] = static_cast<std::uint32_t>(i);
    }
  }

  double& hessian(std::size_t row, std::size_t column) { return hessian_[row * count_ + column]; }

  // ⟨y_i − y_p, ∇²f (y_j − y_p)⟩ by differences of the gradient along y_j − y_p, which stays within the hull.
  void differences() {
    const bool simplex = descent_.sums_to_one();
    for (std::size_t k = 0; k < count_; ++k) {
      double step = std::max(difference_share * descent_.weight(free_[k]), difference_least);
      if (simplex) step = std::min(step, 0.5 * descent_.weight(pivot_));
      std::ranges::copy(descent_.mu(), point_.begin());
      add(descent_.active(free_[k]), step, point_);
      if (simplex) add(descent_.active(pivot_), -step, point_);
      const auto gradient = descent_.gradient_at(point_);
      const double base = simplex ? dot(descent_.active(pivot_), gradient) - slopes_[pivot_] : 0;
      for (std::size_t i = 0; i < count_; ++i) {
        const double change = dot(descent_.active(free_[i]), gradient) - slopes_[free_[i]];
        hessian(i, k) = (change - base) / step;
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < i; ++k) hessian(i, k) = 0.5 * (hessian(i, k) + hessian(k, i));
    }
  }

  // Cholesky's factor in the lower triangle; what depends on others gets an infinite pivot, so it does not
  // move.
  void factorize() {
    for (std::size_t i = 0; i < count_; ++i) {
      const double diagonal = hessian(i, i);
      for (std::size_t k = 0; k <= i; ++k) {
        double sum = hessian(i, k);
        for (std::size_t l = 0; l < k; ++l) sum -= hessian(i, l) * hessian(k, l);
        if (k < i) {
          hessian(i, k) = sum / hessian(k, k);
        } else {
          hessian(i, i) = sum > dependent_share * diagonal && std::isfinite(sum) ? std::sqrt(sum) : infinity;
        }
      }
      if (hessian(i, i) == infinity) std::fill_n(&hessian(i, 0), i, 0.0);
    }
  }

  void solve() {
    std::ranges::fill(change_, 0.0);
    const double level = descent_.sums_to_one() ? slopes_[pivot_] : 0;
    for (std::size_t i = 0; i < count_; ++i) {
      double sum = level - slopes_[free_[i]];
      for (std::size_t k = 0; k < i; ++k) sum -= hessian(i, k) * change_[free_[k]];
      change_[free_[i]] = sum / hessian(i, i);
    }
    for (std::size_t i = count_; i-- > 0;) {
      double sum = change_[free_[i]];
      for (std::size_t k = i + 1; k < count_; ++k) sum -= hessian(k, i) * change_[free_[k]];
      change_[free_[i]] = sum / hessian(i, i);
    }
  }

  // As far along `change_` as pays, at most to where a weight is zero.
  bool move() {
    double limit = infinity;
    std::size_t blocking = descent_.size();
    const auto direction = descent_.direction();
    std::ranges::fill(direction, 0.0);
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      if (change_[i] < 0 && descent_.weight(i) < -change_[i] * limit) {
        limit = -descent_.weight(i) / change_[i];
        blocking = i;
      }
      if (change_[i] != 0) add(descent_.active(i), change_[i], direction);
    }
    const double step = descent_.exact_step(std::min(1.0, limit), limit);
    if (!(step > 0)) return false;
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      const double moved = descent_.weight(i) + step * change_[i];
      descent_.weight(i) = i == blocking && step == limit ? 0 : std::max(moved, least_weight);
    }
    descent_.refresh();
    return true;
  }

  MixtureDescent& descent_;
  std::span<double> slopes_, change_;
  std::span<std::uint32_t> free_;
  std::span<double> hessian_, point_;
  double magnitude_ = 0;
  std::size_t pivot_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

void correct_weights(MixtureDescent& descent, double tolerance, Workspace& scratch) {
  if (descent.size() == 0) return;
  const Workspace::Frame frame(scratch);
  Correction correction(descent, scratch);
  double best = infinity;
  int stale = 0;
  for (int step = 0; step < newton_steps && descent.size() > 0 && descent.sound(); ++step) {
    const double gap = correction.gap();
    if (gap <= tolerance + correction.noise()) return;
    stale = gap <= 0.5 * best ? 0 : stale + 1;
    best = std::min(best, gap);
    if (stale > patience) return;
    const bool moved = correction.newton_step();
    if (moved && stale == 0) continue;
    if (descent.size() == 0) return;
    correction.gap();
    if (!correction.coordinate_step() && !moved) return;
  }
}

}  // namespace fenchel
