// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solvers/prox_newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "fenchel/core/random.hpp"
#include "training/problems/column_objective.hpp"
#include "training/solvers/column_model.hpp"
#include "training/solvers/primal_parts.hpp"
#include "training/solvers/requirements.hpp"
#include "training/solvers/row_curvatures.hpp"
#include "training/solvers/stopping_rule.hpp"

namespace fenchel {
namespace {

constexpr int newton_patience = 50;      // steps without progress of a thousandth: rounding is all that moves
constexpr int most_sweeps = 100;         // over the weights of a model; the next one is nearer the truth
constexpr double first_accuracy = 0.3;   // of a model's minimum, beside what its slopes were
constexpr double least_accuracy = 1e-3;  // more costs sweeps and saves no steps
constexpr double finer = 0.25;           // the accuracy is raised by this where one sweep was enough
constexpr double newton_decrease = 0.01;  // sufficient, relative to what the model promises
constexpr int most_newton_halvings = 40;

template <Real T>
class ProxNewtonTraining final : public StoppedAlgorithm {
 public:
  ProxNewtonTraining(const LinearProblem<T>& problem, const TrainOptions& options)
      : StoppedAlgorithm(ProxNewton::traits.name, options, newton_patience),
        problem_(problem),
        shape_(problem.shape()),
        objective_(problem, options.threads),
        shaped_(options.penalty, shape_, objective_.curvature(), threads_),
        curvatures_(problem_, options.penalty.group > 0, threads_),
        w_(start_of(shape_, options.start)),
        gradient_(shape_.size),
        trial_(shape_.size),
        trial_gradient_(shape_.size),
        direction_(shape_.size),
        active_(curvatures_.lanes()),
        at_(curvatures_.lanes()),
        aim_(curvatures_.lanes()) {
    set_penalty(options.penalty);
    for (std::size_t j = 0; curvatures_.paired() && j < rows(); ++j) {
      const double half = (w_[2 * j] - w_[2 * j + 1]) / 2;
      w_[2 * j] = half;
      w_[2 * j + 1] = -half;
    }
    const bool intercept = problem.intercept != Intercept::none;
    for (std::size_t lane = 0; lane < curvatures_.lanes(); ++lane)
      models_.emplace_back(objective_.columns(), problem_.center, intercept);
    objective_value_ = first_objective_ = evaluate(w_, gradient_);
    take_scores();
    first_slope_ = finite_or_zero(shaped_.first_order(w_, gradient_));
  }

  std::span<const double> parameters() const override { return w_; }

  StepReport step() override {
    if (std::isfinite(objective_value_)) {
      curvatures_.measure();
      select();
      if (steepness_ > 0) {
        descend();
        search();
      }
    }
    return stopping_.judge(now(), w_);
  }

  StepReport assess() override { return stopping_.assess(now(), w_); }

  void visit_state(StateArchive& archive) override {
    archive("progress", stopping_);
    archive("w", w_);
    archive("accuracy", accuracy_);
    archive.check("accuracy", accuracy_ >= least_accuracy && accuracy_ <= first_accuracy);
    if (!archive.reading()) return;
    for (std::size_t j = 0; curvatures_.paired() && j < rows(); ++j)
      archive.check("w", w_[2 * j] == -w_[2 * j + 1]);
    objective_value_ = evaluate(w_, gradient_);
    take_scores();
    archive.check("w", !std::isfinite(first_objective_) || descends(first_objective_, objective_value_));
  }

 private:
  // That of the weights of a lane. ‖(u, −u)‖₁ = 2|u|, ‖(u, −u)‖² = 2u², and a group of one weight is its l1.
  void set_penalty(const Penalty& penalty) {
    lane_penalty_ = penalty;
    if (curvatures_.paired()) {
      lane_penalty_ = {.l2 = 2 * penalty.l2, .l1 = 2 * penalty.l1 + std::numbers::sqrt2 * penalty.group};
    } else if (width() == 1) {
      lane_penalty_ = {.l2 = penalty.l2, .l1 = penalty.l1 + penalty.group};
    }
  }

  std::size_t width() const { return problem_.outputs; }
  std::size_t rows() const { return shape_.size / width(); }
  bool penalised(std::size_t j) const { return j * width() < shape_.penalised; }
  double l1(std::size_t j) const { return penalised(j) ? lane_penalty_.l1 : 0; }
  double l2(std::size_t j) const { return penalised(j) ? lane_penalty_.l2 : 0; }
  bool grouped() const { return lane_penalty_.group > 0; }

  // F + G, and the gradient of its smooth part.
  double evaluate(std::span<const double> w, std::span<double> gradient) {
    const double loss = objective_.evaluate(w, gradient);
    return loss + shaped_.add_smooth(w, gradient) + kinks(w);
  }
  double kinks(std::span<const double> w) const {
    const Penalty rest{.l1 = shaped_.penalty().l1, .group = shaped_.penalty().group};
    return rest.value(w.first(shape_.penalised), width());
  }
  void take_scores() {
    if (std::isfinite(objective_value_)) curvatures_.take(objective_.scores());
  }

