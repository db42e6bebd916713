// SPDX-License-Identifier: Apache-2.0
#include "solvers/entropic_active_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/pooled.hpp"
#include "fenchel/core/numeric.hpp"
#include "solvers/affine_factor.hpp"
#include "solvers/entropic_newton.hpp"

namespace fenchel {
namespace {

// The δ of (μ + δ) log(μ + δ): entries are off by about that much, and the optimum by δ |log δ| per entry.
constexpr double smallest = 1e-25;
// δ falls to that in stages, each starting from the solution of the last: entries of very different size
// cannot all be found at once.
constexpr double first_delta = 1e-2;
constexpr double delta_share = 1e-2;
constexpr double stage_gap = 30;  // of a stage, in units of δ
constexpr double gap_noise = 4 * machine_epsilon;
constexpr double correction_share = 0.01;  // of the last gap, for the weights of the current structures
constexpr double tightest_share = 0.1;     // of the tolerance, likewise
// In units of δ, a weight without visible effect, and one that can be given up where its slope asks for it.
// The tolerance lies in between.
constexpr double unseen = 1e-13;
constexpr double faint = 1e-3;
constexpr double faint_slope = -0.1;
constexpr double shrink = 0.02;                // of a weight whose Newton step ends below zero
constexpr double violation_share = 0.05;       // of the gap, for further structures of one round
constexpr double flat = 64 * machine_epsilon;  // changes of the objective below this share are rounding
// Multiplications: some seconds, after which an answer with a gap is preferable.
constexpr double most_work = 1e10;
constexpr int newton_steps = 40;
constexpr int halvings = 8;
constexpr int bound_rounds = 4;
constexpr int idle_steps = 8;              // that do not halve the gap over the current structures
constexpr double decrease_share = 1e-3;    // of what the slope promises
constexpr double dependence_noise = 1e-9;  // a coefficient this small is rounding of zero
constexpr int batch = 16;                  // structures per round
constexpr int patience = 30;               // rounds in which neither the gap nor the objective falls

class Solve {
 public:
  Solve(std::span<const double> theta, MapOracle map, Mixture& mixture, std::span<double> mu,
        Workspace& scratch)
      : theta_(theta),
        map_(map),
        mixture_(mixture),
        mu_(mu),
        scratch_(scratch),
        scores_(scratch.take<double>(theta.size())),
        varied_(scratch.take<double>(theta.size())),
        inverse_(scratch.take<double>(theta.size())),
        trial_(scratch.take<double>(theta.size())),
        factor_(theta.size(), scratch) {
    const std::size_t count = std::min(mixture.weights.size(), mixture.structures.size());
    guess_.assign(mixture.weights.begin(), mixture.weights.begin() + static_cast<std::ptrdiff_t>(count));
    mixture.weights.clear();
  }

  std::size_t size() const { return mixture_.weights.size(); }
  int calls() const { return calls_; }
  double scale() const { return scale_; }
  double value() const { return value_; }
  double delta() const { return delta_; }
  double work() const { return work_; }
  // What δ may hide of the objective: 0 ≤ (μ + δ) log(μ + δ) − δ log δ − μ log μ ≤ about δ (1 + |log δ|).
  double hidden() const {
    return static_cast<double>(mu_.size()) * delta_ * (1 + std::abs(std::log(delta_)));
  }
  void set_delta(double delta) {
    delta_ = delta;
    refresh();
  }

  // The structures of the guess that θ allows, or else the best one; false if all are masked.
  bool start() {
    for (std::size_t i = 0; i < guess_.size(); ++i) {
      std::swap(mixture_.structures[size()], mixture_.structures[i]);
      if (!(guess_[i] > 0) || dot(candidate(), theta_) == -infinity || !append()) continue;
      mixture_.weights.push_back(guess_[i]);
    }
    if (size() == 0) {
      std::ranges::copy(theta_, scores_.begin());
      if (!ask(scores_) || !append()) return false;
      mixture_.weights.push_back(1);
    }
    refresh();
    return true;
  }

