// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/training/primal.hpp"
#include "training/conditioned.hpp"
#include "training/join_plan.hpp"
#include "training/lbfgs_run.hpp"

namespace fenchel {
namespace {

Conditioned conditioned(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  Conditioning conditioning(objective->curvature(), objective->shape(), options.penalty.l2, threads);
  return {std::move(objective), options.penalty, std::move(conditioning), threads};
}

class LbfgsTraining final : public Algorithm {
 public:
  LbfgsTraining(std::unique_ptr<Objective> objective, const TrainOptions& options)
      : problem_(conditioned(std::move(objective), options)),
        tolerance_(options.tolerance),
        plan_(problem_.objective(), !options.start.empty()),
        run_(lbfgs_options(options, problem_.objective().noise(), resolve_threads(options.threads)),
             problem_.variables(options.start)),
        parameters_(problem_.parameters(run_.machine().point())) {}

  std::string_view name() const override { return "lbfgs"; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  Standing step() override {
    if (first_gradient_ < 0) {
      evaluate();
      Standing standing = standing_now();  // a warm start may be where it should be
      if (standing.done) return standing;
    }
    if (plan_.due(run_.iterations(), parameters_)) {
      join();
      evaluate();
    }
    const int before = run_.iterations();
    while (!run_.machine().done() && run_.iterations() == before) evaluate();
    return standing_now();
  }

  State save() const override {
    State state = run_.save();
    state.set("first_gradient", first_gradient_);
    plan_.save(state);
    return state;
  }
  void restore(const State& state) override {
    plan_.restore(state, problem_.penalty().shape().size);
    if (!plan_.point().empty()) join();
    run_.restore(state);
    first_gradient_ = state.number<double>("first_gradient");
    if (first_gradient_ >= 0) standing_now();
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

  Standing standing_now() {
    const ParameterShape& shape = problem_.penalty().shape();
    const LbfgsMachine& machine = run_.machine();
    parameters_ = problem_.parameters(machine.point());
    const auto distance = problem_.distance(parameters_, machine.gradient());
    if (first_gradient_ < 0) first_gradient_ = distance.first_order;
    Standing standing = standing_of(machine.value(), distance.gap, shape.size == shape.penalised,
                                    distance.first_order, first_gradient_);
    conclude(standing, report_, run_.report(), tolerance_, machine.done());
    return standing;
  }

  Conditioned problem_;
  double tolerance_;
  JoinPlan plan_;
  LbfgsRun run_;
  std::span<const double> parameters_;
  double first_gradient_ = -1;  // before the first evaluation
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> make_lbfgs(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  return std::make_unique<LbfgsTraining>(std::move(objective), options);
}

}  // namespace fenchel
