// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/training/primal.hpp"
#include "training/conditioned.hpp"
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
        schedule_(problem_.objective(), !options.start.empty()),
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
    const auto due = schedule_.due(run_.iterations());
    if (due != JoinSchedule::Join::none) {
      schedule_.advance(due, run_.iterations());
      joined_at_.assign(parameters_.begin(), parameters_.end());
      join(due == JoinSchedule::Join::apart);
      evaluate();
    }
    const int before = run_.iterations();
    while (!run_.machine().done() && run_.iterations() == before) evaluate();
    return standing_now();
  }

  State save() const override {
    State state = run_.save();
    state.set("first_gradient", first_gradient_);
    state.set("schedule", std::vector<double>{schedule_.next(), schedule_.shared_done() ? 1.0 : 0.0,
                                              joined_apart_ ? 1.0 : 0.0});
    state.set("joined_at", joined_at_);
    return state;
  }
  void restore(const State& state) override {
    std::array<double, 3> schedule{};
    state.read<double>("schedule", schedule);
    schedule_.set(schedule[0], schedule[1] != 0);
    joined_at_ = state.array<double>("joined_at");
    if (!joined_at_.empty()) {
      check_size("joined_at", joined_at_.size(), problem_.penalty().shape().size);
      join(schedule[2] != 0);
    }
    run_.restore(state);
    first_gradient_ = state.number<double>("first_gradient");
    if (first_gradient_ >= 0) standing_now();
  }

 private:
  void evaluate() {
    LbfgsMachine& machine = run_.machine();
    machine.tell(problem_.evaluate(machine.trial(), machine.trial_gradient()));
  }

  // Goes on from joined_at_ in other variables.
  void join(bool apart) {
    problem_.join(apart ? std::span<const double>(joined_at_) : std::span<const double>());
    joined_apart_ = apart;
    run_.restart(problem_.variables(joined_at_));
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
  JoinSchedule schedule_;
  LbfgsRun run_;
  std::span<const double> parameters_;
  std::vector<double> joined_at_;  // where the variables were changed last
  bool joined_apart_ = false;
  double first_gradient_ = -1;  // before the first evaluation
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> make_lbfgs(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  return std::make_unique<LbfgsTraining>(std::move(objective), options);
}

}  // namespace fenchel
