// SPDX-License-Identifier: Apache-2.0
#include "solvers/sinkhorn.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/views.hpp"
#include "kernels/sinkhorn.hpp"
#include "solvers/bipartite_laplacian.hpp"
#include "solvers/transport_start.hpp"

namespace fenchel {
namespace {

constexpr double plain_spread = 200;       // exponentials within it are far from under- and overflow
constexpr double largest_scaling = 1e60;   // beyond it, scalings move into the exponents
constexpr int batch = 8;                   // sweeps between checks of the progress
constexpr int newton_steps_expected = 6;   // from where sweeps are linear, to working precision
constexpr double sweep_cost = 12;          // multiplications that take the time of one entry in a sweep,
constexpr double exponential_cost = 60;    // of one exponential,
constexpr double newton_overhead = 40000;  // and of what a Newton step costs at any size
constexpr int max_newton_steps = 300;
constexpr double armijo = 1e-4;
constexpr double smallest_step = 1e-9;
constexpr double largest_potential = 4;  // larger potentials lose digits of the sums
// Below it, changes of the dual drown in rounding, those of the residual do not.
constexpr double small_residual = 1e-6;

class SinkhornSearch {
 public:
  SinkhornSearch(const Sinkhorn& options, std::span<const double> a, std::span<const double> b,
                 std::span<double> mu, Workspace& scratch)
      : options_(options),
        a_(a),
        b_(b),
        mass_(sum_of(a)),
        scratch_(scratch),
        scores_(scratch.take<double>(mu.size())),
        out_(mu.data(), a.size(), b.size()),
        trial_(out_),
        kernel_(scratch.take<double>(mu.size()).data(), a.size(), b.size()),
        alpha_(scratch.take<double>(a.size())),
        beta_(scratch.take<double>(b.size())),
        u_(scratch.take<double>(a.size())),
        v_(scratch.take<double>(b.size())),
        row_sums_(scratch.take<double>(a.size())),
        column_sums_(scratch.take<double>(b.size())) {}

  Report run(std::span<const double> theta) {
    if (!attempt(theta, plain_spread * options_.epsilon)) {
      // Parts that hardly touch and lack mass defeat Newton's method; optimal prices bring them into contact.
      const int iterations = report_.iterations;
      report_ = {};
      attempt(theta, 0);
      report_.iterations += iterations;
    }
    if (report_.residual < infinity) kernels::scale_plan(kernel_, u_, v_, out_);
    return report_;
  }

 private:
  MatrixView<const double> scores() const { return {scores_.data(), a_.size(), b_.size()}; }

  // False where Newton's method gave up far from the solution.
  bool attempt(std::span<const double> theta, double spread) {
    const TransportStart start{.plain_spread = spread, .drop_unusable = true};
    if (!start.reduce(theta, a_, b_, scores_, scratch_)) {
      report_ = {Status::stalled, 0, infinity};
      return true;
    }
    if (options_.epsilon != 1) {
      for (double& score : scores_) score /= options_.epsilon;
    }
    std::ranges::fill(alpha_, 0.0);
    std::ranges::fill(beta_, 0.0);
    absorb();
    if (sweep_until_slow()) return true;
    newton();
    polish();
    return report_.status != Status::stalled;
  }

  // Moves the scalings into the potentials and computes the kernel again.
  void absorb() {
    kernels::exponential_plan(scores(), {alpha_, beta_, row_sums_, column_sums_}, kernel_);
    std::ranges::fill(u_, 1.0);
    std::ranges::fill(v_, 1.0);
  }
  void scalings_to_potentials() {
    for (std::size_t i = 0; i < u_.size(); ++i) alpha_[i] += u_[i] > 0 ? std::log(u_[i]) : 0;
    for (std::size_t j = 0; j < v_.size(); ++j) beta_[j] += v_[j] > 0 ? std::log(v_[j]) : 0;
  }

  double sweep() {
    const double violation = kernels::sinkhorn_sweep(kernel_, {a_, v_, u_, column_sums_});
    for (std::size_t j = 0; j < v_.size(); ++j) {
      v_[j] = b_[j] > 0 && column_sums_[j] > 0 ? b_[j] / column_sums_[j] : 0;
    }
    ++report_.iterations;
    return violation / mass_;
  }

  static bool out_of_range(std::span<const double> scalings) {
    return std::ranges::any_of(
        scalings, [](double x) { return x > largest_scaling || (x > 0 && x < 1 / largest_scaling); });
  }

  // True at the tolerance (or out of iterations), false where Newton steps are the faster way on.
  bool sweep_until_slow() {
    const auto size = static_cast<double>(scores_.size());
    const double newton_cost =
        BipartiteLaplacian::cost(a_.size(), b_.size()) + exponential_cost * size + newton_overhead;
    double before = sweep();
    while (true) {
      double residual = before;
      for (int k = 0; k < batch; ++k) {
        residual = sweep();
        if (residual <= options_.tolerance) {
          report_.residual = residual;
          return true;
        }
        if (report_.iterations >= options_.max_iterations) {
          report_ = {Status::max_iterations, report_.iterations, residual};
          return true;
        }
      }
      if (out_of_range(u_) || out_of_range(v_)) {
        scalings_to_potentials();
        absorb();
      }
      const double gain = std::log(before / residual) / batch;  // decrease of log residual per sweep
      const double sweeps_left = gain > 0 ? std::log(residual / options_.tolerance) / gain : infinity;
      if (!(sweeps_left * sweep_cost * size < newton_steps_expected * newton_cost)) return false;
      before = residual;
    }
  }

