// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/subgradient.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "training/solvers/examples_pass.hpp"
#include "training/solvers/requirements.hpp"
#include "training/solvers/stopping_rule.hpp"

namespace fenchel {
namespace {

// Averages move on as long as steps do: many passes may bring little each.
constexpr int patience = 200;
// Examples whose losses and gradients set the first step.
constexpr std::size_t most_probes = 256;
// The scale of W is multiplied out before it loses digits to underflow.
constexpr double smallest_scale = 1e-100;
// Parameters for which a prox after every that many steps costs little beside the steps themselves.
constexpr std::size_t parameters_for_step = 64;

// What is bounded by the objective may lie above it by this share, from rounding.
constexpr double rounding = 1e-6;

enum class Schedule { inverse, root, constant };

class SubgradientTraining final : public StoppedAlgorithm {
 public:
  SubgradientTraining(std::shared_ptr<const Examples> examples, const Subgradient& solver,
                      const TrainOptions& options)
      : StoppedAlgorithm(Subgradient::traits.name, options, patience),
        examples_(std::move(examples)),
        penalty_(options.penalty),
        shape_(examples_->shape()),
        order_(examples_->size()),
        u_(shape_.size),
        sums_(shape_.size),
        free_sums_(shape_.size - shape_.penalised),
        average_(shape_.size),
        gradient_(shape_.size) {
    schedule_ = schedule_of(solver, penalty_.l2);
    if (!options.start.empty()) {
      check_size("start", options.start.size(), u_.size());
      std::ranges::copy(options.start, u_.begin());
    }
    average_ = u_;
    first_step_ = solver.step > 0 ? solver.step : probe();
    prox_every_ = std::max<std::size_t>(1, shape_.size / parameters_for_step);
    if (bounds()) bound_.resize(shape_.size);
  }

  std::span<const double> parameters() const override { return average_; }

  StepReport step() override {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    shuffle(std::span(order_), seed_, static_cast<std::uint64_t>(stopping_.iterations()));
    for (const std::uint32_t i : order_) update(i);
    shrink();
    write_average(average_);
    return evaluate();
  }

  // The residual of the last pass cannot be found from the data. If it says that this is the end, so
  // must, about, another pass.
  StepReport assess() override {
    constexpr double alike = 10;
    StepReport last_step = report_of(objective_at_average());
    last_step.residual = stopping_.report().residual;
    const StepReport judged = stopping_.assess(last_step, average_, meaning_of(last_step));
    if (!stopping_.reached(last_step)) return proven(judged);
    SubgradientTraining ahead = *this;
    ahead.restored_ = false;
    const StepReport next = ahead.step();
    const double left = next.residual * Accuracy::scale_of(next.objective);
    if (left <= alike * stopping_.accuracy().enough(next.objective)) return proven(judged);
    last_step.residual = next.residual;
    return proven(stopping_.assess(last_step, average_, meaning_of(last_step)));
  }

  void visit_state(StateArchive& archive) override {
    const std::vector<double> start = u_;
    archive("progress", stopping_);
    archive("u", u_);
    archive("sums", sums_);
    archive("free_sums", free_sums_);
    archive("average", average_);
    archive("scale", scale_);
    archive("mass", mass_);
    archive("weights", weights_);
    archive("steps", steps_);
    archive.extended("last_objective", last_objective_);
    archive("bound", bound_);
    archive("bound_offset", bound_offset_);
    archive.extended("best_dual", best_dual_);
    if (!archive.reading()) return;
    check_restored(archive, start);
    restored_ = bounds() && stopping_.iterations() > 0;
  }

