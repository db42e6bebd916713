// SPDX-License-Identifier: Apache-2.0
// One-vs-all losses: an L-BFGS for each output, all fed by the same evaluations.
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "training/solvers/conditioning.hpp"
#include "training/solvers/curvature_plan.hpp"
#include "training/solvers/lbfgs_run.hpp"
#include "training/solvers/lbfgs_starts.hpp"
#include "training/solvers/primal_parts.hpp"

namespace fenchel {
namespace {

// One output: its machine on a column of W (and its intercept), and where it stands.
struct Output {
  explicit Output(const Conditioning& variables) : conditioning(variables) {}

  void visit_state(StateArchive& archive) {
    archive("run", *run);
    archive("first_slope", first_slope);
  }

  Conditioning conditioning;
  std::unique_ptr<LbfgsRun> run;
  std::unique_ptr<ShapedPenalty> penalty;
  std::vector<double> w, gradient;  // by parameters
  StepReport last_step;
  double first_slope = -1;  // before the first evaluation
};

class SeparateLbfgs final : public Algorithm {
 public:
  SeparateLbfgs(std::shared_ptr<OutputsObjective> objective, const Lbfgs& solver, const TrainOptions& options)
      : objective_(std::move(objective)),
        shape_(objective_->shape()),
        options_(options),
        accuracy_(options),
        threads_(resolve_threads(options.threads)),
        plan_(*objective_, !options.start.empty()),
        parameters_(start_of(shape_, options.start)),
        trial_(shape_.size),
        gradient_(shape_.size),
        values_(shape_.width) {
    options_.start = {};
    const ParameterShape column = column_shape();
    const LbfgsMinimizer each = minimizer_of(solver, options, objective_->noise(), 1);
    const Curvature curvature = objective_->curvature();
    const Conditioning conditioning(curvature, column, options.penalty.l2, 1);
    std::vector<double> start(conditioning.variables());
    outputs_.reserve(shape_.width);
    for (std::size_t k = 0; k < shape_.width; ++k) {
      Output& output = outputs_.emplace_back(conditioning);
      output.w.resize(column.size);
      output.gradient.resize(column.size);
      for (std::size_t j = 0; j < column.size; ++j) output.w[j] = parameters_[j * shape_.width + k];
      conditioning.to_variables(output.w, start);
      output.run = std::make_unique<LbfgsRun>(each, start);
      output.penalty = std::make_unique<ShapedPenalty>(options.penalty, column, curvature, 1);
    }
  }

  std::string_view name() const override { return Lbfgs::traits.name; }
  std::span<const double> parameters() const override { return parameters_; }
  Report report() const override { return report_; }

  StepReport step() override {
    if (plan_.due(rounds_, parameters_)) join();
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const LbfgsMachine& machine = outputs_[k].run->machine();
      put(k, machine.done() ? machine.point() : machine.trial(), trial_);
    }
    objective_->evaluate_outputs(trial_, gradient_, values_);
    for_each_block(outputs_.size(), 1, threads_, [&](std::size_t k, std::size_t) { tell(k); });
    ++rounds_;
    return report_step();
  }

  StepReport assess() override {
    if (rounds_ > 0) return report_step();
    const std::vector<Evaluation> start = evaluate_points();
    StepReport last_step{.residual = infinity, .done = options_.max_iterations <= 0};
    for (const Evaluation& output : start) last_step.objective += output.value;
    return last_step;
  }

  void visit_state(StateArchive& archive) override {
    archive("rounds", rounds_);
    archive.check("rounds", rounds_ <= std::numeric_limits<int>::max() / 2);
    const auto start = archive.reading() ? evaluate_points() : std::vector<Evaluation>();
    archive("plan", plan_);
    if (archive.reading() && !plan_.point().empty()) {
      std::vector<double> gradient(shape_.size);
      double from = 0, to = objective_->evaluate(plan_.point(), gradient);
      for (std::size_t k = 0; k < outputs_.size(); ++k) {
        from += start[k].value;
        for (std::size_t j = 0; j < outputs_[k].w.size(); ++j)
          outputs_[k].w[j] = plan_.point()[j * shape_.width + k];
        to += outputs_[k].penalty->value(outputs_[k].w);
      }
      archive.check("plan.point", descends(from, to));
      join();
    }
    archive("output", outputs_);
    for (const Output& output : outputs_) {
      const bool started = output.run->machine().started();
      archive.check("rounds", started == (rounds_ > 0) && output.run->iterations() <= rounds_);
      archive.check("rounds", started ? output.first_slope >= 0 : output.first_slope == -1);
    }
    if (archive.reading() && rounds_ > 0) check_restored(archive, start);
  }

 private:
  ParameterShape column_shape() const {
    return {shape_.size / shape_.width, shape_.penalised / shape_.width, 1};
  }
  void put_column(std::span<const double> column, std::size_t k, std::span<double> w) const {
    for (std::size_t j = 0; j < column.size(); ++j) w[j * shape_.width + k] = column[j];
  }

  // The parameters of output k at some variables, into its w and its column.
  void put(std::size_t k, std::span<const double> variables, std::span<double> w) {
    outputs_[k].conditioning.to_parameters(variables, outputs_[k].w);
    put_column(outputs_[k].w, k, w);
  }

