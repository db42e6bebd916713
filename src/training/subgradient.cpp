// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/subgradient.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/parallel.hpp"
#include "training/examples_pass.hpp"
#include "training/progress.hpp"
#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

// Averages move on as long as steps do: many passes may bring little each.
constexpr int patience = 200;
// Examples whose losses and gradients set the first step.
constexpr std::size_t most_probes = 256;
// The scale of W is multiplied out before it loses digits to underflow.
constexpr double smallest_scale = 1e-100;
// Parameters for which a prox after every so many steps costs little beside the steps themselves.
constexpr std::size_t parameters_for_step = 64;

enum class Schedule { inverse, root, constant };

class Subgradient final : public Algorithm {
 public:
  Subgradient(std::unique_ptr<Examples> examples, const TrainOptions& options)
      : examples_(std::move(examples)),
        penalty_(options.penalty),
        shape_(examples_->shape()),
        threads_(resolve_threads(options.threads)),
        seed_(options.seed),
        progress_(options, patience),
        order_(examples_->size()),
        u_(shape_.size),
        sums_(shape_.size),
        free_sums_(shape_.size - shape_.penalised),
        average_(shape_.size),
        gradient_(shape_.size) {
    const SolverSpec spec(options.solver, "subgradient", {"step", "schedule"});
    schedule_ = read_schedule(spec.word("schedule", "auto"), penalty_.l2);
    if (!options.start.empty()) {
      check_size("start", options.start.size(), u_.size());
      std::ranges::copy(options.start, u_.begin());
    }
    average_ = u_;
    first_step_ = spec.number("step", 0);
    check_at_least("step", first_step_, 0);
    check_finite("step", first_step_);
    if (first_step_ == 0) first_step_ = probe();
    prox_every_ = std::max<std::size_t>(1, shape_.size / parameters_for_step);
    if (bounds()) bound_.resize(shape_.size);
  }

  std::string_view name() const override { return "subgradient"; }
  std::span<const double> parameters() const override { return average_; }
  Report report() const override { return progress_.report(); }

  Standing step() override {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    shuffle(std::span(order_), seed_, static_cast<std::uint64_t>(progress_.iterations()));
    for (const std::uint32_t i : order_) update(i);
    shrink();
    write_average();
    return evaluate();
  }

  State save() const override {
    State state;
    progress_.save(state);
    state.set("u", u_);
    state.set("sums", sums_);
    state.set("free_sums", free_sums_);
    state.set("average", average_);
    state.set("bound", bound_);
    state.set("numbers", std::vector<double>{scale_, mass_, weights_, pending_, last_objective_,
                                             bound_offset_, best_dual_});
    state.set("counts", std::vector<std::uint64_t>{steps_, since_prox_});
    return state;
  }

  void restore(const State& state) override {
    progress_.restore(state);
    state.read("u", std::span(u_));
    state.read("sums", std::span(sums_));
    state.read("free_sums", std::span(free_sums_));
    state.read("average", std::span(average_));
    state.read("bound", std::span(bound_));
    std::vector<double> numbers(7);
    std::vector<std::uint64_t> counts(2);
    state.read("numbers", std::span(numbers));
    state.read("counts", std::span(counts));
    scale_ = numbers[0];
    mass_ = numbers[1];
    weights_ = numbers[2];
    pending_ = numbers[3];
    last_objective_ = numbers[4];
    bound_offset_ = numbers[5];
    best_dual_ = numbers[6];
    steps_ = counts[0];
    since_prox_ = counts[1];
  }

 private:
  static Schedule read_schedule(const std::string& word, double l2) {
    if (word == "inverse" && !(l2 > 0)) {
      throw std::invalid_argument("schedule is 'inverse', which needs l2 > 0; choose sqrt or constant");
    }
    if (word == "inverse" || (word == "auto" && l2 > 0)) return Schedule::inverse;
    if (word == "sqrt" || word == "auto") return Schedule::root;
    if (word == "constant") return Schedule::constant;
    throw std::invalid_argument("schedule is '" + word + "'; expected auto, inverse, sqrt or constant");
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

  void write_average() {
    for (std::size_t j = 0; j < shape_.penalised; ++j) average_[j] = (mass_ * u_[j] - sums_[j]) / weights_;
    for (std::size_t j = 0; j < free_sums_.size(); ++j)
      average_[shape_.penalised + j] = free_sums_[j] / weights_;
  }

  Standing evaluate() {
    std::ranges::fill(gradient_, 0.0);
    const double loss = full_pass(*examples_, average_,
                                  bounds() ? std::span<double>(gradient_) : std::span<double>(), threads_);
    Standing standing{.objective = loss + penalty_.value(weights_of(average_), shape_.width)};
    if (bounds()) {
      raise_bound(loss);
      standing.dual = best_dual_;
      standing.gap = std::max(standing.objective - best_dual_, 0.0);
    }
    const double scale = std::max(std::abs(standing.objective), std::numeric_limits<double>::min());
    standing.residual = std::abs(standing.objective - last_objective_) / scale;
    if (standing.gap) standing.residual = std::min(standing.residual, *standing.gap / scale);
    last_objective_ = standing.objective;
    return progress_.judge(standing);
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

  std::unique_ptr<Examples> examples_;
  Penalty penalty_;
  ParameterShape shape_;
  int threads_;
  std::uint64_t seed_;
  Progress progress_;
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
};

}  // namespace

std::unique_ptr<Algorithm> make_subgradient(std::unique_ptr<Examples> examples, const TrainOptions& options) {
  options.penalty.check();
  return std::make_unique<Subgradient>(std::move(examples), options);
}

}  // namespace fenchel
