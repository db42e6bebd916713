// SPDX-License-Identifier: Apache-2.0
// One-vs-all losses: an L-BFGS for each output, all fed by the same evaluations.
#include <array>
#include <stdexcept>
#include <string>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/training/primal.hpp"
#include "training/conditioning.hpp"
#include "training/join_plan.hpp"
#include "training/lbfgs_run.hpp"
#include "training/primal_parts.hpp"

namespace fenchel {
namespace {

// One output: its machine on a column of W (and its intercept), and where it stands.
struct Output {
  explicit Output(const Conditioning& variables) : conditioning(variables) {}

  Conditioning conditioning;
  std::unique_ptr<LbfgsRun> run;
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
        plan_(*objective_, !options.start.empty()),
        parameters_(start_of(shape_, options.start)),
        trial_(shape_.size),
        gradient_(shape_.size),
        values_(shape_.width) {
    options_.observer = {};
    options_.start = {};
    const ParameterShape column = column_shape();
    const Lbfgs each = lbfgs_options(options, objective_->noise(), 1);
    const Conditioning conditioning(objective_->curvature(), column, options.penalty.l2, 1);
    std::vector<double> start(conditioning.variables());
    outputs_.reserve(shape_.width);
    for (std::size_t k = 0; k < shape_.width; ++k) {
      Output& output = outputs_.emplace_back(conditioning);
      output.w.resize(column.size);
      output.gradient.resize(column.size);
      for (std::size_t j = 0; j < column.size; ++j) output.w[j] = parameters_[j * shape_.width + k];
      conditioning.to_variables(output.w, start);
      output.run = std::make_unique<LbfgsRun>(each, start);
      output.penalty = std::make_unique<ShapedPenalty>(options.penalty, column, 1);
    }
  }

  std::string_view name() const override { return "lbfgs"; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  Standing step() override {
    if (plan_.due(rounds_, parameters_)) join();
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      if (!outputs_[k].standing.done) {
        outputs_[k].conditioning.to_parameters(outputs_[k].run->machine().trial(), outputs_[k].w);
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
    plan_.save(state);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const std::string prefix = "output" + std::to_string(k) + ".";
      const State one = outputs_[k].run->save();
      for (const auto& entry : one.arrays()) {
        std::visit([&](const auto& values) { state.set(prefix + entry.first, values); }, entry.second);
      }
      state.set(prefix + "first_gradient", outputs_[k].first_gradient);
      // What is done may have been so in other variables: where it stands is kept, not found again.
      const Standing& standing = outputs_[k].standing;
      state.set(prefix + "w", outputs_[k].w);
      state.set(prefix + "standing", std::vector<double>{standing.objective, standing.gap.value_or(-1),
                                                         standing.residual, standing.done ? 1.0 : 0.0});
    }
    return state;
  }
  void restore(const State& state) override {
    rounds_ = static_cast<int>(state.number<std::int64_t>("rounds"));
    plan_.restore(state, shape_.size);
    if (!plan_.point().empty()) join();
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const std::string prefix = "output" + std::to_string(k) + ".";
      State one;
      for (const auto& [name, array] : state.arrays()) {
        if (!name.starts_with(prefix)) continue;
        const std::string rest = name.substr(prefix.size());
        std::visit([&](const auto& values) { one.set(rest, values); }, array);
      }
      outputs_[k].run->restore(one);
      outputs_[k].first_gradient = one.number<double>("first_gradient");
      one.read<double>("w", outputs_[k].w);
      std::array<double, 4> standing{};
      one.read<double>("standing", standing);
      outputs_[k].standing = {.objective = standing[0], .residual = standing[2], .done = standing[3] != 0};
      if (standing[1] >= 0) outputs_[k].standing.gap = standing[1];
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

  // Every output that is not done goes on from the point of the plan in its variables.
  void join() {
    const std::vector<Matrix<double>> curvature = plan_.curvature(*objective_);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      Output& output = outputs_[k];
      if (output.standing.done) continue;
      output.conditioning.join(std::span(curvature).subspan(plan_.apart() ? k : 0, 1), options_.penalty.l2);
      for (std::size_t j = 0; j < output.w.size(); ++j) output.w[j] = plan_.point()[j * shape_.width + k];
      std::vector<double> start(output.conditioning.variables());
      output.conditioning.to_variables(output.w, start);
      output.run->restart(start);
    }
  }

  void tell(std::size_t k) {
    Output& output = outputs_[k];
    if (output.standing.done) return;
    const auto gradient = std::span(output.gradient);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = gradient_[j * shape_.width + k];
    const double smooth = output.penalty->add_smooth(output.w, gradient);
    LbfgsMachine& machine = output.run->machine();
    output.conditioning.gradient_to_variables(gradient, machine.trial_gradient());
    machine.tell(values_[k] + smooth);
    judge(output);
  }

  // Where the point stands, whose parameters go into output.w.
  void judge(Output& output) const {
    const LbfgsMachine& machine = output.run->machine();
    output.conditioning.to_parameters(machine.point(), output.w);
    output.conditioning.gradient_to_parameters(machine.gradient(), output.gradient);
    const double first_order = max_abs(output.gradient);
    if (output.first_gradient < 0) output.first_gradient = first_order;
    output.standing = standing_of(machine.value(), output.penalty->gap(output.w, output.gradient),
                                  shape_.size == shape_.penalised, first_order, output.first_gradient);
    conclude(output.standing, output.report, output.run->report(), options_.tolerance, machine.done());
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
  JoinPlan plan_;
  std::vector<Output> outputs_;
  std::vector<double> parameters_, trial_, gradient_, values_;
  int rounds_ = 0;
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> make_separate_lbfgs(std::unique_ptr<OutputsObjective> objective,
                                               const TrainOptions& options) {
  if (!objective->separable()) throw std::invalid_argument("omega is not a sum over outputs");
  return std::make_unique<SeparateLbfgs>(std::move(objective), options);
}

}  // namespace fenchel
