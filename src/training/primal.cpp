// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/primal.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/solvers/fista.hpp"
#include "fenchel/solvers/lbfgs.hpp"
#include "training/conditioning.hpp"
#include "training/primal_parts.hpp"
#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

constexpr int default_memory = 10;  // more pairs save few evaluations of F, and each costs two vectors

void require_smooth(const Penalty& penalty) {
  if (penalty.smooth()) return;
  throw std::invalid_argument(
      "lbfgs needs a smooth penalty, and l1 or group is not 0; choose fista, or saga or dual_ascent with l2");
}

Lbfgs lbfgs_options(const TrainOptions& options, double noise, int threads) {
  const SolverSpec spec(options.solver, "lbfgs", {"memory"});
  const double memory = spec.number("memory", default_memory);
  constexpr double most_memory = 1000;
  if (!(memory >= 1 && memory <= most_memory) || memory != std::floor(memory)) {
    throw std::invalid_argument("solver parameter memory is " + std::to_string(memory) +
                                "; expected a whole number from 1 to 1000");
  }
  return {.tolerance = 0,
          .max_iterations = options.max_iterations,
          .memory = static_cast<int>(memory),
          .smooth = true,
          .noise = noise,
          .threads = threads};
}

double max_abs(std::span<const double> a) {
  double largest = 0;
  for (const double entry : a) largest = std::max(largest, std::abs(entry));
  return largest;
}

// Done by its own criterion, or because the machine can do no more.
void conclude(Standing& standing, Report& report, const Report& machine, double tolerance,
              bool machine_done) {
  report = machine;
  report.residual = standing.residual;
  if (standing.residual <= tolerance)
    report.status = Status::converged;
  else if (machine_done && report.status == Status::converged)
    report.status = Status::stalled;
  else if (!machine_done)
    report.status = Status::max_iterations;
  standing.done = machine_done || standing.residual <= tolerance;
}

// F and the smooth part of G as functions of the variables that an algorithm works with.
class Conditioned {
 public:
  Conditioned(std::unique_ptr<Objective> objective, const Penalty& penalty, Conditioning conditioning,
              int threads)
      : objective_(std::move(objective)),
        conditioning_(std::move(conditioning)),
        penalty_(penalty, objective_->shape(), threads) {
    if (conditioning_.identity()) return;
    for (auto* vector : {&w_, &gradient_, &parameters_}) vector->resize(objective_->shape().size);
  }

  const ShapedPenalty& penalty() const { return penalty_; }
  std::vector<double> variables(std::span<const double> parameters) const {
    std::vector<double> start = start_of(penalty_.shape(), parameters);
    if (conditioning_.identity()) return start;
    std::vector<double> out(conditioning_.variables());
    conditioning_.to_variables(start, out);
    return out;
  }
  double evaluate(std::span<const double> variables, std::span<double> by_variables) {
    if (conditioning_.identity()) {
      const double loss = objective_->evaluate(variables, by_variables);
      return loss + penalty_.add_smooth(variables, by_variables);
    }
    conditioning_.to_parameters(variables, w_);
    const double loss = objective_->evaluate(w_, gradient_);
    const double smooth = penalty_.add_smooth(w_, gradient_);
    conditioning_.gradient_to_variables(gradient_, by_variables);
    return loss + smooth;
  }

  /// The parameters at a point: valid until the next call, and as long as the variables are.
  std::span<const double> parameters(std::span<const double> variables) {
    if (conditioning_.identity()) return variables;
    conditioning_.to_parameters(variables, parameters_);
    return parameters_;
  }

  /// How far a point is from the optimum.
  struct Distance {
    std::optional<double> gap;
    double first_order;  // ‖∇‖_∞ by parameters
  };
  Distance distance(std::span<const double> parameters, std::span<const double> by_variables) {
    std::span<const double> gradient = by_variables;
    if (!conditioning_.identity()) {
      conditioning_.gradient_to_parameters(by_variables, gradient_);
      gradient = gradient_;
    }
    return {penalty_.gap(parameters, gradient), max_abs(gradient)};
  }

 private:
  std::unique_ptr<Objective> objective_;
  Conditioning conditioning_;
  ShapedPenalty penalty_;
  std::vector<double> w_, gradient_, parameters_;  // empty where the variables are the parameters
};

Conditioned conditioned(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  Conditioning conditioning(objective->curvature(), objective->shape(), options.penalty.l2, threads);
  return {std::move(objective), options.penalty, std::move(conditioning), threads};
}

