// SPDX-License-Identifier: Apache-2.0
#include "solvers/transport_projection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/views.hpp"
#include "kernels/transport_projection.hpp"
#include "solvers/bipartite_laplacian.hpp"
#include "solvers/bregman_projection.hpp"
#include "solvers/transport_start.hpp"

namespace fenchel {
namespace {

constexpr double plain_spread = 20;  // in units of scores: beyond it, most plans are near a vertex
constexpr int first_rounds = 3;      // of projecting rows and columns in turn, before the first Newton step
// Of the residual: keeps steps short while the support is far from right.
constexpr double ridge_share = 1e-3;
// Below every eigenvalue of a connected support of equal weights, above all rounding.
constexpr double last_euclidean_ridge = 1e-10;
constexpr double flat = 0.1;  // a line search ends where the slope has fallen to this share
constexpr int max_line_search = 60;
constexpr double first_shrink = 1e-3;  // of the step, while no shorter one is known to be good
// A residual this small that no longer falls is down to rounding: of sums, and of potentials where entries
// move much faster than they do.
constexpr double euclidean_rounding = 1e-9;
constexpr double potential_rounding = 1e-4;
constexpr int corrections = 50;          // of the entries themselves, at most
constexpr int patience = 5;              // steps for which it may not fall
constexpr double largest_potential = 4;  // in units of scores; larger ones lose digits of the sums

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

// μ as a function of potentials, as φ makes it.
struct PlanFamily {
  double unit;         // scores that differ by so much make entries that differ by about the largest sum
  double last_ridge;   // of the linear systems, near the solution
  double rounding;     // a residual that may be due to it
  bool exact_pieces;   // whether Newton's method ends exactly, once the support is right
  bool drop_unusable;  // whether entries that are 0 in every plan would need infinite potentials

  virtual ~PlanFamily() = default;
  // The plan and its sums.
  virtual void form(MatrixView<const double> scores, const kernels::PlanVectors& vectors,
                    MatrixView<double> mu) const = 0;
  // The potential of a row for which its sum is right, from a guess.
  virtual double shift(std::span<const double> row, std::span<const double> offsets, double sum,
                       double guess) const = 0;
  // How fast the entries of a row move with their potentials.
  virtual void mobility(std::span<const double> row, std::span<double> out) const = 0;

 protected:
  PlanFamily(double unit, double last_ridge, double rounding, bool exact_pieces, bool drop_unusable)
      : unit(unit),
        last_ridge(last_ridge),
        rounding(rounding),
        exact_pieces(exact_pieces),
        drop_unusable(drop_unusable) {}
};

struct EuclideanPlans final : PlanFamily {
  explicit EuclideanPlans(double largest)
      : PlanFamily(largest, last_euclidean_ridge, euclidean_rounding, true, false) {}
  void form(MatrixView<const double> scores, const kernels::PlanVectors& vectors,
            MatrixView<double> mu) const override {
    kernels::clipped_plan(scores, vectors, mu);
  }
  double shift(std::span<const double> row, std::span<const double> offsets, double sum,
               double guess) const override {
    return kernels::shift_for_sum(row, offsets, sum, guess);
  }
  void mobility(std::span<const double> row, std::span<double> out) const override {
    const double* from = row.data();
    double* to = out.data();
    for (std::size_t j = 0; j < row.size(); ++j) to[j] = from[j] > 0 ? 1 : 0;
  }
};

struct BregmanPlans final : PlanFamily {
  // φ' rises by half a unit between a quarter and three quarters of the largest entry: for φ = ½t², the unit
  // is that entry.
  BregmanPlans(const Generator& phi, double largest)
      : PlanFamily(2 * (phi.slope(0.75 * largest) - phi.slope(0.25 * largest)), smallest_ridge,
                   potential_rounding, false, phi.lowest_slope() == -infinity),
        phi_(phi),
        most_mobile_(largest_mobility * phi.mobility(0.5 * largest)) {}
  void form(MatrixView<const double> scores, const kernels::PlanVectors& vectors,
            MatrixView<double> mu) const override {
    std::ranges::fill(vectors.column_sums, 0.0);
    for (std::size_t i = 0; i < scores.rows(); ++i) {
      const std::span<const double> from = scores.row(i);
      const std::span<double> to = mu.row(i);
      double sum = 0;
      for (std::size_t j = 0; j < from.size(); ++j) {
        to[j] = phi_.inverse(from[j] + (vectors.alpha[i] + vectors.beta[j]));
        sum += to[j];
        vectors.column_sums[j] += to[j];
      }
      vectors.row_sums[i] = sum;
    }
  }
  double shift(std::span<const double> row, std::span<const double> offsets, double sum,
               double) const override {
    return shift_for_sum(phi_, row, offsets, sum);
  }
  void mobility(std::span<const double> row, std::span<double> out) const override {
    for (std::size_t j = 0; j < row.size(); ++j) out[j] = std::min(phi_.mobility(row[j]), most_mobile_);
  }

 private:
  // With α > 2 entries leave 0 infinitely fast; a Newton step that follows them further sees nothing else.
  static constexpr double largest_mobility = 1e8;
  const Generator& phi_;
  double most_mobile_;
};

struct SearchLimits {
  double tolerance;
  int max_iterations;
};

class ProjectionSearch {
 public:
  ProjectionSearch(const PlanFamily& family, const SearchLimits& options, std::span<const double> a,
                   std::span<const double> b, std::span<double> mu, Workspace& scratch)
      : family_(family),
        options_(options),
        a_(a),
        b_(b),
        mass_(sum_of(a)),
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
    attempt(theta, plain_spread * family_.unit);
    if (report_.converged() || report_.residual == infinity || family_.exact_pieces) return report_;
    // Parts that hardly touch and lack mass defeat Newton's method; optimal prices bring them into contact.
    const int iterations = report_.iterations;
    report_ = {};
    attempt(theta, 0);
    report_.iterations += iterations;
    return report_;
  }