  // max over Y of ⟨scores, y − μ⟩ and its rounding error; the structure that attains it is the candidate.
  std::pair<double, double> gap() {
    if (!ask(scores_)) return {infinity, 0};
    double sum = 0, magnitude = 0;
    std::ranges::copy(mu_, trial_.begin());
    add(candidate(), -1, trial_);
    for (std::size_t j = 0; j < mu_.size(); ++j) {
      if (trial_[j] == 0) continue;
      sum -= scores_[j] * trial_[j];
      magnitude += (std::abs(scores_[j]) + std::abs(theta_[j])) * std::abs(trial_[j]);
    }
    return {std::max(sum, 0.0), gap_noise * magnitude};
  }

  // Lets in the candidate and others that gain nearly as much: the oracle's answers where the entries of
  // those before count less. False if there is nothing new.
  bool admit(double gap, int most_calls) {
    bool news = false;
    std::ranges::copy(scores_, varied_.begin());
    for (int round = 0; round < batch; ++round) {
      const auto here = mixture_.structures.begin() + static_cast<std::ptrdiff_t>(size());
      if (std::find(mixture_.structures.begin(), here, *here) == here) news = enter() || news;
      if (round + 1 == batch || calls_ >= most_calls) break;
      const double penalty = gap / static_cast<double>(std::max<std::size_t>(latest_.size(), 1));
      for (const std::uint32_t j : latest_.indices) varied_[j] -= penalty;
      if (!ask(varied_) || dot(candidate(), scores_) - level_ < violation_share * gap) break;
    }
    if (news) refresh();
    return news;
  }

  // The best weights of the current structures, to this gap.
  void correct(double tolerance) {
    const Workspace::Frame frame(scratch_);
    EntropicNewton newton(size(), scratch_);
    const auto slopes = scratch_.take<double>(size());
    const auto change = scratch_.take<double>(size());
    double best = infinity;
    int idle = 0;
    for (int step = 0; step < newton_steps; ++step) {
      drop();
      double top = -infinity, mean = 0;
      for (std::size_t i = 0; i < size(); ++i) {
        slopes[i] = dot(mixture_.structures[i], scores_) - level_;
        top = std::max(top, slopes[i]);
        mean += mixture_.weights[i] * std::abs(slopes[i]);
      }
      const double now = std::max(top, mean);
      if (now <= tolerance || size() == 1) return;
      idle = now < 0.5 * best ? 0 : idle + 1;
      best = std::min(best, now);
      if (idle > idle_steps) return;
      const auto s = slopes.first(size());
      const auto x = change.first(size());
      const bool bounded = choose_change(newton, s, x, bound_rounds);
      if (move(s, x, 1)) continue;
      if (bounded) choose_change(newton, s, x, 1);
      if (!block(s, x)) return;
    }
  }

 private:
  // A weight without visible effect.
  double least_weight() const { return unseen * delta_; }

  Structure& candidate() {
    if (mixture_.structures.size() == size()) mixture_.structures.emplace_back();
    return mixture_.structures[size()];
  }

  bool ask(std::span<const double> scores) {
    ++calls_;
    const double value = map_(scores, candidate());
    latest_ = candidate();
    return std::isfinite(value);
  }

  static Entries entries_of(const Structure& y) {
    return {y.indices.data(), y.values.empty() ? nullptr : y.values.data(), y.size()};
  }

  // Puts the candidate into the factor; false if it is an affine combination of the present structures.
  bool append() {
    return factor_.append(entries_of(candidate()), 0,
                          [&](std::size_t i) { return entries_of(mixture_.structures[i]); });
  }

  void remove(std::size_t position) {
    factor_.remove(position);
    const auto first = mixture_.structures.begin() + static_cast<std::ptrdiff_t>(position);
    std::rotate(first, first + 1, mixture_.structures.begin() + static_cast<std::ptrdiff_t>(size()));
    mixture_.weights.erase(mixture_.weights.begin() + static_cast<std::ptrdiff_t>(position));
  }

