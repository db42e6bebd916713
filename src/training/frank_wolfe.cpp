// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/frank_wolfe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/parallel.hpp"
#include "training/dual_variables.hpp"
#include "training/examples_pass.hpp"
#include "training/progress.hpp"
#include "training/solver_spec.hpp"

namespace fenchel {
namespace {

// The bound falls like 1/passes, so that a thousandth takes long when it is small already.
constexpr int patience = 1000;
// The trial step of a line search is the step before, but none so small that rounding would drown the
// difference it makes.
constexpr double smallest_trial = 1e-4;

class FrankWolfe final : public Algorithm {
 public:
  FrankWolfe(std::unique_ptr<Examples> examples, const TrainOptions& options)
      : examples_(std::move(examples)),
        l2_(options.penalty.l2),
        threads_(resolve_threads(options.threads)),
        seed_(options.seed),
        random_(read_order(options.solver)),
        progress_(options, patience),
        gradients_(examples_->size()),
        offsets_(examples_->size()),
        order_(examples_->size()),
        w_(examples_->shape().size),
        lag_(w_.size()),
        average_(w_.size()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    if (!options.start.empty()) warm_start(options.start);
  }

  std::string_view name() const override { return "frank_wolfe"; }
  std::span<const double> parameters() const override { return average_; }
  Report report() const override { return progress_.report(); }

  Standing step() override {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    if (random_) shuffle(std::span(order_), seed_, static_cast<std::uint64_t>(progress_.iterations()));
    for (const std::uint32_t i : order_) update(i);
    if (count_ > 0) {
      const double total = triangle(count_);
      for (std::size_t j = 0; j < w_.size(); ++j) average_[j] = w_[j] - lag_[j] / total;
    }
    const double objective =
        full_pass(*examples_, average_, {}, threads_) + 0.5 * l2_ * dot(average_, average_);
    double dual = -0.5 * l2_ * dot(w_, w_);
    for (const double offset : offsets_) dual += offset;
    best_dual_ = std::max(best_dual_, dual);
    return progress_.judge_gap(
        {.objective = objective, .dual = best_dual_, .gap = std::max(objective - best_dual_, 0.0)});
  }

  State save() const override {
    State state;
    progress_.save(state);
    gradients_.save(state, "gradients");
    state.set("offsets", offsets_);
    state.set("w", w_);
    state.set("lag", lag_);
    state.set("average", average_);
    state.set("numbers", std::vector<double>{trial_, best_dual_});
    state.set("count", count_);
    return state;
  }

  void restore(const State& state) override {
    progress_.restore(state);
    gradients_.restore(state, "gradients");
    state.read("offsets", std::span(offsets_));
    state.read("w", std::span(w_));
    state.read("lag", std::span(lag_));
    state.read("average", std::span(average_));
    std::vector<double> numbers(2);
    state.read("numbers", std::span(numbers));
    trial_ = numbers[0];
    best_dual_ = numbers[1];
    count_ = state.number<std::uint64_t>("count");
  }

 private:
  static bool read_order(const std::string& solver) {
    const std::string order = SolverSpec(solver, "frank_wolfe", {"order"}).word("order", "random");
    if (order == "random" || order == "cyclic") return order == "random";
    throw std::invalid_argument("order is '" + order + "'; expected random or cyclic");
  }

  static double triangle(std::uint64_t count) {
    return 0.5 * static_cast<double>(count) * (static_cast<double>(count) + 1);
  }

  // Every μ_i becomes the prediction at the parameters given.
  void warm_start(std::span<const double> start) {
    check_size("start", start.size(), w_.size());
    Workspace& scratch = thread_workspace();
    for (std::size_t i = 0; i < examples_->size(); ++i) {
      const Workspace::Frame frame(scratch);
      const auto theta = scratch.take<double>(examples_->scores_size(i));
      const auto gradient = scratch.take<double>(theta.size());
      examples_->scores(i, start, theta);
      const double loss = examples_->loss(i, theta, gradient, scratch);
      offsets_[i] = loss - dot(theta, gradient);
      gradients_.assign(i, gradient);
      examples_->add(i, gradient, -1 / l2_, w_);
    }
    double dual = -0.5 * l2_ * dot(w_, w_);
    for (const double offset : offsets_) dual += offset;
    if (dual < 0) {  // μ_i = y_i does better
      gradients_ = DualVariables(examples_->size());
      std::ranges::fill(offsets_, 0.0);
      std::ranges::fill(w_, 0.0);
    }
    average_ = w_;
  }

  // The loss is the largest of ⟨θ, g⟩ + offset over the predictions; μ_i stands for a mixture (g_i,
  // offset_i).
  void update(std::size_t i) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const std::size_t size = examples_->scores_size(i);
    const auto theta = scratch.take<double>(size);
    const auto direction = scratch.take<double>(size);
    const auto mixture = scratch.take<double>(size);
    const auto moved = scratch.take<double>(size);
    examples_->scores(i, w_, theta);
    const double loss = examples_->loss(i, theta, direction, scratch);
    const double offset = loss - dot(theta, direction);
    gradients_.write(i, mixture);
    const double gap = loss - dot(theta, mixture) - offsets_[i];
    if (!(gap > 0)) return;
    for (std::size_t k = 0; k < size; ++k) direction[k] -= mixture[k];

    // ‖A_iᵀ direction‖² from what a trial step does to the scores: nothing as long as W is needed for it.
    const double trial = trial_;
    examples_->add(i, direction, -trial / l2_, w_);
    examples_->scores(i, w_, moved);
    double square = 0;
    for (std::size_t k = 0; k < size; ++k) square += (theta[k] - moved[k]) * direction[k];
    square *= l2_ / trial;
    const double step = square > 0 ? std::min(1.0, gap * l2_ / square) : 1;
    if (step != trial) examples_->add(i, direction, (trial - step) / l2_, w_);
    examples_->add(i, direction, -triangle(count_) * step / l2_, lag_);
    ++count_;
    trial_ = std::max(step, smallest_trial);
    for (std::size_t k = 0; k < size; ++k) mixture[k] += step * direction[k];
    offsets_[i] += step * (offset - offsets_[i]);
    gradients_.assign(i, mixture);
  }

  std::unique_ptr<Examples> examples_;
  double l2_;
  int threads_;
  std::uint64_t seed_;
  bool random_;
  Progress progress_;
  DualVariables gradients_;      // w_i (μ_i − y_i)
  std::vector<double> offsets_;  // w_i (⟨c_i, μ_i − y_i⟩ − Ω(μ_i) + Ω(y_i)), mixed
  std::vector<std::uint32_t> order_;
  std::vector<double> w_;
  std::vector<double> lag_;  // the average is w − lag/triangle(count)
  std::vector<double> average_;
  std::uint64_t count_ = 0;
  double trial_ = 1;
  double best_dual_ = -infinity;
};

}  // namespace

std::unique_ptr<Algorithm> make_frank_wolfe(std::unique_ptr<Examples> examples, const TrainOptions& options) {
  options.penalty.check();
  if (!(options.penalty.l2 > 0) || !options.penalty.smooth()) {
    throw std::invalid_argument(
        "frank_wolfe: expected the l2 penalty alone, with l2 > 0; choose --penalty l2, or --solver "
        "subgradient");
  }
  const ParameterShape shape = examples->shape();
  if (shape.penalised != shape.size) {
    throw std::invalid_argument(
        "frank_wolfe: a free intercept couples all examples; choose --intercept penalised or none, or "
        "--solver "
        "subgradient");
  }
  return std::make_unique<FrankWolfe>(std::move(examples), options);
}

}  // namespace fenchel
