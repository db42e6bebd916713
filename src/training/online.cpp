// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/online.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/models/loss_choice.hpp"

namespace fenchel {
namespace {

void check_online(const TaskTargets& targets, const FitOptions& options) {
  const auto refuse = [](const char* option) {
    throw OptionError(fmt::format("`{}` needs all rows at once; learning from parts has none", option));
  };
  if (options.scale != Scaling::none) refuse("scale");
  if (!options.kernel.empty()) refuse("kernel");
  if (options.class_weight == "balanced") refuse("class_weight=balanced");
  if (!options.cost.empty()) refuse("cost");
  if (targets.task == Task::ranking || targets.task == Task::label_ranking || targets.task == Task::tagging) {
    throw OptionError(
        fmt::format("`task` is {}, which is not learned from parts; classification, proportions, "
                    "multilabel, regression and structured are",
                    to_string(targets.task)));
  }
}

OnlineOptions online_options(const FitOptions& given, const FenchelYoungLoss& loss) {
  const FitOptions options = with_penalty(given, loss);
  const TrainOptions training = train_options(options, {});
  if (training.penalty.group > 0)
    throw OptionError(fmt::format("`penalty` is {}; learning from parts takes l2 and l1", options.penalty));
  return {.penalty = training.penalty, .intercept = options.intercept != Intercept::none};
}

}  // namespace

OnlineLinear::OnlineLinear(FenchelYoungLoss loss, std::size_t features, std::size_t outputs,
                           const OnlineOptions& options)
    : loss_(std::move(loss)), features_(features), outputs_(outputs), options_(options) {
  options.penalty.check();
  if (options.penalty.group > 0)
    throw std::invalid_argument("penalty has a group term; expected l2 and l1 alone");
  check_greater("rate", options.rate, 0);
  check_finite("rate", options.rate);
  check_greater("smoothing", options.smoothing, 0);
  check_finite("smoothing", options.smoothing);
  const Matrix<double> shape(features + (options.intercept ? 1 : 0), outputs);  // which checks the product
  w_.resize(shape.entries().size());
  sums_ = {.z = w_, .squares = w_};
}

void OnlineLinear::restore(OnlineState state) {
  check_size("z", state.z.size(), w_.size());
  check_size("squares", state.squares.size(), w_.size());
  check_finite("z", state.z);
  check_finite("squares", state.squares);
  for (const double square : state.squares) check_at_least("squares", square, 0);
  sums_ = std::move(state);
  for (std::size_t k = 0; k < w_.size(); ++k) w_[k] = weight_of(k, k < features_ * outputs_);
}

double OnlineLinear::weight_of(std::size_t k, bool penalised) const {
  const double l1 = penalised ? options_.penalty.l1 : 0, l2 = penalised ? options_.penalty.l2 : 0;
  if (std::abs(sums_.z[k]) <= l1) return 0;
  const double curvature = (options_.smoothing + std::sqrt(sums_.squares[k])) / options_.rate + l2;
  return -(sums_.z[k] - std::copysign(l1, sums_.z[k])) / curvature;
}

void OnlineLinear::step(std::size_t feature, double value, std::span<const double> gradient) {
  const bool penalised = feature < features_;
  for (std::size_t j = 0; j < outputs_; ++j) {
    const double g = value * gradient[j];
    if (g == 0) continue;
    const std::size_t k = feature * outputs_ + j;
    const double before = std::sqrt(sums_.squares[k]), after = std::hypot(before, g);
    sums_.z[k] += g - (after - before) / options_.rate * w_[k];
    sums_.squares[k] = after * after;
    w_[k] = weight_of(k, penalised);
  }
}

template <Real T>
double OnlineLinear::learn_rows(const FeaturesView<T>& x, const Targets<T>& y,
                                std::span<const double> weights) {
  check_size("a row of features", x.cols(), features_);
  check_size("y", y.size(), x.rows());
  if (!weights.empty()) check_size("weights", weights.size(), x.rows());
  std::vector<double> theta(outputs_), target(outputs_), gradient(outputs_);
  double total = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (weight == 0) continue;
    std::ranges::fill(theta, 0.0);
    if (options_.intercept)
      std::copy_n(w_.end() - static_cast<std::ptrdiff_t>(outputs_), outputs_, theta.begin());
    x.for_each(i, [&](std::size_t column, double value) {
      for (std::size_t j = 0; j < outputs_; ++j) theta[j] += value * w_[column * outputs_ + j];
    });
    y.write(i, std::span(target));
    const bool finite = std::ranges::all_of(theta, [](double score) { return std::isfinite(score); });
    const double loss =
        finite ? loss_.value_and_gradient(theta, target, std::span<double>(gradient)) : theta[0];
    if (!finite || !std::isfinite(loss)) {
      throw std::invalid_argument(
          fmt::format("row {} has scores that are not finite; its features are too large: scale them", i));
    }
    total += weight * loss;
    for (double& entry : gradient) entry *= weight;
    x.for_each(i, [&](std::size_t column, double value) { step(column, value, gradient); });
    if (options_.intercept) step(features_, 1, gradient);
    ++sums_.rows;
  }
  return total;
}