  // F + G of one output at its point, its slope as judge() sees it, and ∇ by variables.
  struct Evaluation {
    double value = 0, slope = 0;
    std::vector<double> by_variables;
  };
  std::vector<Evaluation> evaluate_points() {
    std::vector<Evaluation> result(outputs_.size());
    for (std::size_t k = 0; k < outputs_.size(); ++k) put(k, outputs_[k].run->machine().point(), trial_);
    objective_->evaluate_outputs(trial_, gradient_, values_);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      Output& output = outputs_[k];
      take_gradient(output, k);
      result[k].value = values_[k] + output.penalty->add_smooth(output.w, output.gradient);
      if (options_.penalty.l2 == 0) result[k].slope = output.penalty->first_order(output.w, output.gradient);
      result[k].by_variables.resize(output.conditioning.variables());
      output.conditioning.gradient_to_variables(output.gradient, result[k].by_variables);
    }
    return result;
  }

  void check_restored(StateArchive& archive, const std::vector<Evaluation>& start) {
    const std::vector<Evaluation> now = evaluate_points();
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const std::string name = "output" + std::to_string(k);
      archive.check_data(name + ".first_slope", outputs_[k].first_slope, finite_or_zero(start[k].slope));
      check_point(archive, name + ".run.machine", outputs_[k].run->machine(),
                  {start[k].value, now[k].value, now[k].by_variables, max_abs(start[k].by_variables)});
      judge(outputs_[k]);
    }
    report_step();
  }

  void take_gradient(Output& output, std::size_t k) const {
    for (std::size_t j = 0; j < output.gradient.size(); ++j)
      output.gradient[j] = gradient_[j * shape_.width + k];
  }

  // Every output goes on from the point of the plan in its variables.
  void join() {
    const std::vector<Matrix<double>> curvature = plan_.curvature(*objective_);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      Output& output = outputs_[k];
      output.conditioning.join(std::span(curvature).subspan(plan_.by_output() ? k : 0, 1),
                               options_.penalty.l2);
      for (std::size_t j = 0; j < output.w.size(); ++j) output.w[j] = plan_.point()[j * shape_.width + k];
      std::vector<double> start(output.conditioning.variables());
      output.conditioning.to_variables(output.w, start);
      output.run->restart(start);
    }
  }

  void tell(std::size_t k) {
    Output& output = outputs_[k];
    LbfgsMachine& machine = output.run->machine();
    if (machine.done()) return;
    take_gradient(output, k);
    const double smooth = output.penalty->add_smooth(output.w, output.gradient);
    output.conditioning.gradient_to_variables(output.gradient, machine.trial_gradient());
    machine.tell(values_[k] + smooth);
    judge(output);
  }

  // Where the point stands, whose parameters go into output.w.
  void judge(Output& output) const {
    const LbfgsMachine& machine = output.run->machine();
    output.conditioning.to_parameters(machine.point(), output.w);
    output.conditioning.gradient_to_parameters(machine.gradient(), output.gradient);
    const auto gap = output.penalty->gap(output.w, output.gradient);
    const double slope = gap ? 0 : output.penalty->first_order(output.w, output.gradient);
    if (output.first_slope < 0) output.first_slope = finite_or_zero(slope);
    output.last_step =
        step_report_of(machine.value(), gap, shape_.size == shape_.penalised, slope, output.first_slope);
    conclude(output.last_step, output.w, {output.run->report(), machine.done()},
             Accuracy(options_, 1.0 / static_cast<double>(outputs_.size())));
  }

  void check_free(StepReport& last_step) {
    for (std::size_t k = 0; k < outputs_.size(); ++k) put_column(outputs_[k].gradient, k, gradient_);
    ShapedPenalty(options_.penalty, shape_, {}, threads_)
        .check_free(last_step, {*objective_, parameters_, gradient_}, accuracy_);
  }

  StepReport report_step() {
    double objective = 0, gap = 0, residual = 0;
    bool done = true;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const Output& output = outputs_[k];
      put_column(output.w, k, parameters_);
      objective += output.last_step.objective;
      gap += output.last_step.gap.value_or(0);
      const double own = output.last_step.residual;
      if (residual < own || std::isnan(own)) residual = own;
      done = done && output.last_step.done;
    }
    const bool known = options_.penalty.l2 > 0;
    StepReport last_step = step_report_of(objective, known ? std::optional(gap) : std::nullopt,
                                          shape_.size == shape_.penalised, residual, 1);
    if (accuracy_.reached(last_step)) check_free(last_step);
    const bool out = rounds_ >= options_.max_iterations;
    const Report machines{out ? Status::max_iterations : Status::stalled, rounds_, last_step.residual};
    report_ = conclude(last_step, parameters_, {machines, done || out}, accuracy_);
    return last_step;
  }

  std::shared_ptr<OutputsObjective> objective_;
  ParameterShape shape_;
  TrainOptions options_;
  Accuracy accuracy_;
  int threads_;
  CurvaturePlan plan_;
  std::vector<Output> outputs_;
  std::vector<double> parameters_, trial_, gradient_, values_;
  int rounds_ = 0;
  Report report_{Status::max_iterations, 0, infinity};
};

}  // namespace

std::unique_ptr<Algorithm> start_separate_lbfgs(std::shared_ptr<OutputsObjective> objective,
                                                const Lbfgs& solver, const TrainOptions& options) {
  if (!objective->separable()) throw std::invalid_argument("omega is not a sum over outputs");
  return std::make_unique<SeparateLbfgs>(std::move(objective), solver, options);
}

}  // namespace fenchel
