// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/saga.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "training/problems/linear_losses.hpp"
#include "training/problems/linear_objective.hpp"
#include "training/problems/linear_rows.hpp"
#include "training/solvers/missed_steps.hpp"
#include "training/solvers/primal_parts.hpp"
#include "training/solvers/requirements.hpp"
#include "training/solvers/stopping_rule.hpp"

namespace fenchel {
namespace {

// Passes without progress of a thousandth after which rounding is all that moves.
constexpr int patience = 100;

template <Real T>
class SagaTraining final : public StoppedAlgorithm {
 public:
  SagaTraining(const LinearProblem<T>& problem, const Saga& solver, const TrainOptions& options)
      : StoppedAlgorithm(Saga::traits.name, options, patience),
        problem_(problem),
        rows_(problem),
        losses_(problem),
        shape_(problem.shape()),
        objective_(make_linear_objective(problem, options.threads)),
        shaped_(options.penalty, shape_, objective_->curvature(), threads_),
        penalty_(options.penalty),
        step_(step_of(problem, solver.step)),
        missed_(options.penalty, step_, problem.examples()),
        w_(start_of(shape_, options.start)),
        mean_(shape_.size),
        gradient_(shape_.size),
        kept_(problem.examples() * problem.outputs),
        seen_(rows_.features()),
        theta_(problem.outputs),
        centred_(problem.center.empty() ? 0 : problem.features()) {
    fill_table();
    first_objective_ = evaluate();
    first_slope_ = shaped_.first_order(w_, gradient_);
  }

  std::span<const double> parameters() const override { return w_; }

  StepReport step() override {
    Random random(seed_ + 0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(stopping_.iterations()) + 1));
    std::ranges::fill(seen_, std::uint64_t{0});
    const std::size_t n = rows_.size();
    for (std::size_t t = 0; t < n; ++t) visit(static_cast<std::size_t>(random.below(n)), t);
    for (std::size_t j = 0; j < penalised_rows(); ++j) catch_up(j, n);
    return stopping_.judge(now(), w_);
  }

  StepReport assess() override { return stopping_.assess(now(), w_); }

  void visit_state(StateArchive& archive) override {
    archive("progress", stopping_);
    archive("w", w_);
    archive("mean", mean_);
    archive("kept", kept_);
    if (!archive.reading()) return;
    const std::vector<double> saved = mean_;
    const double scale = add_kept();
    archive.check_data("mean", saved, mean_, scale);
    mean_ = saved;
  }

 private:
  static double step_of(const LinearProblem<T>& problem, double asked) {
    if (asked > 0) return asked;
    const LinearRows<T> rows(problem);
    const LinearLosses<T> losses(problem);
    const double squares = squared_norm(problem.center);
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double norm = rows.squared_norm(i);
      if (!problem.center.empty()) norm += squares - 2 * rows.dot(i, problem.center);
      largest = std::max(largest, losses.weight(i) * norm);
    }
    return largest > 0 ? *problem.loss.omega().strong_convexity() / (3 * largest) : 1;
  }

  std::size_t width() const { return problem_.outputs; }
  std::size_t penalised_rows() const { return shape_.penalised / std::max<std::size_t>(width(), 1); }
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
    std::ranges::fill(theta_, 0.0);
    visit_row(i, [&](std::size_t j, double x) {
      add_scaled(x, {w_.data() + j * width(), width()}, theta_.data());
    });
    losses_.residual(i, theta_, thread_workspace());
  }

  void fill_table() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (losses_.weight(i) == 0) continue;
      residual(i);
      std::ranges::copy(theta_, row_of(kept_, i).begin());
    }
    add_kept();
  }

  // A from the residuals that are kept; returns the size of its terms.
  double add_kept() {
    const auto n = static_cast<double>(rows_.size());
    double largest = 0;
    std::ranges::fill(mean_, 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (losses_.weight(i) == 0) continue;
      const auto kept = row_of(kept_, i);
      const double size = max_abs(kept);
      visit_row(i, [&](std::size_t j, double x) {
        add_scaled(x / n, kept, mean_.data() + j * width());
        largest = std::max(largest, std::abs(x) * size / n);
      });
    }
    return std::max(largest, max_abs(mean_));
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
    if (losses_.weight(i) == 0) return;  // its features catch up with this step when they are next needed
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

  // F + G, and the gradient of its smooth part.
  double evaluate() {
    const double loss = objective_->evaluate(w_, gradient_);
    const Penalty rest{.l1 = penalty_.l1, .group = penalty_.group};
    const double smooth = shaped_.add_smooth(w_, gradient_);
    return loss + smooth + rest.value(std::span<const double>(w_).first(shape_.penalised), shape_.width);
  }

  StepReport now() {
    const double objective = evaluate();
    const auto gap = shaped_.gap(w_, gradient_);
    const double slope = gap ? 0 : shaped_.first_order(w_, gradient_);
    StepReport last_step =
        step_report_of(objective, gap, shape_.size == shape_.penalised, slope, first_slope_);
    shaped_.check_free(last_step, {*objective_, w_, gradient_}, stopping_.accuracy());
    if (!descends(first_objective_, objective)) last_step.residual = infinity;
    return last_step;
  }

  LinearProblem<T> problem_;
  LinearRows<T> rows_;
  LinearLosses<T> losses_;
  ParameterShape shape_;
  std::unique_ptr<Objective> objective_;
  ShapedPenalty shaped_;
  Penalty penalty_;
  double step_;
  MissedSteps missed_;
  std::vector<double> w_;
  std::vector<double> mean_;  // A
  std::vector<double> gradient_;
  std::vector<double> kept_;         // r_i, one row per example
  std::vector<std::uint64_t> seen_;  // steps of this pass that W_j has made
  std::vector<double> theta_, centred_;
  double first_objective_ = 0, first_slope_ = 0;  // at the start
};

template <Real T>
std::optional<Refusal> refuse(const LinearProblem<T>& problem) {
  if (!(problem.loss.strong_convexity().value_or(0) > 0)) {
    return Refusal{fmt::format("the strong convexity of {} is not known, and with it the step",
                               to_json(problem.loss.omega().spec()))};
  }
  if (problem.x.sparse() && !problem.center.empty()) {
    return Refusal{"sparse features that are centred would be dense", {"scale=maxabs"}};
  }
  return std::nullopt;
}

}  // namespace

void Saga::check() const {
  check_at_least("step", step, 0);
  check_finite("step", step);
}

std::optional<Refusal> Saga::refuses(const Problem& problem, const TrainOptions&) const {
  const auto kinks = requirements::smooth_loss(problem);
  return std::visit(
      [&](const auto& kind) -> std::optional<Refusal> {
        if constexpr (requires { refuse(kind); }) {
          return kinks ? kinks : refuse(kind);
        } else {
          return requirements::linear_model(problem);
        }
      },
      problem);
}

std::unique_ptr<Algorithm> Saga::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  if (const auto* single = std::get_if<LinearProblem<float>>(&problem)) {
    return std::make_unique<SagaTraining<float>>(*single, *this, options);
  }
  return std::make_unique<SagaTraining<double>>(std::get<LinearProblem<double>>(problem), *this, options);
}

}  // namespace fenchel