 private:
  // The average follows from the sums, the objective from the average, and the bound from its mixture.
  // Between passes no step waits for a prox.
  void check_restored(StateArchive& archive, const std::vector<double>& start) {
    const auto passes = static_cast<std::uint64_t>(stopping_.iterations());
    const auto steps = static_cast<double>(steps_);
    archive.check("steps", steps_ == passes * size());
    archive.check("scale", scale_ >= smallest_scale && scale_ <= 1);
    archive.check("mass", mass_ >= 0);
    archive.check_data("weights", weights_,
                       schedule_ == Schedule::constant ? steps : 0.5 * steps * (steps + 1));
    const bool bounded = passes > 0 && bounds();
    archive.check("best_dual", bounded || best_dual_ == -infinity);
    if (passes == 0) {
      archive.check("u", u_ == start && scale_ == 1);
      archive.check("average", average_ == start);
      archive.check("sums", max_abs(sums_) == 0 && max_abs(free_sums_) == 0 && mass_ == 0);
      return;
    }
    std::vector<double> average(average_.size());
    double largest = max_abs(average_);
    write_average(average);
    for (std::size_t j = 0; j < shape_.penalised; ++j) {
      largest = std::max({largest, std::abs(mass_ * u_[j]) / weights_, std::abs(sums_[j]) / weights_});
    }
    archive.check_data("average", average_, average, largest);
    archive.check_data("last_objective", last_objective_, objective_at_average());
    if (!bounded) return;
    const double conjugate = penalty_.conjugate(bound_, shape_.width), bound = bound_offset_ - conjugate;
    archive.check_data("best_dual", std::span(&best_dual_, 1), std::span(&bound, 1),
                       std::abs(bound_offset_) + std::abs(conjugate));
    archive.check("best_dual", best_dual_ <= last_objective_ + rounding * std::abs(last_objective_));
  }

  double objective_at_average() const {
    return full_pass(*examples_, average_, {}, threads_) + penalty_.value(weights_of(average_), shape_.width);
  }

  StepReport report_of(double objective) const {
    StepReport report{.objective = objective};
    if (bounds()) {
      report.dual = best_dual_;
      report.gap = std::max(objective - best_dual_, 0.0);
    }
    return report;
  }

  static Schedule schedule_of(const Subgradient& solver, double l2) {
    if (solver.schedule == "inverse" || (solver.schedule == "auto" && l2 > 0)) return Schedule::inverse;
    return solver.schedule == "constant" ? Schedule::constant : Schedule::root;
  }

  std::size_t size() const { return examples_->size(); }
  double count() const { return static_cast<double>(size()); }
  bool bounds() const { return penalty_.l2 > 0 && shape_.penalised == shape_.size; }
  std::span<double> weights_of(std::vector<double>& v) const { return std::span(v).first(shape_.penalised); }
  std::span<const double> weights_of(const std::vector<double>& v) const {
    return std::span(v).first(shape_.penalised);
  }

  // The step with which an average example would be fitted: mean loss over mean ‖∇‖².
  double probe() {
    Workspace& scratch = thread_workspace();
    double losses = 0;
    double squares = 0;
    const std::size_t stride = size() / most_probes + 1;
    for (std::size_t i = 0; i < size(); i += stride) {
      const Workspace::Frame frame(scratch);
      const auto theta = scratch.take<double>(examples_->scores_size(i));
      const auto r = scratch.take<double>(theta.size());
      examples_->scores(i, u_, theta);
      losses += examples_->loss(i, theta, r, scratch);
      examples_->add(i, r, 1, gradient_);
      examples_->scores(i, gradient_, theta);
      squares += dot(theta, r);
      std::ranges::fill(gradient_, 0.0);
    }
    return losses > 0 && squares > 0 ? losses / squares : 1;
  }

  double step_size() const {
    const auto t = static_cast<double>(steps_);
    if (schedule_ == Schedule::constant) return first_step_;
    if (schedule_ == Schedule::root) return first_step_ / std::sqrt(1 + t / count());
    // t₀ ≥ 2 keeps 1 − 1/(t + t₀) from vanishing.
    const double unit = penalty_.l2 / count();
    return 1 / (unit * (t + std::max(2.0, 1 / (unit * first_step_))));
  }

  // W is scale · u, a free intercept included: u holds it divided by the scale.
  void rescale(double factor) {
    scale_ *= factor;
    for (std::size_t j = shape_.penalised; j < shape_.size; ++j) u_[j] /= factor;
    if (scale_ < smallest_scale) multiply_out();
  }

  void multiply_out() {
    for (double& entry : u_) entry *= scale_;
    mass_ /= scale_;
    scale_ = 1;
  }