  // Lets the candidate in. Where it depends on the others, it takes the place of the one that it pushes out:
  // the weights move along the dependence, which does not move μ, until one is zero.
  bool enter() {
    if (append()) {
      push_candidate();
      return true;
    }
    const Workspace::Frame frame(scratch_);
    const auto dependence = scratch_.take<double>(size());
    factor_.dependence(dependence);
    double step = infinity;
    std::size_t blocking = size();
    for (std::size_t i = 0; i < size(); ++i) {
      if (!(dependence[i] > dependence_noise) || mixture_.weights[i] > step * dependence[i]) continue;
      step = mixture_.weights[i] / dependence[i];
      blocking = i;
    }
    if (blocking == size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      mixture_.weights[i] = std::max(mixture_.weights[i] - step * dependence[i], least_weight());
    }
    Structure incoming = candidate();
    remove(blocking);
    candidate() = std::move(incoming);
    if (!append()) return false;
    mixture_.weights.push_back(std::max(step, least_weight()));
    return true;
  }

  // Weights without visible effect whose slope asks for less.
  void drop() {
    const std::size_t before = size();
    for (std::size_t i = size(); i-- > 0 && size() > 1;) {
      if (mixture_.weights[i] > faint * delta_) continue;
      const double slope = dot(mixture_.structures[i], scores_) - level_;
      if (slope < (mixture_.weights[i] <= least_weight() ? 0 : faint_slope)) remove(i);
    }
    if (size() < before) refresh();
  }

  // The candidate with the weight that is best for it alone: ⟨θ − ∇Ω(μ + t y), y⟩ falls to the level.
  void push_candidate() {
    const Structure& y = candidate();
    double low = std::log(least_weight()), high = std::log(0.5);
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high), t = std::exp(middle);
      double slope = -level_;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::uint32_t j = y.indices[i];
        slope += y.value(i) * (theta_[j] - 1 - std::log((1 - t) * mu_[j] + t * y.value(i) + delta_));
      }
      (slope > 0 ? low : high) = middle;
    }
    mixture_.weights.push_back(std::exp(low));
  }

  // μ, the scores θ − ∇Ω(μ) and ⟨scores, μ⟩ from the weights.
  void refresh() {
    const double total = sum_of(mixture_.weights);
    for (double& weight : mixture_.weights) weight /= total;
    write(mixture_, mu_);
    level_ = value_ = 0;
    scale_ = 1;
    for (std::size_t j = 0; j < mu_.size(); ++j) {
      scores_[j] = theta_[j] - 1 - std::log(mu_[j] + delta_);
      inverse_[j] = 1 / (mu_[j] + delta_);
      if (mu_[j] > 0) {
        level_ += scores_[j] * mu_[j];
        value_ += xlogx(mu_[j] + delta_) - xlogx(delta_) - theta_[j] * mu_[j];
        scale_ = std::max(scale_, 1 + std::abs(theta_[j]));
      }
    }
  }

  // The Newton step, where no weight falls below a share of itself: those that would are put there, and the
  // step of the others is found again, in a few rounds. Whether there was any.
  bool choose_change(EntropicNewton& newton, std::span<const double> slopes, std::span<double> change,
                     int rounds) {
    const Workspace::Frame frame(scratch_);
    const auto active = scratch_.take<const Structure*>(size());
    const auto positions = scratch_.take<std::uint32_t>(size());
    const auto bound = scratch_.take<bool>(size());
    const auto step = scratch_.take<double>(size());
    std::ranges::fill(bound, false);
    bool any = false;
    for (int round = 0; round < rounds; ++round) {
      std::size_t count = 0;
      double total = 0;
      std::ranges::fill(trial_, 0.0);
      for (std::size_t i = 0; i < size(); ++i) {
        if (bound[i]) {
          change[i] = (shrink - 1) * mixture_.weights[i];
          total -= change[i];
          add(mixture_.structures[i], change[i], trial_);
        } else {
          active[count] = &mixture_.structures[i];
          positions[count++] = static_cast<std::uint32_t>(i);
        }
      }
      if (count == 0) break;
      for (std::size_t j = 0; j < trial_.size(); ++j) trial_[j] *= inverse_[j];
      for (std::size_t k = 0; k < count; ++k) step[k] = slopes[positions[k]] - dot(*active[k], trial_);
      newton.factorize(active.first(count), inverse_);
      newton.solve(step.first(count), total);
      work_ += std::pow(static_cast<double>(count), 3) / 6;
      bool blocked = false;
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = positions[k];
        change[i] = step[k];
        if (change[i] < (shrink - 1) * mixture_.weights[i]) bound[i] = blocked = true;
      }
      any = any || blocked;
      if (!blocked) break;
    }
    return any;
  }

  // Along a change of weights, kept above zero, as far as the objective falls.
  bool move(std::span<const double> slopes, std::span<const double> change, double limit) {
    const double gain = dot(slopes.first(size()), change);
    if (!(gain > 0)) return false;
    const Workspace::Frame frame(scratch_);
    const auto from = scratch_.take<double>(size());
    std::ranges::copy(mixture_.weights, from.begin());
    const double before = value_, noise = flat * (1 + std::abs(before));
    double step = limit;
    for (int k = 0; k < halvings; ++k, step *= 0.5) {
      for (std::size_t i = 0; i < size(); ++i) {
        mixture_.weights[i] = std::max(from[i] + step * change[i], shrink * from[i]);
      }
      refresh();
      if (value_ <= before - decrease_share * step * gain + (gain < noise ? noise : 0)) return true;
    }
    std::ranges::copy(from, mixture_.weights.begin());
    refresh();
    return false;
  }

  // Until the first weight is zero, and on without its structure.
  bool block(std::span<const double> slopes, std::span<const double> change) {
    double limit = 1;
    std::size_t blocking = size();
    for (std::size_t i = 0; i < size(); ++i) {
      if (change[i] >= 0 || mixture_.weights[i] > -limit * change[i]) continue;
      limit = -mixture_.weights[i] / change[i];
      blocking = i;
    }
    const bool moved = move(slopes, change, limit);
    if (blocking == size() || size() == 1) return moved;
    if (moved && mixture_.weights[blocking] > 2 * shrink) return true;
    remove(blocking);
    refresh();
    return true;
  }

  std::span<const double> theta_;
  MapOracle map_;
  Mixture& mixture_;
  std::span<double> mu_;
  Workspace& scratch_;
  std::span<double> scores_, varied_, inverse_, trial_;
  AffineFactor factor_;
  std::vector<double> guess_;
  Structure latest_;
  double delta_ = first_delta;
  double level_ = 0;  // ⟨scores, μ⟩
  double value_ = 0;
  double work_ = 0;  // multiplications of Newton's method
  double scale_ = 1;
  int calls_ = 0;
};

}  // namespace

