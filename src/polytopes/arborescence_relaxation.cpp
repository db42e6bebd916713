// SPDX-License-Identifier: Apache-2.0
#include "polytopes/arborescence_relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "kernels/transport_projection.hpp"
#include "solvers/bounded_quadratic.hpp"

namespace fenchel::arborescence {
namespace {

constexpr std::size_t cuts_each = 2;  // per word; fewer than n sets are needed in the end
constexpr int max_steps = 60;
constexpr double unit_noise = machine_epsilon;  // the error of a share, scores being of size one
constexpr double noise_margin = 10;             // a residual within this factor of its error counts as zero
constexpr double settled = 1e-10;               // and one below this, if it no longer falls
constexpr int patience = 3;                     // steps for which it may not fall
constexpr double ridge_share = 1e-2;            // of the residual: bounds steps along flat directions
constexpr double largest_ridge = 0.1;  // below the positive eigenvalues, so that steps still converge
constexpr double flat = 0.1;           // a line search ends where the slope has fallen to this share
constexpr double level = 1e-3;         // a slope that rose by this share beyond zero costs nothing
constexpr int max_line_search = 60;
constexpr double jvp_ridge = 1e-9;    // far below the positive eigenvalues
constexpr int jvp_passes = 2;         // the second removes the error of the ridge
constexpr double same_inflow = 1e-9;  // sets that differ by less count as equally violated

MatrixView<double> matrix(std::size_t rows, std::size_t columns, Workspace& scratch) {
  return {scratch.take<double>(rows * columns).data(), rows, columns};
}

}  // namespace

Relaxation::Relaxation(const Arborescence& set, std::span<const double> theta, Workspace& scratch)
    : n_(set.n),
      capacity_(cuts_each * n_ + 1),
      first_(set.single_root ? 1 : 0),
      count_(first_),
      solved_(first_),
      scratch_(scratch),
      scores_(matrix(n_, n_, scratch)),
      trial_(matrix(n_, n_, scratch)),
      penalty_(matrix(n_, n_, scratch)),
      mu_(matrix(n_, n_, scratch)),
      zeros_(scratch.take<double>(n_)),
      thresholds_(scratch.take<double>(n_)),
      lambda_(scratch.take<double>(capacity_)),
      inflows_(scratch.take<double>(capacity_)),
      gradient_(scratch.take<double>(capacity_)),
      step_(scratch.take<double>(capacity_)),
      lower_(scratch.take<double>(capacity_)),
      members_(scratch.take<std::uint32_t>(capacity_ * n_)),
      sizes_(scratch.take<std::uint32_t>(capacity_)),
      contains_(scratch.take<bool>(capacity_ * n_)),
      starts_(scratch.take<std::uint32_t>(n_ + 1)),
      heads_(scratch.take<std::uint32_t>(n_ * n_ + 1)) {
  for (std::size_t m = 0; m < n_; ++m) {
    for (std::size_t h = 0; h < n_; ++h) scores_.row(m)[h] = theta[h * n_ + m];
  }
  std::ranges::fill(zeros_, 0.0);
  std::ranges::fill(thresholds_, 0.0);
  if (first_ == 1) lambda_[0] = 0;
  predict(scores_);
}

void Relaxation::add_cut(std::span<const std::uint32_t> words, double inflow) {
  remove_around(words, inflow);
  if (full()) return;
  const std::size_t k = count_++;
  lambda_[k] = 0;
  inflows_[k] = inflow;
  sizes_[k] = static_cast<std::uint32_t>(words.size());
  std::ranges::copy(words, members_.subspan(k * n_).begin());
  std::ranges::fill(contains_.subspan(k * n_, n_), false);
  for (const std::uint32_t m : words) contains_[k * n_ + m] = true;
}

// A new set makes those redundant that contain it and are violated no more.
void Relaxation::remove_around(std::span<const std::uint32_t> words, double inflow) {
  for (std::size_t k = count_; k-- > solved_;) {
    const auto in_set = [&](std::uint32_t m) { return has(k, m); };
    if (inflows_[k] < inflow - same_inflow || !std::ranges::all_of(words, in_set)) continue;
    move_cut(--count_, k);
  }
}

void Relaxation::move_cut(std::size_t from, std::size_t to) {
  if (from == to) return;
  lambda_[to] = lambda_[from];
  inflows_[to] = inflows_[from];
  sizes_[to] = sizes_[from];
  std::ranges::copy(members(from), members_.subspan(to * n_).begin());
  std::ranges::copy(contains_.subspan(from * n_, n_), contains_.subspan(to * n_).begin());
}

void Relaxation::drop_idle() {
  std::size_t kept = first_;
  for (std::size_t k = first_; k < count_; ++k) {
    if (lambda_[k] > 0) move_cut(k, kept++);
  }
  count_ = solved_ = kept;
}

double Relaxation::noise() const { return unit_noise * static_cast<double>(n_); }

double Relaxation::largest_multiplier() const { return max_abs(lambda_.first(count_)); }

Report Relaxation::solve() {
  Report report{Status::max_iterations, 0, infinity};
  double best = infinity;
  int waited = 0;
  measure();
  for (; report.iterations < max_steps; ++report.iterations) {
    report.residual = residual();
    waited = report.residual < best / 2 ? 0 : waited + 1;
    best = std::min(best, report.residual);
    if (report.residual <= noise_margin * noise() || (waited > patience && report.residual <= settled)) break;
    if (!find_step(report.residual) || !search_line()) break;
  }
  report.residual = residual();
  if (report.residual <= settled) report.status = Status::converged;
  drop_idle();
  return report;
}

// The columns' projections at z, and their supports.
void Relaxation::predict(MatrixView<const double> z) {
  std::uint32_t count = 0;
  for (std::size_t m = 0; m < n_; ++m) {
    const double* from = z.row(m).data();
    double* to = mu_.row(m).data();
    const double shift = kernels::shift_for_sum(z.row(m), zeros_, 1, thresholds_[m]);
    thresholds_[m] = shift;
    for (std::size_t h = 0; h < n_; ++h) to[h] = std::max(from[h] + shift, 0.0);
    starts_[m] = count;
    for (std::uint32_t h = 0; h < n_; ++h) {
      heads_[count] = h;
      count += to[h] > 0 ? 1 : 0;
    }
  }
  starts_[n_] = count;
}

// The sums of x over the support, for each multiplier.
void Relaxation::sum_inside(MatrixView<const double> x, std::span<double> sums) const {
  std::ranges::fill(sums, 0.0);
  for (std::size_t m = 0; m < n_; ++m) {
    const double* row = x.row(m).data();
    if (first_ == 1) sums[0] += row[m];
    for (std::size_t k = first_; k < count_; ++k) {
      if (!has(k, m)) continue;
      double sum = 0;
      for (const std::uint32_t h : support(m)) sum += has(k, h) && h != m ? row[h] : 0;
      sums[k] += sum;
    }
  }
}

// The gradient of the dual: what each constraint leaves.
void Relaxation::measure() {
  sum_inside(mu_, gradient_.first(count_));
  for (std::size_t k = 0; k < count_; ++k) {
    gradient_[k] = (k < first_ ? 1.0 : static_cast<double>(sizes_[k]) - 1) - gradient_[k];
  }
}

double Relaxation::residual() const {
  double largest = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    const bool held = k >= first_ && lambda_[k] == 0;
    largest = std::max(largest, held ? -gradient_[k] : std::abs(gradient_[k]));
  }
  return largest;
}

