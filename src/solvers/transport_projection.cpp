// SPDX-License-Identifier: Apache-2.0
#include "solvers/transport_projection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/views.hpp"
#include "kernels/transport_projection.hpp"
#include "solvers/bipartite_laplacian.hpp"
#include "solvers/transport_start.hpp"

namespace fenchel {
namespace {

constexpr double plain_spread = 20;  // in units of the largest sum: beyond it, most plans are near a vertex
constexpr int first_rounds = 3;      // of projecting rows and columns in turn, before the first Newton step
// Of the residual: keeps steps short while the support is far from right.
constexpr double ridge_share = 1e-3;
constexpr double last_ridge = 1e-10;  // below every eigenvalue of a connected support, above all rounding
constexpr double flat = 0.1;          // a line search ends where the slope has fallen to this share
constexpr int max_line_search = 60;
constexpr double first_shrink = 1e-3;    // of the step, while no shorter one is known to be good
constexpr double last_steps = 1e-9;      // a residual this small that no longer falls is down to rounding
constexpr int patience = 5;              // steps for which it may not fall
constexpr double largest_potential = 4;  // in units of the largest sum; larger ones lose digits of the sums

constexpr double balanced = 1e-13;  // of its mass: what rounding leaves between the two sides of a part

// The connected parts of a support, as trees of rows and columns (numbered after the rows).
class Parts {
 public:
  Parts(std::size_t nodes, Workspace& scratch) : parent_(scratch.take<std::size_t>(nodes)) {
    for (std::size_t node = 0; node < nodes; ++node) parent_[node] = node;
  }
  std::size_t root(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(std::size_t x, std::size_t y) { parent_[root(x)] = root(y); }

 private:
  std::span<std::size_t> parent_;
};

class ProjectionSearch {
 public:
  ProjectionSearch(const TransportProjection& options, std::span<const double> a, std::span<const double> b,
                   std::span<double> mu, Workspace& scratch)
      : options_(options),
        a_(a),
        b_(b),
        mass_(sum_of(a)),
        unit_(std::max(max_of(a), max_of(b))),
        scratch_(scratch),
        scores_(scratch.take<double>(mu.size()).data(), a.size(), b.size()),
        transposed_(scratch.take<double>(mu.size()).data(), b.size(), a.size()),
        mu_(mu.data(), a.size(), b.size()),
        alpha_(scratch.take<double>(a.size())),
        beta_(scratch.take<double>(b.size())),
        alpha_step_(scratch.take<double>(a.size())),
        beta_step_(scratch.take<double>(b.size())),
        row_sums_(scratch.take<double>(a.size())),
        column_sums_(scratch.take<double>(b.size())) {}

  Report run(std::span<const double> theta) {
    const TransportStart start{.plain_spread = plain_spread * unit_};
    if (!start.reduce(theta, a_, b_, {scores_.data(), theta.size()}, scratch_))
      return {Status::stalled, 0, infinity};
    transpose();
    std::ranges::fill(alpha_, 0.0);
    std::ranges::fill(beta_, 0.0);
    for (int round = 0; round < first_rounds; ++round) {
      project_rows();
      project_columns();
    }
    newton();
    return report_;
  }

 private:
  void transpose() {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      for (std::size_t j = 0; j < b_.size(); ++j) transposed_.row(j)[i] = scores_.row(i)[j];
    }
  }

  void project_rows() {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (a_[i] > 0) alpha_[i] = kernels::shift_for_sum(scores_.row(i), beta_, a_[i], alpha_[i]);
    }
  }
  void project_columns() {
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (b_[j] > 0) beta_[j] = kernels::shift_for_sum(transposed_.row(j), alpha_, b_[j], beta_[j]);
    }
  }

  void form_plan(std::span<const double> alpha, std::span<const double> beta) {
    kernels::clipped_plan(scores_, {alpha, beta, row_sums_, column_sums_}, mu_);
  }

