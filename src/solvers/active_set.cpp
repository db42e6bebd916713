// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "fenchel/core/numeric.hpp"
#include "solvers/affine_factor.hpp"
#include "solvers/used_entries.hpp"

namespace fenchel {
namespace {

// The rounding of μ, of θ − μ and of their product's sum, in units of that sum's magnitude.
constexpr double gap_noise = 4 * machine_epsilon;
// How many times its usual error a gap has to exceed the tolerance to be beyond doubt.
constexpr double clear_margin = 16;
// Iterations at working precision without a smaller gap before giving up.
constexpr int patience = 20;
// Iterations without a smaller gap before the error of the updated residuals is suspected: while that gap is
// above the error, that many in a row are rare.
constexpr int suspicion = 8;
// A weight this small is rounding of zero, the weights being at most one.
constexpr double weight_noise = 4 * machine_epsilon;

// ⟨y − z, scores⟩, where what y and z share cancels before it is multiplied.
double dot_difference(const Structure& y, const Structure& z, std::span<const double> scores) {
  double sum = 0;
  std::size_t i = 0, k = 0;
  while (i < y.size() || k < z.size()) {
    const bool from_y = k == z.size() || (i < y.size() && y.indices[i] <= z.indices[k]);
    const bool from_z = i == y.size() || (k < z.size() && z.indices[k] <= y.indices[i]);
    const std::uint32_t j = from_y ? y.indices[i] : z.indices[k];
    sum += ((from_y ? y.value(i) : 0) - (from_z ? z.value(k) : 0)) * scores[j];
    i += from_y ? 1 : 0;
    k += from_z ? 1 : 0;
  }
  return sum;
}

// A structure of the pool, as the solver sees it.
struct Slot {
  std::uint32_t structure = 0;  // its place in the mixture
  Entries entries;
  std::span<std::uint32_t> memory;
};

// The state of one solve. The structures of the mixture are a pool whose entries never move: slots_ lists
// the active ones in the order of the factor, then the spare ones.
class Solve {
 public:
  Solve(std::span<const double> theta, MapOracle map, Mixture& mixture, std::span<double> mu,
        Workspace& scratch)
      : theta_(theta),
        map_(map),
        mixture_(mixture),
        mu_(mu),
        scratch_(scratch),
        used_(theta, scratch),
        factor_(theta.size(), scratch),
        scores_(scratch.take<double>(theta.size())),
        mean_(scratch.take<double>(theta.size())),
        ascent_(scratch.take<double>(theta.size())) {
    std::ranges::copy(theta, scores_.begin());
    if (mixture.structures.size() < mixture.weights.size()) mixture.weights.resize(mixture.structures.size());
    reserve();
  }

  std::size_t size() const { return factor_.size(); }
  int calls() const { return calls_; }

  // Starts from the structures of the mixture that θ allows; false if there are none.
  bool warm_start() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < mixture_.size(); ++i) {
      if (!(mixture_.weights[i] > 0) || !allowed(mixture_.structures[i])) continue;
      std::swap(slots_[kept], slots_[i]);
      number(slots_[kept]);
      weights_[kept++] = mixture_.weights[i];
    }
    return kept > 0 && rebuild(kept);
  }

  // Asks for the best structure at the current scores; its value.
  double ask() {
    if (size() == slots_used_) reserve();
    ++calls_;
    const double value = map_(scores_, active(size()));
    if (value > -infinity) number(slots_[size()]);
    return value;
  }

  // ⟨θ − μ, y − μ⟩ for the candidate y, and the rounding error of that, 4ε Σ (|θ| + |μ|) |y − μ|. As a
  // difference of two sums where that leaves no doubt that it is positive, else over the entries, so that
  // shared parts cancel.
  std::pair<double, double> gap(double tolerance) {
    const Entries& y = slots_[size()].entries;
    const auto theta = used_.theta();
    double noise = magnitude_;
    for (std::size_t k = 0; k < y.size; ++k) {
      const std::size_t j = y.indices[k];
      noise += (std::abs(theta[j]) + std::abs(mean_[j])) * std::abs(y.value(k));
    }
    const double difference = dot(y, ascent_) - level_;
    noise *= gap_noise;
    return difference > tolerance + clear_margin * noise ? std::pair{difference, noise} : accurate_gap();
  }

  // Lets the candidate in; false if it is, up to rounding, an affine combination of the active structures.
  bool admit(double residual) {
    if (!append(residual)) return false;
    weights_[size() - 1] = size() == 1 ? 1 : 0;
    correct();
    return true;
  }

  // Solves again, with residuals computed afresh instead of updated; the factor stays as it is.
  void refine() {
    compute_residuals();
    correct();
  }

  // Factorises afresh and solves again.
  void refactor() { rebuild(size()); }