  void update(std::size_t i) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto theta = scratch.take<double>(examples_->scores_size(i));
    const auto r = scratch.take<double>(theta.size());
    examples_->scores(i, u_, theta);
    for (double& score : theta) score *= scale_;
    examples_->loss(i, theta, r, scratch);
    const double h = step_size();
    if (penalty_.l2 > 0)
      rescale(schedule_ == Schedule::inverse ? 1 - h * penalty_.l2 / count()
                                             : 1 / (1 + h * penalty_.l2 / count()));
    // Σ a_t W_t = mass · u − sums while u stands still; what u gains must not count for the steps before.
    if (std::ranges::any_of(r, [](double entry) { return entry != 0; })) {
      examples_->add(i, r, -h / scale_, u_);
      examples_->add(i, r, -h / scale_ * mass_, sums_);
    }
    pending_ += h / count();
    ++steps_;
    if (++since_prox_ >= prox_every_) shrink();
    const double weight = schedule_ == Schedule::constant ? 1 : static_cast<double>(steps_);
    mass_ += weight * scale_;
    weights_ += weight;
    for (std::size_t j = 0; j < free_sums_.size(); ++j) {
      free_sums_[j] += weight * scale_ * u_[shape_.penalised + j];
    }
  }

  // The prox of the penalties that are not smooth, for all steps since the last time.
  void shrink() {
    since_prox_ = 0;
    const double steps = pending_;
    pending_ = 0;
    if (penalty_.smooth() || steps == 0) return;
    multiply_out();
    const auto w = weights_of(u_);
    for (std::size_t j = 0; j < w.size(); ++j) sums_[j] -= mass_ * w[j];
    penalty_.prox(steps, shape_.width, w);
    for (std::size_t j = 0; j < w.size(); ++j) sums_[j] += mass_ * w[j];
  }

  void write_average(std::vector<double>& average) const {
    for (std::size_t j = 0; j < shape_.penalised; ++j) average[j] = (mass_ * u_[j] - sums_[j]) / weights_;
    for (std::size_t j = 0; j < free_sums_.size(); ++j)
      average[shape_.penalised + j] = free_sums_[j] / weights_;
  }

  StepReport evaluate() {
    std::ranges::fill(gradient_, 0.0);
    const double loss = full_pass(*examples_, average_,
                                  bounds() ? std::span<double>(gradient_) : std::span<double>(), threads_);
    if (bounds()) raise_bound(loss);
    StepReport last_step = report_of(loss + penalty_.value(weights_of(average_), shape_.width));
    const double scale = std::max(std::abs(last_step.objective), std::numeric_limits<double>::min());
    last_step.residual = std::abs(last_step.objective - last_objective_) / scale;
    if (last_step.gap) last_step.residual = std::min(last_step.residual, *last_step.gap / scale);
    last_objective_ = last_step.objective;
    return proven(stopping_.judge(last_step, average_, meaning_of(last_step)));
  }

  // A bound that was read from a file says when to stop, as it would have without a break, but proves
  // nothing: for that, passes from here on have to find one that is about as good.
  StepReport proven(const StepReport& judged) {
    constexpr double alike = 10;
    if (!restored_ || !judged.done) return judged;
    StepReport last_step = judged;
    if (report().status != Status::converged) {
      last_step.dual = last_step.gap = std::nullopt;
      return last_step;
    }
    SubgradientTraining ahead = *this;
    ahead.restored_ = false;
    ahead.best_dual_ = -infinity;
    const double enough = best_dual_ - alike * stopping_.accuracy().enough(judged.objective);
    for (int pass = 0; pass < stopping_.iterations() && ahead.best_dual_ < enough; ++pass) ahead.step();
    if (ahead.best_dual_ < enough) {
      bound_ = ahead.bound_;
      bound_offset_ = ahead.bound_offset_;
      best_dual_ = ahead.best_dual_;
    }
    restored_ = false;
    last_step = report_of(judged.objective);
    last_step.residual = StoppingRule::relative_gap(last_step);
    return stopping_.assess(last_step, average_, meaning_of(last_step));
  }

  // Averages may hardly move far from the optimum: only a gap proves that they are there, or an objective
  // of 0, than which there is no smaller one.
  StoppingRule::Residual meaning_of(const StepReport& last_step) const {
    const bool optimal =
        last_step.objective == 0 ||
        (last_step.gap && *last_step.gap <= stopping_.accuracy().enough(last_step.objective));
    return optimal ? StoppingRule::Residual::optimal : StoppingRule::Residual::settled;
  }