  double residual() const {
    double violation = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) violation += std::abs(row_sums_[i] - a_[i]);
    for (std::size_t j = 0; j < b_.size(); ++j) violation += std::abs(column_sums_[j] - b_[j]);
    return violation / mass_;
  }

  bool has_empty_column() const {
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (b_[j] > 0 && column_sums_[j] == 0) return true;
    }
    return false;
  }

  void newton() {
    double best = infinity;
    int waited = 0;
    for (; report_.iterations < options_.max_iterations; ++report_.iterations) {
      shift_scores();
      form_plan(alpha_, beta_);
      report_.residual = residual();
      if (report_.residual <= options_.tolerance) return;
      waited = report_.residual < best / 2 ? 0 : waited + 1;
      best = std::min(best, report_.residual);
      if (waited > patience && best < last_steps) {
        report_.status = Status::stalled;
        return;
      }
      find_direction();
      search_line();
      project_rows();
      form_plan(alpha_, beta_);
      if (has_empty_column()) project_columns();
    }
    form_plan(alpha_, beta_);
    report_.residual = residual();
    report_.status = Status::max_iterations;
  }

  void find_direction() {
    const Workspace::Frame frame(scratch_);
    const auto rho = scratch_.take<double>(a_.size());
    const auto gamma = scratch_.take<double>(b_.size());
    const MatrixView<double> weights(scratch_.take<double>(a_.size() * b_.size()).data(), a_.size(),
                                     b_.size());
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const double* from = mu_.row(i).data();
      double* to = weights.row(i).data();
      for (std::size_t j = 0; j < b_.size(); ++j) to[j] = from[j] > 0 ? 1 : 0;
      rho[i] = a_[i] - row_sums_[i];
    }
    for (std::size_t j = 0; j < b_.size(); ++j) gamma[j] = b_[j] - column_sums_[j];
    const double ridge = std::max(last_ridge, ridge_share * report_.residual);
    const BipartiteLaplacian hessian(weights, ridge, scratch_);
    hessian.solve(rho, gamma, alpha_step_, beta_step_);
    center_balanced_parts(rho, gamma);
  }

  // Moving the rows of a connected part against its columns changes nothing in it. A part whose two sides
  // lack the same mass needs no such move, but rounding divided by the ridge would make one, and touch
  // entries outside.
  void center_balanced_parts(std::span<const double> rho, std::span<const double> gamma) {
    const std::size_t rows = a_.size();
    Parts parts(rows + b_.size(), scratch_);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < b_.size(); ++j) {
        if (mu_.row(i)[j] > 0) parts.join(i, rows + j);
      }
    }
    struct Part {
      double lacking, mass, shift, count;
    };
    const auto sums = scratch_.take<Part>(rows + b_.size());
    std::ranges::fill(sums, Part{0, 0, 0, 0});
    const auto add = [&](std::size_t node, const Part& term) {
      Part& part = sums[parts.root(node)];
      part = {part.lacking + term.lacking, part.mass + term.mass, part.shift + term.shift, part.count + 1};
    };
    for (std::size_t i = 0; i < rows; ++i) add(i, {rho[i], a_[i], alpha_step_[i], 1});
    for (std::size_t j = 0; j < b_.size(); ++j) add(rows + j, {-gamma[j], b_[j], -beta_step_[j], 1});
    const auto shift_of = [&](std::size_t node) {
      const Part& part = sums[parts.root(node)];
      return std::abs(part.lacking) <= balanced * part.mass ? part.shift / part.count : 0;
    };
    for (std::size_t i = 0; i < rows; ++i) alpha_step_[i] -= shift_of(i);
    for (std::size_t j = 0; j < b_.size(); ++j) beta_step_[j] += shift_of(rows + j);
  }

  // The slope of ½‖[scores + α + β]₊‖² − ⟨a, α⟩ − ⟨b, β⟩ along the step, at t.
  double slope(double t, std::span<double> alpha, std::span<double> beta) {
    for (std::size_t i = 0; i < alpha.size(); ++i) alpha[i] = alpha_[i] + t * alpha_step_[i];
    for (std::size_t j = 0; j < beta.size(); ++j) beta[j] = beta_[j] + t * beta_step_[j];
    form_plan(alpha, beta);
    double sum = 0;
    for (std::size_t i = 0; i < alpha.size(); ++i) sum += (row_sums_[i] - a_[i]) * alpha_step_[i];
    for (std::size_t j = 0; j < beta.size(); ++j) sum += (column_sums_[j] - b_[j]) * beta_step_[j];
    return sum;
  }

  // The dual is convex: its slope rises along the step. Ends where the slope has fallen enough and the dual
  // has fallen for certain, which is so before the slope turns positive, or if the slope half way makes up
  // for it.
  void search_line() {
    const Workspace::Frame frame(scratch_);
    const auto alpha = scratch_.take<double>(a_.size());
    const auto beta = scratch_.take<double>(b_.size());
    const double start = std::abs(slope(0, alpha, beta));
    double low = 0;
    double low_slope = -start;
    double high = 1;
    double high_slope = infinity;
    double t = 1;
    for (int k = 0; k < max_line_search; ++k) {
      const double now = slope(t, alpha, beta);
      if (now <= 0) {
        low = t;
        low_slope = now;
        if (t == 1 || now >= -flat * start) break;
      } else {
        if (now <= flat * start && slope(t / 2, alpha, beta) + now <= -flat * start) {
          low = t;
          break;
        }
        high = t;
        high_slope = now;
      }
      t = next_trial(k, low, high, low_slope / (low_slope - high_slope));
    }
    t = low;  // up to here the dual falls
    for (std::size_t i = 0; i < alpha.size(); ++i) alpha_[i] += t * alpha_step_[i];
    for (std::size_t j = 0; j < beta.size(); ++j) beta_[j] += t * beta_step_[j];
  }

  // Interpolates; as that may creep along a kink, halves the bracket on a logarithmic scale every third time.
  static double next_trial(int k, double low, double high, double share) {
    if (k % 3 != 2) return low + (high - low) * share;
    return low > 0 ? std::sqrt(low * high) : high * first_shrink;
  }

  void shift_scores() {
    const auto is_large = [&](double potential) { return std::abs(potential) > largest_potential * unit_; };
    if (std::ranges::none_of(alpha_, is_large) && std::ranges::none_of(beta_, is_large)) return;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      double* row = scores_.row(i).data();
      for (std::size_t j = 0; j < b_.size(); ++j) row[j] += alpha_[i] + beta_[j];
    }
    transpose();
    std::ranges::fill(alpha_, 0.0);
    std::ranges::fill(beta_, 0.0);
  }

  TransportProjection options_;
  std::span<const double> a_, b_;
  double mass_, unit_;
  Workspace& scratch_;
  MatrixView<double> scores_, transposed_, mu_;
  std::span<double> alpha_, beta_, alpha_step_, beta_step_, row_sums_, column_sums_;
  Report report_;
};

}  // namespace

Report TransportProjection::solve(std::span<const double> theta, std::span<const double> a,
                                  std::span<const double> b, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  ProjectionSearch search(*this, a, b, mu, scratch);
  return search.run(theta);
}

}  // namespace fenchel
