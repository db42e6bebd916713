// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/frank_wolfe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "training/solvers/dual_variables.hpp"
#include "training/solvers/examples_pass.hpp"
#include "training/solvers/requirements.hpp"
#include "training/solvers/stopping_rule.hpp"
#include "training/solvers/term_size.hpp"

namespace fenchel {
namespace {

// The bound falls like 1/passes, so that a thousandth takes long when it is small already.
constexpr int patience = 1000;
// The trial step of a line search is the step before, but none so small that rounding would drown the
// difference it makes.
constexpr double smallest_trial = 1e-4;
// What is bounded by a loss may lie above it by this share, from rounding.
constexpr double rounding = 1e-6;
constexpr double honest_rounding = 1e-11;  // what sums leave
constexpr double least_size = 1e-8;        // of what was rounded, where an example has nothing to learn from

class FrankWolfeTraining final : public StoppedAlgorithm {
 public:
  FrankWolfeTraining(std::shared_ptr<const Examples> examples, bool random, const TrainOptions& options)
      : StoppedAlgorithm(FrankWolfe::traits.name, options, patience),
        examples_(std::move(examples)),
        l2_(options.penalty.l2),
        random_(random),
        gradients_(examples_->size()),
        offsets_(examples_->size()),
        order_(examples_->size()),
        w_(examples_->shape().size),
        lag_(w_.size()),
        average_(w_.size()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    if (!options.start.empty()) warm_start(options.start);
  }

  std::span<const double> parameters() const override { return average_; }
  bool dual_gradient(std::size_t i, std::span<double> out) const override {
    gradients_.write(i, out);
    return true;
  }

  StepReport step() override {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    if (random_) shuffle(std::span(order_), seed_, static_cast<std::uint64_t>(stopping_.iterations()));
    for (const std::uint32_t i : order_) update(i);
    if (count_ > 0) {
      const double total = triangle(count_);
      for (std::size_t j = 0; j < w_.size(); ++j) average_[j] = w_[j] - lag_[j] / total;
    }
    best_dual_ = std::max(best_dual_, dual(w_));
    return stopping_.judge(proven(now()), average_);
  }

  StepReport assess() override { return stopping_.assess(proven(now()), average_); }

  void visit_state(StateArchive& archive) override {
    const std::vector<double> start = offsets_;
    archive("progress", stopping_);
    archive("gradients", gradients_);
    for (std::size_t i = 0; archive.reading() && i < examples_->size(); ++i) {
      gradients_.visit(i, [&, size = examples_->scores_size(i)](std::size_t k, double) {
        archive.check("gradients.indices", k < size);
      });
    }
    archive("offsets", offsets_);
    archive.check("offsets", stopping_.iterations() > 0 || offsets_ == start);
    archive("w", w_);
    archive("lag", lag_);
    archive("average", average_);
    archive("count", count_);
    archive("trial", trial_);
    archive.check("trial", trial_ >= smallest_trial && trial_ <= 1);
    archive.extended("best_dual", best_dual_);
    if (archive.reading()) check_restored(archive);
  }

 private:
  double dual(std::span<const double> w) const {
    double sum = -0.5 * l2_ * dot(w, w);
    for (const double offset : offsets_) sum += offset;
    return sum;
  }

  StepReport now() const {
    const double objective =
        full_pass(*examples_, average_, {}, threads_) + 0.5 * l2_ * dot(average_, average_);
    StepReport report{
        .objective = objective, .dual = best_dual_, .gap = std::max(objective - best_dual_, 0.0)};
    report.residual = StoppingRule::relative_gap(report);
    return report;
  }

  // W as it follows from the mixtures.
  std::vector<double> sum_of_mixtures() const {
    return sum_of_terms(
        *examples_, [&](std::size_t i, std::span<double> g) { gradients_.write(i, g); },
        [&] { return -1 / l2_; });
  }

  // The dual is a bound where W follows from the mixtures: nothing is called converged before W was made
  // anew, with which the run goes on if what it had was not good enough.
  StepReport proven(StepReport report) {
    if (!stopping_.reached(report)) return report;
    std::vector<double> sum = sum_of_mixtures();
    const double bound = dual(sum) - excess_;
    report.gap = std::max(report.objective - bound, 0.0);
    report.dual = bound;
    report.residual = StoppingRule::relative_gap(report);
    if (stopping_.reached(report)) return report;
    w_ = std::move(sum);
    best_dual_ = bound;
    return report;
  }