  double residual_of_sums() const {
    double violation = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) violation += std::abs(row_sums_[i] - a_[i]);
    for (std::size_t j = 0; j < b_.size(); ++j) violation += std::abs(column_sums_[j] - b_[j]);
    return violation / mass_;
  }

  // Minimises Σ exp(scores + α + β) − ⟨a, α⟩ − ⟨b, β⟩.
  void newton() {
    const Workspace::Frame frame(scratch_);
    const auto rho = scratch_.take<double>(a_.size());
    const auto gamma = scratch_.take<double>(b_.size());
    const auto alpha_step = scratch_.take<double>(a_.size());
    const auto beta_step = scratch_.take<double>(b_.size());
    scalings_to_potentials();
    kernels::exponential_plan(scores(), {alpha_, beta_, row_sums_, column_sums_}, kernel_);
    report_.residual = residual_of_sums();
    for (int step = 0; step < max_newton_steps && report_.residual > options_.tolerance; ++step) {
      if (report_.iterations >= options_.max_iterations) {
        report_.status = Status::max_iterations;
        return;
      }
      ++report_.iterations;
      for (std::size_t i = 0; i < rho.size(); ++i) rho[i] = a_[i] - row_sums_[i];
      for (std::size_t j = 0; j < gamma.size(); ++j) gamma[j] = b_[j] - column_sums_[j];
      {
        const Workspace::Frame factor_frame(scratch_);
        const BipartiteLaplacian hessian(kernel_, smallest_ridge, scratch_);
        hessian.solve(rho, gamma, alpha_step, beta_step);
      }
      if (!move(alpha_step, beta_step)) break;
    }
    if (report_.residual > options_.tolerance) report_.status = Status::stalled;
  }

  // Backtracks along a direction; the new plan is in kernel_. False where there is no progress.
  bool move(std::span<const double> alpha_step, std::span<const double> beta_step) {
    const Workspace::Frame frame(scratch_);
    const auto alpha = scratch_.take<double>(alpha_.size());
    const auto beta = scratch_.take<double>(beta_.size());
    const double linear = dot(a_, alpha_step) + dot(b_, beta_step);
    const double total = sum_of(row_sums_);
    const double slope = dot(row_sums_, alpha_step) + dot(column_sums_, beta_step) - linear;
    for (double t = 1; t > smallest_step; t /= 2) {
      for (std::size_t i = 0; i < alpha.size(); ++i) alpha[i] = alpha_[i] + t * alpha_step[i];
      for (std::size_t j = 0; j < beta.size(); ++j) beta[j] = beta_[j] + t * beta_step[j];
      kernels::exponential_plan(scores(), {alpha, beta, row_sums_, column_sums_}, trial_);
      const double change = sum_of(row_sums_) - total - t * linear;
      const double residual = residual_of_sums();
      const bool falls =
          report_.residual < small_residual ? residual < report_.residual : change <= armijo * t * slope;
      if (!falls) continue;
      std::ranges::copy(alpha, alpha_.begin());
      std::ranges::copy(beta, beta_.begin());
      std::swap(kernel_, trial_);
      report_.residual = residual;
      shift_scores();
      return true;
    }
    return false;
  }

  // Potentials are rounded relative to their size, and with them the sums of the plan: large ones become part
  // of the scores, where rounding is a change of θ in its last digits.
  void shift_scores() {
    const auto is_large = [](double potential) { return std::abs(potential) > largest_potential; };
    if (std::ranges::none_of(alpha_, is_large) && std::ranges::none_of(beta_, is_large)) return;
    for (std::size_t i = 0; i < alpha_.size(); ++i) {
      double* row = &scores_[i * beta_.size()];
      for (std::size_t j = 0; j < beta_.size(); ++j) row[j] += alpha_[i] + beta_[j];
    }
    std::ranges::fill(alpha_, 0.0);
    std::ranges::fill(beta_, 0.0);
  }

  // Potentials are rounded relative to their size; two sweeps on the plan itself remove that from its sums.
  void polish() {
    std::ranges::fill(u_, 1.0);
    std::ranges::fill(v_, 1.0);
    sweep();
    report_.residual = std::min(report_.residual, sweep());
    report_.iterations -= 2;
    if (report_.residual <= options_.tolerance) report_.status = Status::converged;
  }

  Sinkhorn options_;
  std::span<const double> a_, b_;
  double mass_;
  Workspace& scratch_;
  std::span<double> scores_;
  MatrixView<double> out_;
  MatrixView<double> trial_, kernel_;  // one of them is out_
  std::span<double> alpha_, beta_, u_, v_, row_sums_, column_sums_;
  Report report_;
};

}  // namespace

Report Sinkhorn::solve(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
                       std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  SinkhornSearch search(*this, a, b, mu, scratch);
  return search.run(theta);
}

}  // namespace fenchel
