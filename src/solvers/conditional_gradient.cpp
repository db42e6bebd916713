// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/conditional_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "solvers/mixture_descent.hpp"

namespace fenchel {
namespace {

constexpr double gap_noise =
    4 * machine_epsilon;                  // rounding of the gap, as a share of the magnitude of its terms
constexpr double correction_share = 0.1;  // of the tolerance, for the weights of a corrective step
constexpr double idle_weight = machine_epsilon;  // moving less weight than this gains nothing
constexpr int patience = 20;                     // iterations that do not move before giving up

class Solve {
 public:
  Solve(const ConditionalGradient& options, ConditionalGradient::ValueAndGradient f, MapOracle map,
        bool simplex, Mixture& mixture, std::span<double> mu, Workspace& scratch)
      : options_(options),
        map_(map),
        scratch_(scratch),
        descent_(f, simplex, mixture, mu, scratch),
        scores_(scratch.take<double>(mu.size())),
        curvature_(options.curvature) {}

  Report run() {
    Report report{Status::stalled, 0, infinity};
    if (start()) loop(report);
    report.iterations = calls_;
    return report;
  }

 private:
  bool simplex() const { return descent_.sums_to_one(); }

  // The best structure at the current gradient; false if there is none or something is not a number.
  bool ask() {
    const auto gradient = descent_.gradient();
    for (std::size_t j = 0; j < gradient.size(); ++j) scores_[j] = -gradient[j];
    ++calls_;
    return std::isfinite(map_(scores_, descent_.candidate()));
  }

  // A first point where f is finite: the guess without masked structures, or the oracle's answers to the
  // gradient at zero and on, in equal shares, until they cover f's domain.
  bool start() {
    descent_.refresh();
    for (std::size_t i = descent_.size(); i-- > 0;) {
      if (descent_.slope(descent_.active(i)) == infinity) descent_.remove(i);
    }
    descent_.refresh();
    if (!simplex() && descent_.size() == 0) return descent_.sound();
    while (descent_.size() == 0 || !(descent_.value() < infinity)) {
      const std::size_t before = descent_.size();
      if (!descent_.sound() || calls_ >= options_.max_iterations || !ask()) return false;
      descent_.admit();
      if (descent_.size() == before) return false;
      for (std::size_t i = 0; i <= before; ++i) descent_.weight(i) = 1;
      descent_.refresh();
    }
    return descent_.sound();
  }

  void loop(Report& report) {
    int still = 0;
    double best = infinity;
    while (calls_ < options_.max_iterations) {
      if (!descent_.sound() || !ask()) return;
      const auto [residual, noise] = simplex() ? hull_residual() : cone_residual();
      report.residual = residual;
      if (residual <= options_.tolerance + noise) {
        report.status = Status::converged;
        return;
      }
      if (calls_ >= options_.max_iterations) break;
      const double before = descent_.value();
      if (simplex()) {
        hull_step();
      } else {
        cone_step();
      }
      if (options_.variant == ConditionalGradientVariant::fully_corrective) {
        correct_weights(descent_, correction_share * options_.tolerance, scratch_);
      }
      still = descent_.value() < before || residual < best ? 0 : still + 1;
      best = std::min(best, residual);
      if (still > patience) return;
    }
    report.status = Status::max_iterations;
  }

  // max over Y of ⟨−∇f, y − μ⟩, summed so that what y and μ share cancels, and its rounding error.
  std::pair<double, double> hull_residual() {
    towards_candidate();
    double sum = 0, magnitude = 0;
    const auto direction = descent_.direction();
    for (std::size_t j = 0; j < direction.size(); ++j) {
      if (direction[j] == 0) continue;
      sum += scores_[j] * direction[j];
      magnitude += std::abs(scores_[j] * direction[j]);
    }
    return {std::max(sum, 0.0), gap_noise * magnitude};
  }

  std::pair<double, double> cone_residual() {
    double slack = 0;
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      slack += descent_.weight(i) * std::abs(descent_.slope(descent_.active(i)));
    }
    const double violation = -descent_.slope(descent_.candidate());
    return {std::max({violation, slack, 0.0}), 0.0};
  }

  // direction = y − μ.
  void towards_candidate() {
    const auto direction = descent_.direction();
    const auto mu = descent_.mu();
    for (std::size_t j = 0; j < mu.size(); ++j) direction[j] = -mu[j];
    add(descent_.candidate(), 1, direction);
  }

  // The active structure with the largest ⟨∇f, a⟩: the one to move away from.
  std::size_t worst_active() {
    std::size_t worst = 0;
    double top = -infinity;
    for (std::size_t i = 0; i < descent_.size(); ++i) {
      const double slope = descent_.slope(descent_.active(i));
      if (slope <= top || descent_.weight(i) <= idle_weight) continue;
      worst = i;
      top = slope;
    }
    return worst;
  }