  // W and the average follow from the rest; the bound is that of the mixtures, each of which is a bound of
  // its example's loss, whatever θ is.
  void check_restored(StateArchive& archive) {
    const std::uint64_t passes = static_cast<std::uint64_t>(stopping_.iterations());
    archive.check("count", count_ <= passes * examples_->size());
    Workspace& scratch = thread_workspace();
    double terms = 0.5 * l2_ * dot(w_, w_);
    excess_ = 0;
    for (std::size_t i = 0; i < examples_->size(); ++i) {
      const Workspace::Frame frame(scratch);
      const auto mixture = scratch.take<double>(examples_->scores_size(i));
      gradients_.write(i, mixture);
      double bound = examples_->dual_bound(i, mixture, scratch);
      double size = std::max(max_abs(mixture), least_size);
      archive.check("gradients", bound > -infinity);
      if (bound == infinity) {  // at W, at least
        const auto theta = scratch.take<double>(mixture.size());
        const auto gradient = scratch.take<double>(mixture.size());
        examples_->scores(i, w_, theta);
        const double linear = dot(theta, mixture);
        bound = examples_->loss(i, theta, gradient, scratch) - linear;
        size += std::abs(linear);
      }
      const double above = offsets_[i] - bound;
      archive.check("offsets", above <= rounding * (std::abs(bound) + size));
      if (above > honest_rounding * (std::abs(bound) + size)) excess_ += above;
      terms += std::abs(offsets_[i]);
    }
    const auto gradient = [&](std::size_t i, std::span<double> g) { gradients_.write(i, g); };
    const double scale = rounding_scale(*examples_, l2_, gradient);
    std::vector<double> sum = sum_of_mixtures();
    archive.check_data("w", w_, sum, scale);
    const double total = triangle(count_);
    double largest = max_abs(w_);
    for (std::size_t j = 0; j < w_.size(); ++j) {
      const double behind = count_ > 0 ? lag_[j] / total : 0;
      sum[j] = w_[j] - behind;
      largest = std::max(largest, std::abs(behind));
    }
    archive.check_data("average", average_, sum, std::max(largest, scale));
    const double bound = dual(w_);
    archive.check_data("best_dual", std::span(&best_dual_, passes > 0 ? 1 : 0),
                       std::span(&bound, passes > 0 ? 1 : 0), terms);
    archive.check("best_dual", passes > 0 || best_dual_ == -infinity);
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
    if (dual(w_) < 0) {  // μ_i = y_i does better
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
    if (!std::isfinite(loss)) return;  // the evaluation after the pass will say so
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
    square /= trial;
    // Between two points a strongly concave bound lies above the mixture of its values.
    const double bend = examples_->dual_concavity(i) * dot(direction, direction);
    const double step = square + bend > 0 ? std::min(1.0, (gap + bend / 2) / (square + bend)) : 1;
    if (step != trial) examples_->add(i, direction, (trial - step) / l2_, w_);
    examples_->add(i, direction, -triangle(count_) * step / l2_, lag_);
    ++count_;
    trial_ = std::max(step, smallest_trial);
    for (std::size_t k = 0; k < size; ++k) mixture[k] += step * direction[k];
    offsets_[i] += step * (offset - offsets_[i]) + bend * step * (1 - step) / 2;
    gradients_.assign(i, mixture);
  }

  std::shared_ptr<const Examples> examples_;
  double l2_;
  bool random_;
  DualVariables gradients_;      // w_i (μ_i − y_i)
  std::vector<double> offsets_;  // w_i (⟨c_i, μ_i − y_i⟩ − Ω(μ_i) + Ω(y_i)), mixed
  std::vector<std::uint32_t> order_;
  std::vector<double> w_;
  std::vector<double> lag_;  // the average is w − lag/triangle(count)
  std::vector<double> average_;
  std::uint64_t count_ = 0;
  double trial_ = 1;
  double best_dual_ = -infinity;
  double excess_ = 0;  // of restored offsets above their bounds: not what rounding leaves, but little
};

}  // namespace

void FrankWolfe::check() const { requirements::random_order(order); }

std::optional<Refusal> FrankWolfe::refuses(const Problem& problem, const TrainOptions& options) const {
  std::optional<Refusal> penalty;
  if (!(options.penalty.l2 > 0) || !options.penalty.smooth()) {
    penalty = Refusal{"needs the l2 penalty alone, with l2 > 0", {"penalty=l2"}};
  }
  return requirements::first(requirements::no_kernel(problem), penalty,
                             requirements::no_free_intercept(problem));
}

std::optional<std::string> FrankWolfe::suits(const Problem& problem, const TrainOptions& options) const {
  const ProblemFacts facts = facts_of(problem);
  if (facts.smooth || !facts.convex || refuses(problem, options)) return std::nullopt;
  return fmt::format("{} has kinks; over structures, its steps need a best structure only",
                     facts.loss.empty() ? "the loss" : fmt::format("the loss of {}", facts.loss));
}

std::unique_ptr<Algorithm> FrankWolfe::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  return std::make_unique<FrankWolfeTraining>(make_examples(problem), requirements::random_order(order),
                                              options);
}

}  // namespace fenchel