// Σ over columns m of |c_k ∩ c_l ∩ A_m| − |c_k ∩ A_m| |c_l ∩ A_m| / |A_m|, for the support A_m and the arcs
// c_k of multiplier k.
void Relaxation::form_hessian(MatrixView<double> hessian, double ridge) {
  for (std::size_t k = 0; k < count_; ++k) {
    std::ranges::fill(hessian.row(k), 0.0);
    hessian.row(k)[k] = ridge;
  }
  const auto counts = scratch_.take<double>(count_);
  const auto touching = scratch_.take<std::size_t>(count_);
  for (std::size_t m = 0; m < n_; ++m) {
    if (support(m).size() > 1) add_column(m, counts, touching, hessian);
  }
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t l = 0; l < k; ++l) hessian.row(l)[k] = hessian.row(k)[l];
  }
}

void Relaxation::add_column(std::size_t m, std::span<double> counts, std::span<std::size_t> touching,
                            MatrixView<double> hessian) {
  std::ranges::fill(counts, 0.0);
  for (const std::uint32_t h : support(m)) {
    std::size_t found = 0;
    if (h == m) {
      if (first_ == 1) touching[found++] = 0;
    } else {
      for (std::size_t k = first_; k < count_; ++k) {
        if (has(k, m) && has(k, h)) touching[found++] = k;
      }
    }
    for (std::size_t i = 0; i < found; ++i) {
      counts[touching[i]] += 1;
      for (std::size_t j = 0; j <= i; ++j) hessian.row(touching[i])[touching[j]] += 1;
    }
  }
  const auto size = static_cast<double>(support(m).size());
  for (std::size_t k = 0; k < count_; ++k) {
    if (counts[k] == 0) continue;
    for (std::size_t l = 0; l <= k; ++l) hessian.row(k)[l] -= counts[k] * counts[l] / size;
  }
}

