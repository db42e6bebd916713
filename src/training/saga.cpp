// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/saga.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/training/linear_objective.hpp"
#include "training/missed_steps.hpp"
#include "training/primal_parts.hpp"
#include "training/problem_rows.hpp"
#include "training/progress.hpp"
#include "training/row_omega.hpp"
#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

// Passes without progress of a thousandth after which rounding is all that moves.
constexpr int patience = 100;

template <Real T>
class Saga final : public Algorithm {
 public:
  Saga(const LinearProblem<T>& problem, const TrainOptions& options)
      : problem_(problem),
        rows_(problem),
        costs_(problem),
        omega_(problem.omega),
        shape_(problem.shape()),
        objective_(make_linear_objective(problem, options.threads)),
        shaped_(options.penalty, shape_, resolve_threads(options.threads)),
        penalty_(options.penalty),
        seed_(options.seed),
        progress_(options, patience),
        step_(step_of(problem, options)),
        missed_(options.penalty, step_, problem.examples()),
        w_(start_of(shape_, options.start)),
        mean_(shape_.size),
        gradient_(shape_.size),
        kept_(problem.examples() * problem.outputs),
        seen_(rows_.features()),
        theta_(problem.outputs),
        target_(problem.outputs),
        centred_(problem.center.empty() ? 0 : problem.features()) {
    fill_table();
  }

  std::string_view name() const override { return "saga"; }
  std::span<const double> parameters() const override { return w_; }
  Report report() const override { return progress_.report(); }

