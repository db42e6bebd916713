// SPDX-License-Identifier: Apache-2.0
// Fits of taggers.
#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "fenchel/core/option_error.hpp"
#include "fenchel/training/fit.hpp"
#include "fenchel/training/solvers/lbfgs.hpp"

namespace fenchel {
namespace {

// Iterations of the conditional random field that other smooth losses start from, where the solver does not
// begin with dual variables. At weights of 0 sparse predictions are mixtures of hundreds of sequences, which
// cost far more than all later evaluations together.
constexpr int start_iterations = 15;

std::vector<double> near_conditional_random_field(const ChainProblem& problem, const TrainOptions& options) {
  const ChainProblem plain{problem.data, problem.features};
  TrainOptions first;
  first.penalty = L2(options.penalty.l2 > 0 ? options.penalty.l2 : 1);
  first.solver = Lbfgs{};
  first.max_iterations = start_iterations;
  first.threads = options.threads;
  return train(plain, first).parameters;
}

class TaggerFit final : public Fit {
 public:
  TaggerFit(std::shared_ptr<const TaggerData> data, const LossOfSize& loss, const FitOptions& options,
            const AnyModel* start)
      : data_(std::move(data)),
        features_(tagger_features(*data_, options.tagger)),
        problem_{*data_, features_, loss},
        options_(options) {
    TrainOptions training = train_options(options, {});
    const auto* from = start ? std::get_if<Tagger>(start) : nullptr;
    const LossChoice choice = loss(1);
    const Traits traits = choice.loss.traits();
    const SolverChoice solver = choose_solver(problem_, training);
    if (from) {
      start_ = transfer_parameters(*from, *data_, features_);
    } else if (traits.sparse && traits.strictly_convex && !solver.solver.traits().dual) {
      start_ = near_conditional_random_field(problem_, training);
    }
    training.start = start_;
    note_choices(solver,
                 fmt::format("{} over sequences of {} labels; {} weights of {} attributes",
                             choice.text.empty() ? traits.name : choice.text, features_.labels,
                             features_.parameters(), features_.attributes),
                 options);
    settle_gap(problem_, training);
    algorithm_ = solver.solver.start(problem_, training);
  }

  Algorithm& algorithm() override { return *algorithm_; }
  AnyModel model_of(std::span<const double> parameters) const override {
    Tagger tagger = make_tagger(problem_, parameters);
    tagger.provenance = {{"data", data_->source},
                         {"sentences", std::to_string(data_->sentence_count())},
                         {"tokens", std::to_string(data_->tokens())},
                         {"penalty", options_.penalty},
                         {"lambda", fmt::format("{}", options_.lambda)}};
    note_training(tagger.provenance, *algorithm_);
    return tagger;
  }

 private:
  std::shared_ptr<const TaggerData> data_;
  TaggerFeatures features_;
  ChainProblem problem_;
  FitOptions options_;
  std::vector<double> start_;
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace

std::unique_ptr<Fit> make_fit(std::shared_ptr<const TaggerData> data, const LossOfSize& loss,
                              const FitOptions& options, const AnyModel* start) {
  const auto refuse = [](const char* what) {
    throw OptionError(fmt::format("`{}`: taggers have none", what));
  };
  if (!options.kernel.empty()) refuse("kernel");
  if (!options.class_weight.empty()) refuse("class_weight");
  if (!options.polytope.empty()) refuse("polytope");
  if (!options.cost.empty()) refuse("cost");
  if (options.scale != Scaling::none) refuse("scale");
  if (options.intercept) refuse("intercept");
  const FitOptions complete = with_penalty(options, loss(1).loss);
  return std::make_unique<TaggerFit>(std::move(data), loss, complete, start);
}

std::unique_ptr<Fit> make_fit(std::shared_ptr<const TaggerData> data, const FitOptions& options,
                              const AnyModel* start) {
  const TaggingLoss losses{data->label_names.size(), options.tagger.boundary};
  const LossOfSize loss = losses(options.omega.empty() ? default_loss(Task::tagging) : options.omega);
  return make_fit(std::move(data), loss, options, start);
}

}  // namespace fenchel