 private:
  void attempt(std::span<const double> theta, double spread) {
    const TransportStart start{.plain_spread = spread, .drop_unusable = family_.drop_unusable};
    if (!start.reduce(theta, a_, b_, {scores_.data(), theta.size()}, scratch_)) {
      report_ = {Status::stalled, 0, infinity};
      return;
    }
    transpose();
    std::ranges::fill(alpha_, 0.0);
    std::ranges::fill(beta_, 0.0);
    for (int round = 0; round < first_rounds; ++round) {
      project_rows();
      project_columns();
    }
    newton();
  }

  void transpose() {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      for (std::size_t j = 0; j < b_.size(); ++j) transposed_.row(j)[i] = scores_.row(i)[j];
    }
  }

  void project_rows() {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (a_[i] > 0) alpha_[i] = family_.shift(scores_.row(i), beta_, a_[i], alpha_[i]);
    }
  }
  void project_columns() {
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (b_[j] > 0) beta_[j] = family_.shift(transposed_.row(j), alpha_, b_[j], beta_[j]);
    }
  }

  void form_plan(std::span<const double> alpha, std::span<const double> beta) {
    family_.form(scores_, {alpha, beta, row_sums_, column_sums_}, mu_);
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
      if (waited > patience && best < family_.rounding) {
        report_.status = Status::stalled;
        if (!family_.exact_pieces) correct();
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

  // Newton's step on the entries in place of the potentials, which are too coarse to hold it.
  void correct() {
    for (int k = 0; k < corrections && report_.residual > options_.tolerance; ++k) {
      find_direction();
      std::ranges::fill(column_sums_, 0.0);
      for (std::size_t i = 0; i < a_.size(); ++i) {
        const Workspace::Frame frame(scratch_);
        const std::span<double> row = mu_.row(i);
        const auto mobility = scratch_.take<double>(row.size());
        family_.mobility(row, mobility);
        row_sums_[i] = 0;
        for (std::size_t j = 0; j < row.size(); ++j) {
          row[j] = std::max(row[j] + mobility[j] * (alpha_step_[i] + beta_step_[j]), 0.0);
          row_sums_[i] += row[j];
          column_sums_[j] += row[j];
        }
      }
      report_.residual = residual();
    }
    if (report_.residual <= options_.tolerance) report_.status = Status::converged;
  }

  void find_direction() {
    const Workspace::Frame frame(scratch_);
    const auto rho = scratch_.take<double>(a_.size());
    const auto gamma = scratch_.take<double>(b_.size());
    const MatrixView<double> weights(scratch_.take<double>(a_.size() * b_.size()).data(), a_.size(),
                                     b_.size());
    for (std::size_t i = 0; i < a_.size(); ++i) {
      family_.mobility(mu_.row(i), weights.row(i));
      rho[i] = a_[i] - row_sums_[i];
    }
    for (std::size_t j = 0; j < b_.size(); ++j) gamma[j] = b_[j] - column_sums_[j];
    const double ridge = std::max(family_.last_ridge, ridge_share * report_.residual);
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

  // The slope of Σ φ*(scores + α + β) − ⟨a, α⟩ − ⟨b, β⟩ along the step, at t.
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

  // Interpolates; as that may creep along a kink, halves the bracket on a logarithmic scale every third time,
  // and where the far slope is infinite.
  static double next_trial(int k, double low, double high, double share) {
    if (k % 3 != 2 && share > 0) return low + (high - low) * share;
    return low > 0 ? std::sqrt(low * high) : high * first_shrink;
  }

  void shift_scores() {
    const auto is_large = [&](double potential) {
      return std::abs(potential) > largest_potential * family_.unit;
    };
    if (std::ranges::none_of(alpha_, is_large) && std::ranges::none_of(beta_, is_large)) return;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      double* row = scores_.row(i).data();
      for (std::size_t j = 0; j < b_.size(); ++j) row[j] += alpha_[i] + beta_[j];
    }
    transpose();
    std::ranges::fill(alpha_, 0.0);
    std::ranges::fill(beta_, 0.0);
  }

  const PlanFamily& family_;
  SearchLimits options_;
  std::span<const double> a_, b_;
  double mass_;
  Workspace& scratch_;
  MatrixView<double> scores_, transposed_, mu_;
  std::span<double> alpha_, beta_, alpha_step_, beta_step_, row_sums_, column_sums_;
  Report report_;
};

}  // namespace

Report TransportProjection::solve(std::span<const double> theta, std::span<const double> a,
                                  std::span<const double> b, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const EuclideanPlans family(std::max(max_of(a), max_of(b)));
  ProjectionSearch search(family, {tolerance, max_iterations}, a, b, mu, scratch);
  return search.run(theta);
}

Report BregmanTransport::solve(std::span<const double> theta, std::span<const double> a,
                               std::span<const double> b, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const BregmanPlans family(phi, std::min(max_of(a), max_of(b)));
  ProjectionSearch search(family, {tolerance, max_iterations}, a, b, mu, scratch);
  return search.run(theta);
}

}  // namespace fenchel