// The step to the minimum of the dual's quadratic over the bounds. Along flat directions, rounding of the
// gradient is divided by the ridge: it must stay below the remaining error.
bool Relaxation::find_step(double residual) {
  const Workspace::Frame frame(scratch_);
  const MatrixView<double> hessian = matrix(count_, count_, scratch_);
  const double ridge = std::max(ridge_share * residual, noise() / residual);
  form_hessian(hessian, std::min(ridge, largest_ridge));
  for (std::size_t k = 0; k < count_; ++k) lower_[k] = k < first_ ? -infinity : -lambda_[k];
  const BoundedQuadratic quadratic{hessian, gradient_.first(count_), lower_.first(count_)};
  return quadratic.minimize(step_.first(count_), scratch_);
}

void Relaxation::add_penalty(std::span<const double> weights, MatrixView<double> to) const {
  for (std::size_t k = 0; k < count_; ++k) {
    const double weight = weights[k];
    if (weight == 0) continue;
    if (k < first_) {
      for (std::size_t m = 0; m < n_; ++m) to.row(m)[m] -= weight;
      continue;
    }
    for (const std::uint32_t m : members(k)) {
      double* row = to.row(m).data();
      const double own = row[m];
      for (const std::uint32_t h : members(k)) row[h] -= weight;
      row[m] = own;
    }
  }
}

// The slope of the dual along the step, at t; leaves μ and the gradient there.
double Relaxation::slope(double t) {
  for (std::size_t m = 0; m < n_; ++m) {
    const double* from = scores_.row(m).data();
    const double* change = penalty_.row(m).data();
    double* to = trial_.row(m).data();
    for (std::size_t h = 0; h < n_; ++h) to[h] = from[h] + t * change[h];
  }
  predict(trial_);
  measure();
  return dot(gradient_.first(count_), step_);
}

// The dual is convex: its slope rises along the step. False if rounding hides that it falls.
bool Relaxation::search_line() {
  double start = 0, length = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    start -= gradient_[k] * step_[k];
    length += std::abs(step_[k]);
  }
  if (!(start > 0)) return false;
  for (std::size_t m = 0; m < n_; ++m) std::ranges::fill(penalty_.row(m), 0.0);
  add_penalty(step_, penalty_);
  const double doubt = noise() * length;
  double low = 0, high = 1, low_slope = -start, high_slope = infinity, t = 1;
  for (int k = 0; k < max_line_search; ++k) {
    const double now = slope(t);
    if ((t == 1 && now <= level * start) || std::abs(now) <= std::max(t == 1 ? 0 : flat * start, doubt))
      break;
    (now < 0 ? low : high) = t;
    (now < 0 ? low_slope : high_slope) = now;
    // Interpolates; as that may creep along a kink, halves the bracket every third time.
    t = k % 3 == 2 ? (low + high) / 2 : low + (high - low) * (low_slope / (low_slope - high_slope));
  }
  for (std::size_t k = 0; k < count_; ++k) {
    lambda_[k] = t == 1 && step_[k] == lower_[k] ? 0 : lambda_[k] + t * step_[k];
  }
  std::swap(scores_, trial_);
  center_scores();
  return true;
}

// Shares come from scores within one of the best of their column: with that at zero, large multipliers cost
// them no digits.
void Relaxation::center_scores() {
  for (std::size_t m = 0; m < n_; ++m) {
    const auto row = scores_.row(m);
    double top = -infinity;
    for (const double score : row) top = std::max(top, score);
    for (double& score : row) score -= top;
    thresholds_[m] += top;
  }
}

// J v = v − (means over the support of each column) − what the multipliers take back: the projection onto the
// directions along which sums and tight sets stay as they are.
bool Relaxation::jvp(MatrixView<double> v) {
  const Workspace::Frame frame(scratch_);
  const MatrixView<double> hessian = matrix(count_, count_, scratch_);
  const auto sums = scratch_.take<double>(count_);
  form_hessian(hessian, jvp_ridge);
  std::ranges::fill(lower_.first(count_), -infinity);
  const BoundedQuadratic quadratic{hessian, sums, lower_.first(count_)};
  center(v);
  for (int pass = 0; pass < jvp_passes; ++pass) {
    sum_inside(v, sums);
    for (double& sum : sums) sum = -sum;
    if (!quadratic.minimize(step_.first(count_), scratch_)) return false;
    add_penalty(step_, v);
    center(v);
  }
  return true;
}

void Relaxation::center(MatrixView<double> v) const {
  for (std::size_t m = 0; m < n_; ++m) {
    const double* mu = mu_.row(m).data();
    double* row = v.row(m).data();
    double sum = 0, count = 0;
    for (std::size_t h = 0; h < n_; ++h) {
      sum += mu[h] > 0 ? row[h] : 0;
      count += mu[h] > 0 ? 1 : 0;
    }
    for (std::size_t h = 0; h < n_; ++h) row[h] = mu[h] > 0 ? row[h] - sum / count : 0;
  }
}

}  // namespace fenchel::arborescence
