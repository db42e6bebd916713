// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/lbfgs.hpp"

#include <type_traits>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "training/solvers/conditioned_objective.hpp"
#include "training/solvers/curvature_plan.hpp"
#include "training/solvers/lbfgs_run.hpp"
#include "training/solvers/lbfgs_starts.hpp"
#include "training/solvers/requirements.hpp"

namespace fenchel {
namespace {

ConditionedObjective conditioned(std::shared_ptr<Objective> objective, const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  const Curvature curvature = objective->curvature();
  Conditioning conditioning(curvature, objective->shape(), options.penalty.l2, threads);
  return {std::move(objective), options.penalty, curvature, std::move(conditioning), threads};
}

class LbfgsTraining final : public Algorithm {
 public:
  LbfgsTraining(std::shared_ptr<Objective> objective, const Lbfgs& solver, const TrainOptions& options)
      : problem_(conditioned(std::move(objective), options)),
        accuracy_(options),
        plan_(problem_.objective(), !options.start.empty()),
        run_(minimizer_of(solver, options, problem_.objective().noise(), resolve_threads(options.threads)),
             problem_.variables(options.start)),
        parameters_(problem_.parameters(run_.machine().point())) {}

  std::string_view name() const override { return Lbfgs::traits.name; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  StepReport step() override {
    if (first_gradient_ < 0) {
      evaluate();
      StepReport last_step = report_step();  // a warm start may be where it should be
      if (last_step.done) return last_step;
    }
    if (plan_.due(run_.iterations(), parameters_)) {
      join();
      evaluate();
    }
    const int before = run_.iterations();
    while (!run_.machine().done() && run_.iterations() == before) evaluate();
    return report_step();
  }

  StepReport assess() override {
    if (first_gradient_ < 0) evaluate();
    return report_step();
  }

  void visit_state(StateArchive& archive) override {
    std::vector<double> gradient(archive.reading() ? run_.machine().point().size() : 0);
    double first = 0, value = 0;
    if (archive.reading()) {
      value = problem_.evaluate(run_.machine().point(), gradient);
      first = max_abs(gradient);
    }
    archive("first_gradient", first_gradient_);
    if (first_gradient_ >= 0) archive.check_data("first_gradient", first_gradient_, first);
    archive("plan", plan_);
    if (archive.reading() && !plan_.point().empty()) {
      archive.check("plan.point",
                    descends(value, problem_.evaluate(problem_.variables(plan_.point()), gradient)));
      join();
    }
    archive("run", run_);
    const bool started = run_.machine().started();
    archive.check("first_gradient", started ? first_gradient_ >= 0 : first_gradient_ == -1);
    archive.check("run.earlier", started || run_.iterations() == 0);
    if (archive.reading()) parameters_ = problem_.parameters(run_.machine().point());
    if (!archive.reading() || first_gradient_ < 0) return;
    const double here = problem_.evaluate(run_.machine().point(), gradient);
    check_point(archive, "run.machine", run_.machine(), {value, here, gradient, first});
    report_step();
  }

 private:
  void evaluate() {
    LbfgsMachine& machine = run_.machine();
    machine.tell(problem_.evaluate(machine.trial(), machine.trial_gradient()));
  }

  // Goes on from the point of the plan in its variables.
  void join() {
    problem_.join(plan_.curvature(problem_.objective()));
    run_.restart(problem_.variables(plan_.point()));
  }

  StepReport report_step() {
    const ParameterShape& shape = problem_.penalty().shape();
    const LbfgsMachine& machine = run_.machine();
    parameters_ = problem_.parameters(machine.point());
    const double slope = max_abs(machine.gradient());  // by variables, in which all features are alike
    if (first_gradient_ < 0) first_gradient_ = slope;
    StepReport last_step = step_report_of(
        machine.value(), problem_.gap(parameters_, machine.gradient()), shape.size == shape.penalised,
        problem_.penalty().measurable() ? slope : infinity, first_gradient_);
    problem_.check_free(last_step, parameters_, machine.gradient(), accuracy_);
    report_ = conclude(last_step, parameters_, {run_.report(), machine.done()}, accuracy_);
    return last_step;
  }

  ConditionedObjective problem_;
  Accuracy accuracy_;
  CurvaturePlan plan_;
  LbfgsRun run_;
  std::span<const double> parameters_;
  double first_gradient_ = -1;  // before the first evaluation
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> start_joint_lbfgs(std::shared_ptr<Objective> objective, const Lbfgs& solver,
                                             const TrainOptions& options) {
  return std::make_unique<LbfgsTraining>(std::move(objective), solver, options);
}

void Lbfgs::check() const { requirements::check_memory(memory); }

std::optional<Refusal> Lbfgs::refuses(const Problem& problem, const TrainOptions& options) const {
  return requirements::first(requirements::no_kernel(problem), requirements::smooth_loss(problem),
                             requirements::smooth_penalty(options.penalty));
}

std::optional<std::string> Lbfgs::suits(const Problem& problem, const TrainOptions& options) const {
  if (refuses(problem, options)) return std::nullopt;
  return "loss and penalty are smooth";
}

std::unique_ptr<Algorithm> Lbfgs::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (requires { make_linear_objective(kind, options.threads); }) {
          std::shared_ptr<OutputsObjective> objective = make_linear_objective(kind, options.threads);
          if (objective->separable() && kind.outputs > 1) {
            return start_separate_lbfgs(std::move(objective), *this, options);
          }
          return start_joint_lbfgs(std::move(objective), *this, options);
        } else {
          return start_joint_lbfgs(make_objective(problem, options.threads), *this, options);
        }
      },
      problem);
}

}  // namespace fenchel
