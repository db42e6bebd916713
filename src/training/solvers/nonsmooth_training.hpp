// SPDX-License-Identifier: Apache-2.0
// Training with a penalty that has kinks: what the methods for it share. F and the smooth part of G are one
// function for them, in variables in which features are centred; W is the same in both.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/train.hpp"
#include "training/solvers/conditioned_objective.hpp"

namespace fenchel {

/// The variables of these methods.
inline ConditionedObjective centred_objective(std::shared_ptr<Objective> objective,
                                              const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  const Curvature curvature = objective->curvature();
  Conditioning conditioning = Conditioning::centring(curvature, objective->shape(), threads);
  return {std::move(objective), options.penalty, curvature, std::move(conditioning), threads};
}

/// A run of `Method`: made from the problem, the start and the options, it has a `name` and a `machine()`,
/// takes values by `tell(value)`, says whether value and gradient of the machine are those of its point,
/// `evaluated()`, and names points whose objectives are to be looked at in a checkpoint, `points()`.
template <class Method>
class NonsmoothTraining final : public Algorithm {
 public:
  NonsmoothTraining(std::shared_ptr<Objective> objective, const Method& settings, const TrainOptions& options)
      : problem_(centred_objective(std::move(objective), options)),
        accuracy_(options),
        method_(settings),
        parameters_() {
    method_.begin(problem_, problem_.variables(options.start), options);
    parameters_ = problem_.parameters(method_.machine().point());
  }

  std::string_view name() const override { return Method::name; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  StepReport step() override {
    auto& machine = method_.machine();
    const int before = machine.iterations();
    while (!machine.done() && machine.iterations() == before) {
      const double value = problem_.evaluate(machine.trial(), machine.trial_gradient());
      if (first_slope_ < 0) first_slope_ = first_slope(machine.trial(), machine.trial_gradient());
      method_.tell(value);
    }
    const bool stalled = machine.done() && machine.report().status == Status::stalled;
    if (stalled) return report_fresh();  // no step was taken: the gradient may be that of a trial
    return report_at(machine.value(), machine.gradient());
  }

  StepReport assess() override { return report_fresh(); }

  void visit_state(StateArchive& archive) override {
    auto& machine = method_.machine();
    double first = 0, largest = 0, objective = 0;
    std::vector<double> gradient(machine.point().size());
    if (archive.reading()) {
      objective = objective_at(machine.point(), gradient);
      first = first_slope(machine.point(), gradient);
      largest = max_abs(gradient);
    }
    archive("machine", machine);
    archive("first_slope", first_slope_);
    if (!archive.reading()) return;
    parameters_ = problem_.parameters(machine.point());
    const bool started = first_slope_ >= 0;
    archive.check("first_slope", started || (first_slope_ == -1 && machine.iterations() == 0));
    if (started) archive.check_data("first_slope", first_slope_, first);
    const double highest = Method::most_ascent * std::abs(objective);
    for (const auto& [name, point] : method_.points()) {
      archive.check(name, objective_at(point, gradient) <= highest);
    }
    if (method_.evaluated()) {
      constexpr double share = 1e-6;  // rounding does not get smaller with what is left of the first gradient
      archive.check_data("machine.value", machine.value(), problem_.evaluate(machine.point(), gradient));
      archive.check_data("machine.gradient", machine.gradient(), gradient,
                         max_abs(gradient) + share * largest);
    }
    if (machine.iterations() > 0) report_fresh();
  }

 private:
  double objective_at(std::span<const double> point, std::span<double> gradient) {
    return problem_.evaluate(point, gradient) + rest_at(point);
  }
  // What the smooth part of the objective lacks.
  double rest_at(std::span<const double> point) const {
    const Penalty& penalty = problem_.penalty().penalty();
    const ParameterShape& shape = problem_.penalty().shape();
    const Penalty rest{.l1 = penalty.l1, .group = penalty.group};
    return rest.value(point.first(shape.penalised), shape.width);
  }

  // What the data say about the point.
  StepReport report_fresh() {
    const auto point = method_.machine().point();
    std::vector<double> gradient(point.size());
    const double value = problem_.evaluate(point, gradient);
    if (first_slope_ < 0) first_slope_ = first_slope(point, gradient);
    return report_at(value, gradient);
  }

  double first_slope(std::span<const double> start, std::span<const double> gradient) {
    return finite_or_zero(problem_.first_order(problem_.parameters(start), gradient));
  }

  // The smooth part of the objective at the point, and its gradient.
  StepReport report_at(double value, std::span<const double> gradient) {
    const auto point = method_.machine().point();
    parameters_ = problem_.parameters(point);
    const ParameterShape& shape = problem_.penalty().shape();
    const auto gap = problem_.gap(parameters_, gradient);
    const double slope = gap ? 0 : problem_.first_order(parameters_, gradient);
    StepReport last_step =
        step_report_of(value + rest_at(point), gap, shape.size == shape.penalised, slope, first_slope_);
    problem_.check_free(last_step, parameters_, gradient, accuracy_);
    report_ =
        conclude(last_step, parameters_, {method_.machine().report(), method_.machine().done()}, accuracy_);
    return last_step;
  }

  ConditionedObjective problem_;
  Accuracy accuracy_;
  Method method_;
  std::span<const double> parameters_;
  double first_slope_ = -1;  // before the first evaluation
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace fenchel