  double step_length(double limit) {
    const double guess = std::min(1.0, limit);
    const bool corrective = options_.variant == ConditionalGradientVariant::fully_corrective;
    switch (corrective ? ConditionalGradientStep::exact : options_.step) {
      case ConditionalGradientStep::adaptive:
        return descent_.adaptive_step(curvature_, limit);
      case ConditionalGradientStep::curvature: {
        const auto direction = descent_.direction();
        const double square = dot_masked(direction, direction);
        const double step = -descent_.direction_slope() / (options_.curvature * square);
        return std::clamp(step, 0.0, limit);
      }
      case ConditionalGradientStep::open_loop:
        if (simplex() && options_.variant == ConditionalGradientVariant::classic) return 2.0 / (calls_ + 1.0);
        break;
      case ConditionalGradientStep::exact:
        break;
    }
    return descent_.exact_step(guess, limit);
  }

  void scale_weights(double factor) {
    for (std::size_t i = 0; i < descent_.size(); ++i) descent_.weight(i) *= factor;
  }

  // `direction` is y − μ on entry.
  void hull_step() {
    const std::size_t worst = worst_active();
    const Structure& away = descent_.active(worst);
    const double share = descent_.weight(worst);
    const auto direction = descent_.direction();
    if (options_.variant == ConditionalGradientVariant::away && share < 1) {
      const double towards_slope = descent_.direction_slope();
      const double away_slope = dot_masked(descent_.gradient(), descent_.mu()) - descent_.slope(away);
      if (away_slope < towards_slope) {
        std::ranges::copy(descent_.mu(), direction.begin());
        add(away, -1, direction);
        const double limit = share / (1 - share);
        const double step = step_length(limit);
        scale_weights(1 + step);
        descent_.weight(worst) = step >= limit ? 0 : descent_.weight(worst) - step;
        descent_.refresh();
        return;
      }
    }
    if (options_.variant == ConditionalGradientVariant::pairwise) {
      write(descent_.candidate(), direction);
      add(away, -1, direction);
      const double step = step_length(share);
      const std::size_t position = descent_.admit();
      descent_.weight(position) += step;
      descent_.weight(worst) = step >= share ? 0 : descent_.weight(worst) - step;
      descent_.refresh();
      return;
    }
    const double step = step_length(1);
    const std::size_t position = descent_.admit();
    scale_weights(1 - step);
    descent_.weight(position) += step;
    descent_.refresh();
  }

  // Over the cone: along y, back along the worst active structure or (classic) along μ, or from that to y;
  // whichever is steepest per unit of length.
  void cone_step() {
    const auto direction = descent_.direction();
    const bool classic = options_.variant == ConditionalGradientVariant::classic;
    const bool any = descent_.size() > 0;
    const std::size_t worst = any ? worst_active() : 0;
    const auto write_direction = [&](double along, double back) {
      std::ranges::fill(direction, 0.0);
      add(descent_.candidate(), along, direction);
      if (back == 0) return;
      if (!classic) return add(descent_.active(worst), -back, direction);
      for (std::size_t j = 0; j < direction.size(); ++j) direction[j] -= back * descent_.mu()[j];
    };
    double steepest = 0, best_along = 0, best_back = 0;
    const auto consider = [&](double along, double back) {
      write_direction(along, back);
      const double length = std::sqrt(dot_masked(direction, direction));
      const double slope = length > 0 ? descent_.direction_slope() / length : 0;
      if (slope >= steepest) return;
      steepest = slope;
      best_along = along;
      best_back = back;
    };
    consider(1, 0);
    if (any && options_.variant != ConditionalGradientVariant::fully_corrective) {
      consider(0, 1);
      if (options_.variant == ConditionalGradientVariant::pairwise) consider(1, 1);
    }
    if (steepest == 0) return;
    write_direction(best_along, best_back);
    const double limit = best_back == 0 ? infinity : (classic ? 1 : descent_.weight(worst));
    const double step = step_length(limit);
    if (best_back > 0 && classic) scale_weights(1 - step);
    if (best_along > 0) {
      const std::size_t position = descent_.admit();
      descent_.weight(position) += step;
    }
    if (best_back > 0 && !classic) {
      descent_.weight(worst) = step >= limit ? 0 : descent_.weight(worst) - step;
    }
    descent_.refresh();
  }

  const ConditionalGradient& options_;
  MapOracle map_;
  Workspace& scratch_;
  MixtureDescent descent_;
  std::span<double> scores_;
  double curvature_;
  int calls_ = 0;
};

}  // namespace

Report ConditionalGradient::minimize(ValueAndGradient f, MapOracle map, Mixture& mixture,
                                     std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return Solve(*this, f, map, true, mixture, mu, scratch).run();
}

Report ConditionalGradient::minimize_over_cone(ValueAndGradient f, MapOracle map, Mixture& mixture,
                                               std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return Solve(*this, f, map, false, mixture, mu, scratch).run();
}

}  // namespace fenchel