Conditioned centred(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  const int threads = resolve_threads(options.threads);
  Conditioning conditioning = Conditioning::centring(objective->curvature(), objective->shape(), threads);
  return {std::move(objective), options.penalty, std::move(conditioning), threads};
}

class LbfgsTraining final : public Algorithm {
 public:
  LbfgsTraining(std::unique_ptr<Objective> objective, const TrainOptions& options)
      : noise_(objective->noise()),
        problem_(conditioned(std::move(objective), options)),
        tolerance_(options.tolerance),
        machine_(lbfgs_options(options, noise_, resolve_threads(options.threads)),
                 problem_.variables(options.start), memory_),
        parameters_(problem_.parameters(machine_.point())) {}

  std::string_view name() const override { return "lbfgs"; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  Standing step() override {
    if (first_gradient_ < 0) {
      evaluate();
      Standing standing = standing_now();  // a warm start may be where it should be
      if (standing.done) return standing;
    }
    const int before = machine_.iterations();
    while (!machine_.done() && machine_.iterations() == before) evaluate();
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
    if (first_gradient_ >= 0) standing_now();
  }

 private:
  void evaluate() { machine_.tell(problem_.evaluate(machine_.trial(), machine_.trial_gradient())); }

  Standing standing_now() {
    const ParameterShape& shape = problem_.penalty().shape();
    parameters_ = problem_.parameters(machine_.point());
    const auto distance = problem_.distance(parameters_, machine_.gradient());
    if (first_gradient_ < 0) first_gradient_ = distance.first_order;
    Standing standing = standing_of(machine_.value(), distance.gap, shape.size == shape.penalised,
                                    distance.first_order, first_gradient_);
    conclude(standing, report_, machine_.report(), tolerance_, machine_.done());
    return standing;
  }

  double noise_;
  Conditioned problem_;
  double tolerance_;
  Workspace memory_;
  LbfgsMachine machine_;
  std::span<const double> parameters_;
  double first_gradient_ = -1;  // before the first evaluation
  Report report_{Status::max_iterations, 0, infinity};
};

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

std::unique_ptr<Algorithm> make_lbfgs(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  require_smooth(options.penalty);
  return std::make_unique<LbfgsTraining>(std::move(objective), options);
}

std::unique_ptr<Algorithm> make_fista(std::unique_ptr<Objective> objective, const TrainOptions& options) {
  return std::make_unique<FistaTraining>(std::move(objective), options);
}

namespace {

// One output: its machine on a column of W (and its intercept), and where it stands.
struct Output {
  std::unique_ptr<LbfgsMachine> machine;
  std::unique_ptr<ShapedPenalty> penalty;
  std::vector<double> w, gradient;  // by parameters
  Standing standing;
  Report report{Status::max_iterations, 0, infinity};
  double first_gradient = -1;
};

class SeparateLbfgs final : public Algorithm {
 public:
  SeparateLbfgs(std::unique_ptr<OutputsObjective> objective, const TrainOptions& options)
      : objective_(std::move(objective)),
        shape_(objective_->shape()),
        options_(options),
        threads_(resolve_threads(options.threads)),
        conditioning_(objective_->curvature(), column_shape(), options.penalty.l2, 1),
        outputs_(shape_.width),
        parameters_(start_of(shape_, options.start)),
        trial_(shape_.size),
        gradient_(shape_.size),
        values_(shape_.width) {
    options_.observer = {};
    options_.start = {};
    const ParameterShape column = column_shape();
    const Lbfgs each = lbfgs_options(options, objective_->noise(), 1);
    std::vector<double> start(conditioning_.variables());
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      Output& output = outputs_[k];
      output.w.resize(column.size);
      output.gradient.resize(column.size);
      for (std::size_t j = 0; j < column.size; ++j) output.w[j] = parameters_[j * shape_.width + k];
      conditioning_.to_variables(output.w, start);
      output.machine = std::make_unique<LbfgsMachine>(each, start, memory_);
      output.penalty = std::make_unique<ShapedPenalty>(options.penalty, column, 1);
    }
  }