  // The dual objective of a mixture of predictions is offset − G*(V); the mixture moves towards those of this
  // pass as far as the bound for quadratic G allows.
  void raise_bound(double loss) {
    const double offset = loss - dot(average_, gradient_);
    for (double& entry : gradient_) entry = -entry;
    if (best_dual_ == -infinity) {
      bound_ = gradient_;
      bound_offset_ = offset;
    } else {
      std::vector<double> at(bound_.size());
      penalty_.conjugate_gradient(bound_, shape_.width, at);
      double slope = offset - bound_offset_;
      double square = 0;
      for (std::size_t j = 0; j < bound_.size(); ++j) {
        const double change = gradient_[j] - bound_[j];
        slope -= at[j] * change;
        square += change * change;
      }
      const double step = slope <= 0 ? 0 : square > 0 ? std::min(1.0, slope * penalty_.l2 / square) : 1;
      for (std::size_t j = 0; j < bound_.size(); ++j) bound_[j] += step * (gradient_[j] - bound_[j]);
      bound_offset_ += step * (offset - bound_offset_);
    }
    best_dual_ = std::max(best_dual_, bound_offset_ - penalty_.conjugate(bound_, shape_.width));
  }

  std::shared_ptr<const Examples> examples_;
  Penalty penalty_;
  ParameterShape shape_;
  Schedule schedule_ = Schedule::root;
  double first_step_ = 0;
  std::size_t prox_every_ = 1;
  std::vector<std::uint32_t> order_;
  std::vector<double> u_;          // W / scale
  std::vector<double> sums_;       // Σ_t a_t W_t = mass · u − sums
  std::vector<double> free_sums_;  // the same of a free intercept, whose scale is another
  std::vector<double> average_;
  std::vector<double> gradient_;
  double scale_ = 1;
  double mass_ = 0;     // Σ_t a_t scale_t
  double weights_ = 0;  // Σ_t a_t
  double pending_ = 0;  // steps that no prox has seen
  std::uint64_t steps_ = 0;
  std::uint64_t since_prox_ = 0;
  double last_objective_ = infinity;
  std::vector<double> bound_;  // V of the mixture
  double bound_offset_ = 0;
  double best_dual_ = -infinity;
  bool restored_ = false;  // the bound, from a file
};

}  // namespace

void Subgradient::check() const {
  check_at_least("step", step, 0);
  check_finite("step", step);
  for (const char* known : {"auto", "inverse", "sqrt", "constant"}) {
    if (schedule == known) return;
  }
  throw std::invalid_argument("schedule is '" + schedule + "'; expected auto, inverse, sqrt or constant");
}

std::optional<Refusal> Subgradient::refuses(const Problem& problem, const TrainOptions& options) const {
  std::optional<Refusal> no_decay;
  if (schedule == "inverse" && !(options.penalty.l2 > 0)) {
    no_decay = Refusal{"schedule is 'inverse', which needs l2 > 0; sqrt and constant do not"};
  }
  return requirements::first(requirements::no_kernel(problem), no_decay);
}

std::optional<std::string> Subgradient::suits(const Problem& problem, const TrainOptions& options) const {
  if (refuses(problem, options)) return std::nullopt;
  const ProblemFacts facts = facts_of(problem);
  const std::string kinks =
      facts.loss.empty() ? "the loss has kinks" : fmt::format("the loss of {} has kinks", facts.loss);
  if (options.penalty.l2 == 0) return kinks + " and the penalty no l2 term, so there is no dual to climb";
  if (facts.coupled) {
    return kinks +
           ", and a free intercept keeps the dual algorithms away (a penalised one, or none, would let them "
           "be exact)";
  }
  if (!facts.convex) return kinks + " and omega is not convex, so it has no prox";
  return kinks + ", and without l2 alone there is no dual to climb";
}

std::unique_ptr<Algorithm> Subgradient::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  return std::make_unique<SubgradientTraining>(make_examples(problem), *this, options);
}

}  // namespace fenchel