Report EntropicActiveSet::minimize(std::span<const double> theta, MapOracle map, Mixture& mixture,
                                   std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  Solve solve(theta, map, mixture, mu, scratch);
  Report report{Status::stalled, 0, infinity};
  double best = infinity, lowest = infinity;
  int stuck = 0;
  const bool started = solve.start();
  while (started) {
    const auto [gap, noise] = solve.gap();
    const bool last = solve.delta() <= smallest;
    report.residual = gap + solve.hidden();
    const double enough = tolerance * solve.scale() + noise;
    if (gap <= (last ? enough : std::max(enough, stage_gap * solve.delta()))) {
      if (last) report.status = Status::converged;
      if (last) break;
      solve.set_delta(std::max(smallest, delta_share * solve.delta()));
      best = lowest = infinity;
      continue;
    }
    stuck = gap < best || solve.value() < lowest ? 0 : stuck + 1;
    best = std::min(best, gap);
    lowest = std::min(lowest, solve.value());
    const bool spent = solve.calls() >= max_iterations || solve.work() > most_work;
    if (spent) report.status = Status::max_iterations;
    if (!std::isfinite(gap) || spent || stuck > patience) break;
    const double wanted = solve.admit(gap, max_iterations) ? correction_share * gap : 0;
    solve.correct(std::max(wanted, tightest_share * enough));
  }
  report.iterations = solve.calls();
  return report;
}

}  // namespace fenchel
