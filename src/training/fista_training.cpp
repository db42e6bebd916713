// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/solvers/fista.hpp"
#include "fenchel/training/primal.hpp"
#include "training/conditioned.hpp"
#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

Conditioned centred(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  Conditioning conditioning = Conditioning::centring(objective->curvature(), objective->shape(), threads);
  return {std::move(objective), options.penalty, std::move(conditioning), threads};
}

class FistaTraining final : public Algorithm {
 public:
  FistaTraining(std::unique_ptr<Objective> objective, const TrainOptions& options)
      : problem_(centred(std::move(objective), options)),
        tolerance_(options.tolerance),
        machine_({.tolerance = 0, .max_iterations = options.max_iterations},
                 problem_.variables(options.start), prox(), memory_),
        parameters_(problem_.parameters(machine_.point())) {
    SolverSpec(options.solver, "fista", {});
  }

  std::string_view name() const override { return "fista"; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  Standing step() override {
    const int before = machine_.iterations();
    while (!machine_.done() && machine_.iterations() == before) {
      const double value = problem_.evaluate(machine_.trial(), machine_.trial_gradient());
      if (first_gradient_ < 0) first_gradient_ = max_abs(machine_.trial_gradient());
      machine_.tell(value, prox());
    }
    return standing_now();
  }

  State save() const override {
    State state = machine_.save();
    state.set("first_gradient", first_gradient_);
    return state;
  }
  void restore(const State& state) override {
    machine_.restore(state);
    first_gradient_ = state.number<double>("first_gradient");
    if (machine_.iterations() > 0) standing_now();
  }

 private:
  // W is the same in both sets of variables.
  struct Shrink {
    const ShapedPenalty& penalty;
    void operator()(double step, std::span<double> w) const { penalty.prox(step, w); }
  };
  Shrink& prox() { return shrink_; }

  Standing standing_now() {
    parameters_ = problem_.parameters(machine_.point());
    if (machine_.done() && machine_.report().status == Status::stalled) {
      // No step was taken: the gradient is that of a trial.
      standing_.done = true;
      report_.status = Status::stalled;
      return standing_;
    }
    const ShapedPenalty& penalty = problem_.penalty();
    const ParameterShape& shape = penalty.shape();
    const Penalty rest{.l1 = penalty.penalty().l1, .group = penalty.penalty().group};
    const double others = rest.value(machine_.point().first(shape.penalised), shape.width);
    const auto gap = problem_.distance(parameters_, machine_.gradient()).gap;
    standing_ = standing_of(machine_.value() + others, gap, shape.size == shape.penalised,
                            machine_.report().residual, first_gradient_);
    conclude(standing_, report_, machine_.report(), tolerance_, machine_.done());
    return standing_;
  }

  Conditioned problem_;
  Shrink shrink_{problem_.penalty()};
  double tolerance_;
  Workspace memory_;
  FistaMachine machine_;
  std::span<const double> parameters_;
  double first_gradient_ = -1;  // before the first evaluation
  Standing standing_{.objective = infinity, .residual = infinity};
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> make_fista(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  return std::make_unique<FistaTraining>(std::move(objective), options);
}

}  // namespace fenchel
