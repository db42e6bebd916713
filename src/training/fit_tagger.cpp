// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/fit_tagger.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "fenchel/training/train_tagger.hpp"

namespace fenchel {
namespace {

class TaggerFit final : public Fit {
 public:
  TaggerFit(std::shared_ptr<const TaggerData> data, const FitOptions& options, const TaggerFitOptions& tagger,
            const AnyModel* start)
      : data_(std::move(data)), features_(tagger_features(*data_, tagger.features)) {
    options_.omega = tagger_omega(options.omega.empty() ? "crf" : options.omega);
    options_.features = tagger.features;
    options_.templates = tagger.templates;
    const auto* from = start ? std::get_if<Tagger>(start) : nullptr;
    if (from) start_ = transfer_parameters(*from, *data_, features_);
    options_.train = train_options(options, start_);
    const ParameterShape shape{features_.parameters(), features_.parameters(), 1};
    const SolverChoice choice = choose_solver(shape, smooth(options_.omega), options_.train);
    remarks_.push_back(fmt::format("loss: {} over sequences of {} labels; {} weights of {} attributes",
                                   to_string(options_.omega), features_.labels, features_.parameters(),
                                   features_.attributes));
    remarks_.push_back(penalty_text(options));
    remarks_.push_back(fmt::format("solver: {} ({})", choice.solver, choice.reason));
    algorithm_ = make_tagger_algorithm(*data_, features_, options_);
    provenance_ = {{"data", tagger.source},
                   {"sentences", std::to_string(data_->sentence_count())},
                   {"tokens", std::to_string(data_->tokens())},
                   {"penalty", options.penalty},
                   {"lambda", fmt::format("{}", options.lambda)}};
  }

  Algorithm& algorithm() override { return *algorithm_; }
  AnyModel model_of(std::span<const double> parameters) const override {
    Tagger tagger = make_tagger(*data_, features_, options_, parameters);
    tagger.provenance.insert(provenance_.begin(), provenance_.end());
    const Report report = algorithm_->report();
    tagger.provenance["solver"] = algorithm_->name();
    tagger.provenance["status"] = to_string(report.status);
    tagger.provenance["iterations"] = std::to_string(report.iterations);
    return tagger;
  }

 private:
  std::shared_ptr<const TaggerData> data_;
  TaggerFeatures features_;
  TaggerTrainOptions options_;
  std::vector<double> start_;
  std::map<std::string, std::string> provenance_;
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace

std::unique_ptr<Fit> make_fit(std::shared_ptr<const TaggerData> data, const FitOptions& options,
                              const TaggerFitOptions& tagger, const AnyModel* start) {
  const auto refuse = [](const char* what) {
    throw std::invalid_argument(std::string(what) + ": taggers have none");
  };
  if (!options.kernel.empty()) refuse("kernel");
  if (!options.class_weight.empty()) refuse("class_weight");
  if (options.scale != Scaling::none) refuse("scale");
  if (options.intercept) refuse("intercept");
  const bool perceptron = options.omega == to_string(TaggerOmega::perceptron);
  return std::make_unique<TaggerFit>(std::move(data), with_penalty(options, perceptron), tagger, start);
}

}  // namespace fenchel