  // The slope of the smooth part along a weight of a lane.
  double slope(std::size_t j, std::size_t lane) const {
    const std::size_t at = j * width() + lane;
    return curvatures_.paired() ? gradient_[at] - gradient_[at + 1] : gradient_[at];
  }
  double curvature(std::size_t j, std::size_t lane) const {
    const double here = models_[lane].curvature(j) + l2(j);
    return here > 0 ? here : 1;
  }
  // Whether weights that are 0 want to stay there.
  bool rests(std::size_t j, std::size_t lane, std::size_t lanes) const {
    double excess = 0;
    for (std::size_t k = lane; k < lane + lanes; ++k) {
      if (w_[j * width() + k] != 0) return false;
      const double rest = std::max(0.0, std::abs(slope(j, k)) - l1(j));
      excess += rest * rest;
    }
    return std::sqrt(excess) <= (penalised(j) ? lane_penalty_.group : 0);
  }

  // The weights that are not 0 or want to move: by lane, or with groups all lanes of a feature together.
  void select() {
    steepness_ = 0;
    std::ranges::fill(direction_, 0.0);
    for (std::size_t lane = 0; lane < models_.size(); ++lane) {
      models_[lane].begin(curvatures_.lane(lane));
      active_[lane].clear();
    }
    const std::size_t together = grouped() ? models_.size() : 1;
    for (std::size_t lane = 0; lane < models_.size(); lane += together) {
      for (std::size_t j = 0; j < rows(); ++j) {
        if (rests(j, lane, together)) continue;
        for (std::size_t k = lane; k < lane + together; ++k) models_[k].measure(j);
        active_[lane].push_back(j);
        steepness_ += find_aim(j, lane, together);
      }
    }
  }

  // Where the model would have the weights of these lanes of feature j if no other moved: aim_, beside where
  // they are, at_. Returns about twice what there is to gain.
  double find_aim(std::size_t j, std::size_t lane, std::size_t lanes) {
    if (lanes == 1) return find_aim(j, lane);
    double curves = 0;
    for (std::size_t k = lane; k < lane + lanes; ++k) curves = std::max(curves, curvature(j, k));
    for (std::size_t k = lane; k < lane + lanes; ++k) {
      const double d = direction_[j * width() + k];
      at_[k] = aim_[k] = w_[j * width() + k] + d;
      if (curves < infinity) aim_[k] -= (slope(j, k) + models_[k].slope(j) + l2(j) * d) / curves;
    }
    if (curves == infinity) return 0;  // no step is small enough
    if (penalised(j)) lane_penalty_.prox(1 / curves, lanes, std::span(aim_).subspan(lane, lanes));
    double squared = 0;
    for (std::size_t k = lane; k < lane + lanes; ++k) squared += (aim_[k] - at_[k]) * (aim_[k] - at_[k]);
    return curves * squared;
  }

  // The same for a single lane, which is where most of the time goes.
  double find_aim(std::size_t j, std::size_t lane) {
    const double d = direction_[j * width() + lane], at = w_[j * width() + lane] + d;
    const double curves = curvature(j, lane);
    at_[lane] = aim_[lane] = at;
    if (curves == infinity) return 0;  // no step is small enough
    const double aim = at - (slope(j, lane) + models_[lane].slope(j) + l2(j) * d) / curves;
    aim_[lane] = std::copysign(std::max(0.0, std::abs(aim) - l1(j) / curves), aim);
    return curves * (aim_[lane] - at) * (aim_[lane] - at);
  }

  // Minimises the model, roughly.
  void descend() {
    Random random(seed_ + 0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(stopping_.iterations()) + 1));
    for (auto& weights : active_) {
      for (std::size_t k = weights.size(); k > 1; --k) std::swap(weights[k - 1], weights[random.below(k)]);
    }
    int sweeps = 0;
    double left = infinity;
    while (sweeps < most_sweeps && left > accuracy_ * accuracy_ * steepness_) {
      left = 0;
      const std::size_t together = grouped() ? models_.size() : 1;
      for (std::size_t lane = 0; lane < models_.size(); lane += together) left += sweep(lane, together);
      ++sweeps;
    }
    if (sweeps == 1) accuracy_ = std::max(least_accuracy, finer * accuracy_);
    if (!curvatures_.paired()) return;
    for (std::size_t j = 0; j < rows(); ++j) direction_[2 * j + 1] = -direction_[2 * j];
  }

  // Every active weight of these lanes once; returns what there was to gain.
  double sweep(std::size_t lane, std::size_t lanes) {
    if (curvatures_.coupled()) remember(models_[lane]);
    auto& weights = active_[lane];
    std::size_t kept = 0;
    double total = 0;
    for (const std::size_t j : weights) {
      total += find_aim(j, lane, lanes);
      bool zero = true;
      for (std::size_t k = lane; k < lane + lanes; ++k) {
        zero = zero && at_[k] == 0 && aim_[k] == 0;
        const double move = aim_[k] - at_[k];
        if (move == 0 || !std::isfinite(move)) continue;
        direction_[j * width() + k] += move;
        models_[k].move(j, move);
      }
      if (!zero) weights[kept++] = j;  // the others rest until the next model
    }
    weights.resize(kept);
    if (curvatures_.coupled()) spread(lane);
    return total;
  }