  Standing step() override {
    Random random(seed_ + 0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(progress_.iterations()) + 1));
    std::ranges::fill(seen_, std::uint64_t{0});
    const std::size_t n = rows_.size();
    for (std::size_t t = 0; t < n; ++t) visit(static_cast<std::size_t>(random.below(n)), t);
    for (std::size_t j = 0; j < penalised_rows(); ++j) catch_up(j, n);
    return evaluate();
  }

  State save() const override {
    State state;
    progress_.save(state);
    state.set("w", w_);
    state.set("mean", mean_);
    state.set("kept", kept_);
    state.set("first_gradient", first_gradient_);
    return state;
  }
  void restore(const State& state) override {
    progress_.restore(state);
    state.read("w", std::span(w_));
    state.read("mean", std::span(mean_));
    state.read("kept", std::span(kept_));
    first_gradient_ = state.number<double>("first_gradient");
  }

 private:
  static double step_of(const LinearProblem<T>& problem, const TrainOptions& options) {
    const SolverSpec spec(options.solver, "saga", {"step"});
    const double asked = spec.number("step", 0);
    check_at_least("step", asked, 0);
    check_finite("step", asked);
    if (asked > 0) return asked;
    const ProblemRows<T> rows(problem);
    double squares = 0;
    for (const double entry : problem.center) squares += entry * entry;
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double norm = rows.squared_norm(i);
      if (!problem.center.empty()) norm += squares - 2 * rows.dot(i, problem.center);
      largest = std::max(largest, (problem.weights.empty() ? 1 : problem.weights[i]) * norm);
    }
    return largest > 0 ? *problem.omega.strong_convexity() / (3 * largest) : 1;
  }

  std::size_t width() const { return problem_.outputs; }
  std::size_t penalised_rows() const { return shape_.penalised / std::max<std::size_t>(width(), 1); }
  double weight(std::size_t i) const { return problem_.weights.empty() ? 1 : problem_.weights[i]; }
  std::span<double> row_of(std::vector<double>& v, std::size_t j) const {
    return std::span(v).subspan(j * width(), width());
  }

  // Calls f(feature, value) for the entries of row i, centred.
  template <class F>
  void visit_row(std::size_t i, F f) {
    if (centred_.empty()) {
      rows_.visit(i, f);
      return;
    }
    std::ranges::transform(problem_.center, centred_.begin(), [](double entry) { return -entry; });
    rows_.visit(i, [&](std::size_t j, double x) {
      if (j < centred_.size()) centred_[j] += x;
    });
    for (std::size_t j = 0; j < centred_.size(); ++j) f(j, centred_[j]);
    if (rows_.intercept()) f(centred_.size(), 1.0);
  }

  // w_i (ŷ − y_i) at the current W into theta_.
  void residual(std::size_t i) {
    Workspace& scratch = thread_workspace();
    std::ranges::fill(theta_, 0.0);
    visit_row(
        i, [&](std::size_t j, double x) { add_scaled(x, w_.data() + j * width(), width(), theta_.data()); });
    costs_.add(i, 0, theta_, scratch);
    write_target(problem_.y, i, 0, std::span(target_));
    const Workspace::Frame frame(scratch);
    const auto prediction = scratch.take<double>(width());
    omega_.predict(theta_, prediction, scratch);
    for (std::size_t k = 0; k < width(); ++k) theta_[k] = weight(i) * (prediction[k] - target_[k]);
  }

  void fill_table() {
    const auto n = static_cast<double>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (weight(i) == 0) continue;
      residual(i);
      std::ranges::copy(theta_, row_of(kept_, i).begin());
      visit_row(i, [&](std::size_t j, double x) {
        add_scaled(x / n, theta_.data(), width(), mean_.data() + j * width());
      });
    }
  }

  // W_j as it is before step t.
  void catch_up(std::size_t j, std::size_t t) {
    if (seen_[j] < t) missed_.apply(t - seen_[j], row_of(mean_, j), row_of(w_, j));
    seen_[j] = t;
  }

  void visit(std::size_t i, std::size_t t) {
    const std::size_t penalised = penalised_rows();
    visit_row(i, [&](std::size_t j, double) {
      if (j < penalised) catch_up(j, t);
    });
    if (weight(i) == 0) return;  // its features catch up with this step too, when they are next needed
    residual(i);
    const auto old = row_of(kept_, i);
    for (std::size_t k = 0; k < width(); ++k) {
      const double fresh = theta_[k];
      theta_[k] -= old[k];
      old[k] = fresh;
    }
    const auto n = static_cast<double>(rows_.size());
    visit_row(i, [&](std::size_t j, double x) {
      const auto w = row_of(w_, j);
      const auto mean = row_of(mean_, j);
      for (std::size_t k = 0; k < width(); ++k) {
        w[k] -= step_ * (x * theta_[k] + mean[k]);
        mean[k] += x * theta_[k] / n;
      }
      if (j >= penalised) return;
      missed_.shrink(w);
      seen_[j] = t + 1;
    });
  }

  Standing evaluate() {
    const double loss = objective_->evaluate(w_, gradient_);
    const Penalty rest{.l1 = penalty_.l1, .group = penalty_.group};
    const double smooth = shaped_.add_smooth(w_, gradient_);
    const double objective =
        loss + smooth + rest.value(std::span<const double>(w_).first(shape_.penalised), shape_.width);
    double largest = 0;
    for (const double entry : gradient_) largest = std::max(largest, std::abs(entry));
    if (progress_.iterations() == 0) first_gradient_ = largest;
    const auto gap = shaped_.gap(w_, gradient_);
    return progress_.judge(
        standing_of(objective, gap, shape_.size == shape_.penalised, first_order(), first_gradient_));
  }

  // The largest entry of the gradient mapping (W − prox(W − h∇)) / h, ∇ of the smooth part of the mean.
  double first_order() const {
    std::vector<double> moved(w_);
    const double h = step_ / static_cast<double>(rows_.size());
    for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= h * gradient_[j];
    shaped_.prox(h, moved);
    double largest = 0;
    for (std::size_t j = 0; j < moved.size(); ++j)
      largest = std::max(largest, std::abs(w_[j] - moved[j]) / h);
    return largest;
  }

  LinearProblem<T> problem_;
  ProblemRows<T> rows_;
  RowCosts<T> costs_;
  RowOmega omega_;
  ParameterShape shape_;
  std::unique_ptr<Objective> objective_;
  ShapedPenalty shaped_;
  Penalty penalty_;
  std::uint64_t seed_;
  Progress progress_;
  double step_;
  MissedSteps missed_;
  std::vector<double> w_;
  std::vector<double> mean_;  // A
  std::vector<double> gradient_;
  std::vector<double> kept_;         // r_i, one row an example
  std::vector<std::uint64_t> seen_;  // steps of this pass that W_j has made
  std::vector<double> theta_, target_, centred_;
  double first_gradient_ = 0;
};

template <Real T>
std::unique_ptr<Algorithm> make(const LinearProblem<T>& problem, const TrainOptions& options) {
  check_problem(problem);
  options.penalty.check();
  if (!(problem.omega.strong_convexity().value_or(0) > 0)) {
    throw std::invalid_argument(
        fmt::format("saga: the strong convexity of {} is not known, and with it the step; choose --solver "
                    "dual_ascent, lbfgs or subgradient",
                    to_json(problem.omega.spec())));
  }
  if (problem.x.sparse() && !problem.center.empty()) {
    throw std::invalid_argument(
        "saga: sparse features that are centred would be dense; choose --scale maxabs or --solver lbfgs");
  }
  return std::make_unique<Saga<T>>(problem, options);
}

}  // namespace

std::unique_ptr<Algorithm> make_saga(const LinearProblem<float>& problem, const TrainOptions& options) {
  return make(problem, options);
}
std::unique_ptr<Algorithm> make_saga(const LinearProblem<double>& problem, const TrainOptions& options) {
  return make(problem, options);
}

}  // namespace fenchel