  // Lets in a candidate that was refused as nearly dependent, in place of the structure that it pushes out:
  // the weights move along the dependence, which hardly moves μ, until one is zero. False if that is the
  // candidate itself.
  bool exchange() {
    factor_.dependence(change_);
    double step = infinity;
    std::size_t blocking = size();
    for (std::size_t i = 0; i < size(); ++i) {
      if (!(change_[i] > 0) || weights_[i] > step * change_[i]) continue;
      step = weights_[i] / change_[i];
      blocking = i;
    }
    if (blocking == size() || active(blocking) == active(size())) return false;
    for (std::size_t i = 0; i < size(); ++i) weights_[i] -= step * change_[i];
    remove(blocking);
    std::swap(slots_[size()], slots_[size() + 1]);
    weights_[size()] = step;
    return rebuild(size() + 1);
  }

  // Leaves the active structures and their weights in the mixture, and μ.
  void finish() {
    const auto slots = slots_.first(slots_used_);
    for (std::size_t i = 0; i < size(); ++i) {
      // Swapping the structures at i and at slots[i] moves what some later position expects at i.
      const std::uint32_t from = slots[i].structure;
      std::swap(mixture_.structures[i], mixture_.structures[from]);
      std::ranges::find(slots.subspan(i), static_cast<std::uint32_t>(i), &Slot::structure)->structure = from;
    }
    mixture_.weights.assign(weights_.begin(), weights_.begin() + static_cast<std::ptrdiff_t>(size()));
    std::ranges::fill(mu_, 0.0);
    for (std::size_t k = 0; k < used_.size(); ++k) mu_[used_.entries()[k]] = size() == 0 ? 0 : mean_[k];
  }

 private:
  Structure& active(std::size_t i) { return mixture_.structures[slots_[i].structure]; }

  // Makes sure that there is a spare structure and room for its position.
  void reserve() {
    const std::size_t before = slots_used_;
    if (mixture_.structures.size() == size()) mixture_.structures.emplace_back();
    slots_used_ = mixture_.structures.size();
    if (slots_used_ > slots_.size()) {
      const std::size_t capacity = 2 * slots_used_ + 30;
      const auto slots = scratch_.take<Slot>(capacity);
      std::copy_n(slots_.begin(), before, slots.begin());
      slots_ = slots;
      const auto weights = scratch_.take<double>(capacity);
      std::copy_n(weights_.begin(), size(), weights.begin());
      weights_ = weights;
      change_ = scratch_.take<double>(capacity);
    }
    for (std::size_t i = before; i < slots_used_; ++i)
      slots_[i] = Slot{static_cast<std::uint32_t>(i), {}, {}};
  }

  void number(Slot& slot) {
    const std::size_t before = used_.size();
    used_.number(mixture_.structures[slot.structure], slot.entries, slot.memory);
    for (std::size_t k = before; k < used_.size(); ++k) {
      mean_[k] = 0;
      ascent_[k] = used_.theta()[k];
    }
  }

  bool allowed(const Structure& y) const {
    return std::ranges::all_of(y.indices,
                               [&](std::uint32_t j) { return j < theta_.size() && theta_[j] > -infinity; });
  }