double OnlineLinear::learn(const FeaturesView<float>& x, const Targets<float>& y,
                           std::span<const double> weights) {
  return learn_rows(x, y, weights);
}
double OnlineLinear::learn(const FeaturesView<double>& x, const Targets<double>& y,
                           std::span<const double> weights) {
  return learn_rows(x, y, weights);
}

void OnlineLinear::start_at(std::span<const double> parameters) {
  check_size("parameters", parameters.size(), w_.size());
  check_finite("parameters", parameters);
  for (std::size_t k = 0; k < w_.size(); ++k) {
    const bool penalised = k < features_ * outputs_;
    const double l1 = penalised ? options_.penalty.l1 : 0, l2 = penalised ? options_.penalty.l2 : 0;
    const double w = parameters[k];
    sums_.squares[k] = 0;
    sums_.z[k] = w == 0 ? 0 : -w * (options_.smoothing / options_.rate + l2) - std::copysign(l1, w);
    w_[k] = weight_of(k, penalised);
  }
}

OnlineFit::OnlineFit(const TaskTargets& targets, std::size_t features, const FitOptions& options)
    : OnlineFit(targets, features,
                resolve_loss(loss_text(targets.task, options), targets.task, targets.outputs), options) {}

OnlineFit::OnlineFit(const TaskTargets& targets, std::size_t features, const FenchelYoungLoss& loss,
                     const FitOptions& options)
    : OnlineFit(targets, features,
                LossChoice{.loss = loss, .text = to_json(loss.omega().spec()), .description = {}}, options) {}

OnlineFit::OnlineFit(const TaskTargets& targets, std::size_t features, const LossChoice& loss,
                     const FitOptions& options)
    : unit_vectors_(loss.loss.traits().domain == Domain::polytope),
      intercept_(options.intercept != Intercept::none),
      learner_(loss.loss, features, targets.outputs, online_options(options, loss.loss)) {
  check_online(targets, options);
  head_.task = targets.task;
  head_.loss_name = loss.text;
  head_.loss = loss.loss;
  head_.classes = targets.classes;
  head_.provenance = {{"solver", "ftrl"},
                      {"penalty", with_penalty(options, loss.loss).penalty},
                      {"lambda", fmt::format("{}", options.lambda)},
                      {"intercept", std::string(to_string(options.intercept.value_or(Intercept::free)))}};
}

double OnlineFit::learn(const Features& x, const TaskTargets& targets, std::span<const double> weights) {
  if (targets.task != head_.task || targets.outputs != learner_.outputs() ||
      targets.classes != head_.classes) {
    throw std::invalid_argument("the targets have other classes, or another task, than the first ones");
  }
  return x.visit([&]<Real T>(const FeaturesView<T>& rows) {
    const TrainingTargets<T> y(targets, {}, unit_vectors_);
    return learner_.learn(rows, y.view(), weights);
  });
}

void OnlineFit::start_at(const LinearModel& model) {
  learner_.start_at(rescaled(model, Scaler{}).parameters(intercept_));
}

LinearModel OnlineFit::model() const {
  LinearModel model = head_;
  model.set_parameters(learner_.parameters(), learner_.features(), learner_.outputs());
  model.provenance["examples"] = std::to_string(learner_.state().rows);
  return model;
}

}  // namespace fenchel
