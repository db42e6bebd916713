// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/fista.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/solvers/fista_minimizer.hpp"
#include "training/solvers/conditioned_objective.hpp"
#include "training/solvers/requirements.hpp"

namespace fenchel {
namespace {

ConditionedObjective centred(std::shared_ptr<Objective> objective, const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  const Curvature curvature = objective->curvature();
  Conditioning conditioning = Conditioning::centring(curvature, objective->shape(), threads);
  return {std::move(objective), options.penalty, curvature, std::move(conditioning), threads};
}

class FistaTraining final : public Algorithm {
 public:
  FistaTraining(std::shared_ptr<Objective> objective, const TrainOptions& options)
      : problem_(centred(std::move(objective), options)),
        tolerance_(options.tolerance),
        machine_({.tolerance = 0, .max_iterations = options.max_iterations},
                 problem_.variables(options.start), prox(), memory_),
        parameters_(problem_.parameters(machine_.point())) {}

  std::string_view name() const override { return Fista::traits.name; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  StepReport step() override {
    const int before = machine_.iterations();
    while (!machine_.done() && machine_.iterations() == before) {
      const double value = problem_.evaluate(machine_.trial(), machine_.trial_gradient());
      if (first_gradient_ < 0) first_gradient_ = max_abs(machine_.trial_gradient());
      machine_.tell(value, prox());
    }
    return report_step();
  }

  StepReport assess() override { return report_fresh(); }

  void visit_state(StateArchive& archive) override {
    double first = 0, objective = 0;
    std::vector<double> gradient(machine_.point().size());
    if (archive.reading()) {
      objective = objective_at(machine_.point(), gradient);
      first = max_abs(gradient);
    }
    archive("machine", machine_);
    archive("first_gradient", first_gradient_);
    if (!archive.reading()) return;
    parameters_ = problem_.parameters(machine_.point());
    const bool started = first_gradient_ >= 0;
    archive.check("first_gradient", started || (first_gradient_ == -1 && machine_.iterations() == 0));
    if (started) archive.check_data("first_gradient", first_gradient_, first);
    // It need not descend all the time, but it does not go far up either.
    constexpr double most_ascent = 10;
    const double highest = most_ascent * std::abs(objective);
    archive.check("machine.point", objective_at(machine_.point(), gradient) <= highest);
    archive.check("machine.ahead", objective_at(machine_.ahead(), gradient) <= highest);
    if (machine_.iterations() == 0) return;
    if (machine_.report().status != Status::stalled) {  // else the gradient is that of a trial
      constexpr double share = 1e-6;  // rounding does not get smaller with what is left of the first gradient
      archive.check_data("machine.value", machine_.value(), problem_.evaluate(machine_.point(), gradient));
      archive.check_data("machine.gradient", machine_.gradient(), gradient,
                         max_abs(gradient) + share * first);
    }
    report_fresh();
  }

 private:
  // W is the same in both sets of variables.
  struct Shrink {
    const ShapedPenalty& penalty;
    void operator()(double step, std::span<double> w) const { penalty.prox(step, w); }
  };
  Shrink& prox() { return shrink_; }

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

  StepReport report_step() {
    const bool stalled = machine_.done() && machine_.report().status == Status::stalled;
    if (stalled) return report_fresh();  // no step was taken: the gradient is that of a trial
    return report_at({machine_.value(), machine_.gradient(), machine_.report().residual});
  }

  // What the data say about the point.
  StepReport report_fresh() {
    const auto point = machine_.point();
    std::vector<double> gradient(point.size()), moved(point.begin(), point.end());
    const double value = problem_.evaluate(point, gradient);
    if (first_gradient_ < 0) first_gradient_ = max_abs(gradient);
    for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= gradient[j];
    prox()(1, moved);
    double residual = 0;
    for (std::size_t j = 0; j < moved.size(); ++j)
      residual = std::max(residual, std::abs(moved[j] - point[j]));
    return report_at({value, gradient, residual});
  }

  // The smooth part of the objective at the point.
  struct Evaluation {
    double value;
    std::span<const double> gradient;
    double residual;  // ‖x − prox(x − ∇)‖_∞
  };
  StepReport report_at(const Evaluation& smooth) {
    parameters_ = problem_.parameters(machine_.point());
    const ParameterShape& shape = problem_.penalty().shape();
    const auto gap = problem_.distance(parameters_, smooth.gradient).gap;
    StepReport last_step = step_report_of(smooth.value + rest_at(machine_.point()), gap,
                                          shape.size == shape.penalised, smooth.residual, first_gradient_);
    report_ = conclude(last_step, parameters_, {machine_.report(), machine_.done()}, tolerance_);
    return last_step;
  }

  ConditionedObjective problem_;
  Shrink shrink_{problem_.penalty()};
  double tolerance_;
  Workspace memory_;
  FistaMachine machine_;
  std::span<const double> parameters_;
  double first_gradient_ = -1;  // before the first evaluation
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::optional<std::string> Fista::refuses(const Problem& problem, const TrainOptions&) const {
  return requirements::first(requirements::no_kernel(problem), requirements::smooth_loss(problem));
}

std::optional<std::string> Fista::suits(const Problem& problem, const TrainOptions& options) const {
  if (refuses(problem, options)) return std::nullopt;
  return "the penalty has kinks (l1 or group), which its proximity operator handles";
}

std::unique_ptr<Algorithm> Fista::start(const Problem& problem, const TrainOptions& options) const {
  requirements::accept(*this, problem, options);
  return std::make_unique<FistaTraining>(make_objective(problem, options.threads), options);
}

}  // namespace fenchel