  std::string_view name() const override { return "lbfgs"; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  Standing step() override {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      if (!outputs_[k].standing.done) {
        conditioning_.to_parameters(outputs_[k].machine->trial(), outputs_[k].w);
      }
      put_column(outputs_[k].w, k, trial_);
    }
    objective_->evaluate_outputs(trial_, gradient_, values_);
    for_each_block(outputs_.size(), 1, threads_, [&](std::size_t k, std::size_t) { tell(k); });
    ++rounds_;
    return standing_now();
  }

  State save() const override {
    State state;
    state.set("rounds", static_cast<std::int64_t>(rounds_));
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const std::string prefix = "output" + std::to_string(k) + ".";
      const State one = outputs_[k].machine->save();
      for (const auto& entry : one.arrays()) {
        std::visit([&](const auto& values) { state.set(prefix + entry.first, values); }, entry.second);
      }
      state.set(prefix + "first_gradient", outputs_[k].first_gradient);
    }
    return state;
  }
  void restore(const State& state) override {
    rounds_ = static_cast<int>(state.number<std::int64_t>("rounds"));
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const std::string prefix = "output" + std::to_string(k) + ".";
      State one;
      for (const auto& [name, array] : state.arrays()) {
        if (!name.starts_with(prefix)) continue;
        const std::string rest = name.substr(prefix.size());
        std::visit([&](const auto& values) { one.set(rest, values); }, array);
      }
      outputs_[k].machine->restore(one);
      outputs_[k].first_gradient = one.number<double>("first_gradient");
      if (outputs_[k].first_gradient >= 0) judge(outputs_[k]);
    }
    if (rounds_ > 0) standing_now();
  }

 private:
  ParameterShape column_shape() const {
    return {shape_.size / shape_.width, shape_.penalised / shape_.width, 1};
  }
  void put_column(std::span<const double> column, std::size_t k, std::span<double> w) const {
    for (std::size_t j = 0; j < column.size(); ++j) w[j * shape_.width + k] = column[j];
  }

  void tell(std::size_t k) {
    Output& output = outputs_[k];
    if (output.standing.done) return;
    const auto gradient = std::span(output.gradient);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = gradient_[j * shape_.width + k];
    const double smooth = output.penalty->add_smooth(output.w, gradient);
    conditioning_.gradient_to_variables(gradient, output.machine->trial_gradient());
    output.machine->tell(values_[k] + smooth);
    judge(output);
  }

  // Where the point stands, whose parameters go into output.w.
  void judge(Output& output) const {
    const LbfgsMachine& machine = *output.machine;
    conditioning_.to_parameters(machine.point(), output.w);
    conditioning_.gradient_to_parameters(machine.gradient(), output.gradient);
    const double first_order = max_abs(output.gradient);
    if (output.first_gradient < 0) output.first_gradient = first_order;
    output.standing = standing_of(machine.value(), output.penalty->gap(output.w, output.gradient),
                                  shape_.size == shape_.penalised, first_order, output.first_gradient);
    conclude(output.standing, output.report, machine.report(), options_.tolerance, machine.done());
  }

  Standing standing_now() {
    double objective = 0, gap = 0, residual = 0;
    bool done = true;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const Output& output = outputs_[k];
      put_column(output.w, k, parameters_);
      objective += output.standing.objective;
      gap += output.standing.gap.value_or(0);
      residual = std::max(residual, output.standing.residual);
      done = done && output.standing.done;
    }
    const bool known = options_.penalty.l2 > 0;
    Standing standing = standing_of(objective, known ? std::optional(gap) : std::nullopt,
                                    shape_.size == shape_.penalised, residual, 1);
    const bool converged = standing.residual <= options_.tolerance;
    report_ = {converged ? Status::converged : Status::max_iterations, rounds_, standing.residual};
    if (!converged && done && rounds_ < options_.max_iterations) report_.status = Status::stalled;
    standing.done = done || converged || rounds_ >= options_.max_iterations;
    return standing;
  }

  std::unique_ptr<OutputsObjective> objective_;
  ParameterShape shape_;
  TrainOptions options_;
  int threads_;
  Conditioning conditioning_;
  Workspace memory_;
  std::vector<Output> outputs_;
  std::vector<double> parameters_, trial_, gradient_, values_;
  int rounds_ = 0;
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> make_separate_lbfgs(std::unique_ptr<OutputsObjective> objective,
                                               const TrainOptions& options) {
  require_smooth(options.penalty);
  if (!objective->separable()) throw std::invalid_argument("omega is not a sum over outputs");
  return std::make_unique<SeparateLbfgs>(std::move(objective), options);
}

}  // namespace fenchel