  std::pair<double, double> accurate_gap() {
    const Entries& candidate = slots_[size()].entries;
    const auto theta = used_.theta();
    const auto y = factor_.zeros();
    add(candidate, 1, y);
    double sum = 0, noise = 0;
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const double difference = y[k] - mean_[k];
      sum += ascent_[k] * difference;
      noise += (std::abs(theta[k]) + std::abs(mean_[k])) * std::abs(difference);
    }
    for (std::size_t k = 0; k < candidate.size; ++k) y[candidate.indices[k]] = 0;
    return {sum, gap_noise * noise};
  }

  bool append(double residual) {
    return factor_.append(slots_[size()].entries, residual,
                          [&](std::size_t i) -> const Entries& { return slots_[i].entries; });
  }

  // The factor of the first `count` slots, without those that depend on others, and the solution for it.
  bool rebuild(std::size_t count) {
    factor_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(slots_[size()], slots_[i]);
      weights_[size()] = weights_[i];
      append(0);
    }
    if (size() == 0) return false;
    normalize();
    update();
    compute_residuals();
    correct();
    return true;
  }

  void compute_residuals() {
    for (std::size_t i = 0; i < size(); ++i) change_[i] = dot_difference(active(i), active(0), scores_);
    factor_.set_residuals(change_);
  }

  // To the closest point of the affine hull; where a weight would become negative, only until it is zero, and
  // on without that structure.
  void correct() {
    for (;;) {
      factor_.direction(change_);
      double step = 1;
      std::size_t blocking = size();
      for (std::size_t i = 0; i < size(); ++i) {
        if (change_[i] >= 0 || weights_[i] + step * change_[i] > weight_noise) continue;
        step = std::min(step, -weights_[i] / change_[i]);
        blocking = i;
      }
      for (std::size_t i = 0; i < size(); ++i) weights_[i] += step * change_[i];
      factor_.scale_residuals(1 - step);
      if (blocking == size() || size() == 1) break;
      remove(blocking);
    }
    normalize();
    update();
  }

  void remove(std::size_t position) {
    factor_.remove(position);
    const auto first = static_cast<std::ptrdiff_t>(position);
    const auto last = static_cast<std::ptrdiff_t>(size() + 1);
    std::rotate(slots_.begin() + first, slots_.begin() + first + 1, slots_.begin() + last);
    std::rotate(weights_.begin() + first, weights_.begin() + first + 1, weights_.begin() + last);
  }

  void normalize() {
    const double total = sum_of(weights_.first(size()));
    for (double& weight : weights_.first(size())) weight /= total;
  }

  // μ and θ − μ from the weights: no error builds up over the iterations.
  void update() {
    const std::size_t count = used_.size();
    const double* theta = used_.theta().data();
    std::fill_n(mean_.begin(), count, 0.0);
    for (std::size_t i = 0; i < size(); ++i) add(slots_[i].entries, weights_[i], mean_);
    double level = 0, magnitude = 0;
#pragma omp simd reduction(+ : level, magnitude)
    for (std::size_t k = 0; k < count; ++k) {
      ascent_[k] = theta[k] - mean_[k];
      level += ascent_[k] * mean_[k];
      magnitude += (std::abs(theta[k]) + std::abs(mean_[k])) * std::abs(mean_[k]);
    }
    level_ = level;
    magnitude_ = magnitude;
    const auto entries = used_.entries();
    for (std::size_t k = 0; k < count; ++k) scores_[entries[k]] = ascent_[k];
  }

  std::span<const double> theta_;
  MapOracle map_;
  Mixture& mixture_;
  std::span<double> mu_;
  Workspace& scratch_;
  UsedEntries used_;
  AffineFactor factor_;
  std::span<double> scores_;          // θ − μ, every entry
  std::span<double> mean_, ascent_;   // μ and θ − μ, used entries
  double level_ = 0, magnitude_ = 0;  // ⟨θ − μ, μ⟩, and Σ (|θ| + |μ|) |μ|
  std::span<Slot> slots_;
  std::size_t slots_used_ = 0;
  std::span<double> weights_, change_;  // one per position
  int calls_ = 0;
};

}  // namespace

Report ActiveSet::minimize(std::span<const double> theta, MapOracle map, Mixture& mixture,
                           std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  Solve solve(theta, map, mixture, mu, scratch);
  Report report{Status::stalled, 0, infinity};
  bool started = solve.warm_start();
  int refusals = 0;  // in a row: each calls for a costlier remedy
  double best = infinity;
  int stuck = 0;
  while (report.status == Status::stalled) {
    const double value = solve.ask();
    if (!std::isfinite(value)) break;
    if (!started) {
      solve.admit(0);
      started = true;
      if (max_iterations <= 1) report.status = Status::max_iterations;
      continue;
    }
    const auto [gap, noise] = solve.gap(tolerance);
    report.residual = std::max(gap, 0.0);
    if (!std::isfinite(gap)) break;
    if (gap <= tolerance + noise) {
      report.status = Status::converged;
    } else if (solve.calls() >= max_iterations) {
      report.status = Status::max_iterations;
    } else if (solve.admit(gap)) {
      refusals = 0;
      if (stuck % suspicion == suspicion - 1) solve.refine();
    } else if (++refusals == 1) {
      // The oracle offers nothing new: what is left is the error of the updated residuals, or of the factor.
      solve.refine();
    } else if (refusals == 2) {
      solve.refactor();
    } else if (stuck > patience || !solve.exchange()) {
      break;
    }
    stuck = gap < best ? 0 : stuck + 1;
    best = std::min(best, gap);
  }
  report.iterations = solve.calls();
  solve.finish();
  return report;
}

void active_set_jvp(const Mixture& mixture, std::span<const double> v, std::span<double> out,
                    Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  AffineFactor factor(v.size(), scratch);
  const auto chosen = scratch.take<std::uint32_t>(mixture.size());
  const auto change = scratch.take<double>(mixture.size());
  const auto entries_of = [&](std::size_t i) {
    const Structure& y = mixture.structures[i];
    return Entries{y.indices.data(), y.values.empty() ? nullptr : y.values.data(), y.size()};
  };
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    if (!(mixture.weights[i] > 0)) continue;
    const std::size_t position = factor.size();
    if (factor.append(entries_of(i), dot(mixture.structures[i], v),
                      [&](std::size_t k) { return entries_of(chosen[k]); })) {
      chosen[position] = static_cast<std::uint32_t>(i);
    }
  }
  std::ranges::fill(out, 0.0);
  if (factor.size() == 0) return;
  factor.direction(change);
  for (std::size_t i = 0; i < factor.size(); ++i) add(mixture.structures[chosen[i]], change[i], out);
}

}  // namespace fenchel