  void remember(const ColumnModel<T>& model) {
    before_.resize(problem_.examples());
    for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = model.bent(i);
    level_before_ = model.level();
  }
  // What a sweep did to the scores of its lane bends the others.
  void spread(std::size_t lane) {
    const ColumnModel<T>& model = models_[lane];
    const double level = model.level() - level_before_;
    constexpr std::size_t block = 256;  // examples
    for_each_block(before_.size(), block, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const double change = (model.bent(i) - before_[i]) / model.h()[i] + level;
        if (change == 0) continue;
        curvatures_.visit_others(i, lane, thread_workspace(), [&](std::size_t other, double curves) {
          models_[other].bend(i, change * curves);
        });
      }
    });
    for (ColumnModel<T>& other : models_) other.settle();
  }

  void search() {
    const double here = kinks(w_);
    for (std::size_t k = 0; k < w_.size(); ++k) trial_[k] = w_[k] + direction_[k];
    const double promised =
        dot_by_four(gradient_, std::span<const double>(direction_)) + kinks(trial_) - here;
    if (!(promised < 0)) return;
    const double noise = std::max(4 * machine_epsilon, objective_.noise()) * std::abs(objective_value_);
    double length = 1;
    for (int halvings = 0; halvings < most_newton_halvings; ++halvings, length /= 2) {
      if (halvings > 0) {
        for (std::size_t k = 0; k < w_.size(); ++k) trial_[k] = w_[k] + length * direction_[k];
      }
      const double value = evaluate(trial_, trial_gradient_);
      if (!(value <= objective_value_ + newton_decrease * length * promised + noise)) continue;
      std::swap(w_, trial_);
      std::swap(gradient_, trial_gradient_);
      objective_value_ = value;
      take_scores();
      return;
    }
  }

  StepReport now() {
    const auto gap = shaped_.gap(w_, gradient_);
    const double steepest = gap ? 0 : shaped_.first_order(w_, gradient_);
    StepReport last_step =
        step_report_of(objective_value_, gap, shape_.size == shape_.penalised, steepest, first_slope_);
    shaped_.check_free(last_step, {objective_, w_, gradient_}, stopping_.accuracy());
    return last_step;
  }

  LinearProblem<T> problem_;
  ParameterShape shape_;
  ColumnObjective<T> objective_;
  ShapedPenalty shaped_;
  RowCurvatures<T> curvatures_;
  Penalty lane_penalty_;
  std::vector<ColumnModel<T>> models_;  // by lane
  std::vector<double> w_, gradient_, trial_, trial_gradient_, direction_;
  std::vector<std::vector<std::size_t>> active_;  // features, by lane
  std::vector<double> at_, aim_;                  // weights of a feature, by lane
  std::vector<double> before_;                    // a sweep of a lane that others are coupled with
  double level_before_ = 0;
  double accuracy_ = first_accuracy;  // of the minimum of a model
  double steepness_ = 0;              // of the model at its start
  double objective_value_ = 0, first_objective_ = 0, first_slope_ = 0;
};

template <Real T>
bool one_lane(const LinearProblem<T>& problem) {
  return problem.outputs == 1 || RowCurvatures<T>::is_pair(problem);
}

}  // namespace

std::optional<Refusal> ProxNewton::refuses(const Problem& problem, const TrainOptions&) const {
  return requirements::first(requirements::linear_model(problem), requirements::smooth_loss(problem));
}

// One lane, where it converges in few steps (OWL-QN may be quicker to a rough optimum if features are dense
// and hardly depend on each other), and groups of sparse features, where it was measured to be faster than
// FISTA. Lanes that curve together need more sweeps, and with dense features a sweep costs as much as a
// gradient.
std::optional<std::string> ProxNewton::suits(const Problem& problem, const TrainOptions& options) const {
  if (refuses(problem, options) || options.penalty.smooth()) return std::nullopt;
  return std::visit(
      [&](const auto& kind) -> std::optional<std::string> {
        if constexpr (requires { one_lane(kind); }) {
          if (one_lane(kind)) return "the loss is smooth, and l1 leaves few weights to move";
          if (options.penalty.group > 0 && kind.x.sparse())
            return "the loss is smooth, features are sparse, and groups leave few of them";
        }
        return std::nullopt;
      },
      problem);
}

std::unique_ptr<Algorithm> ProxNewton::start(const Problem& problem, const TrainOptions& asked) const {
  const TrainOptions options = requirements::accept(*this, problem, asked);
  if (const auto* single = std::get_if<LinearProblem<float>>(&problem)) {
    return std::make_unique<ProxNewtonTraining<float>>(*single, options);
  }
  return std::make_unique<ProxNewtonTraining<double>>(std::get<LinearProblem<double>>(problem), options);
}

}  // namespace fenchel
