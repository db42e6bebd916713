// SPDX-License-Identifier: Apache-2.0
#include "training/tune_problem.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <variant>

#include "training/tune_axes.hpp"

namespace fenchel {
namespace {

// Linear and kernel models of rows.
class RowProblem final : public TuneProblem {
 public:
  RowProblem(const std::vector<TuneSplit>& splits, const FitOptions& options) : splits_(splits) {
    for (const TuneSplit& split : splits) prepared_.push_back(prepare(split.train, options));
  }

  std::size_t splits() const override { return splits_.size(); }
  Task task() const override { return prepared_.front()->task; }
  void check_axis(std::string_view) const override {}  // Ω and kernel know their parameters
  std::unique_ptr<Fit> fit(std::size_t split, const FitOptions& options,
                           const AnyModel* start) const override {
    return make_fit(prepared_[split], options, start);
  }
  Evaluation judge(std::size_t split, const AnyModel& model, std::optional<double> temperature,
                   int threads) const override {
    const Dataset& valid = splits_[split].valid;
    if (const auto* kernel = std::get_if<KernelPredictor>(&model)) {
      return evaluate(*kernel, valid, temperature, threads);
    }
    return evaluate(std::get<LinearModel>(model), valid, temperature, threads);
  }

 private:
  const std::vector<TuneSplit>& splits_;
  std::vector<std::shared_ptr<const PreparedData>> prepared_;
};

class TaggerProblem final : public TuneProblem {
 public:
  TaggerProblem(const std::vector<TaggerTuneSplit>& splits, const TaggerFitOptions& tagger)
      : splits_(splits), tagger_(tagger) {
    for (std::size_t s = 0; s < splits.size(); ++s) {
      if (splits[s].train && splits[s].valid) continue;
      throw std::invalid_argument(
          fmt::format("splits[{}] is null; expected sentences to fit on and to judge by", s));
    }
  }

  std::size_t splits() const override { return splits_.size(); }
  Task task() const override { return Task::tagging; }
  void check_axis(std::string_view name) const override {
    if (name == lambda_axis || name == rho_axis || name == temperature_axis) return;
    throw std::invalid_argument(
        fmt::format("--grid {}: taggers have no such parameter; expected lambda, rho or temperature", name));
  }
  std::unique_ptr<Fit> fit(std::size_t split, const FitOptions& options,
                           const AnyModel* start) const override {
    return make_fit(splits_[split].train, options, tagger_, start);
  }
  Evaluation judge(std::size_t split, const AnyModel& model, std::optional<double> temperature,
                   int threads) const override {
    return evaluate(std::get<Tagger>(model), *splits_[split].valid, temperature, threads);
  }

 private:
  const std::vector<TaggerTuneSplit>& splits_;
  TaggerFitOptions tagger_;
};

}  // namespace

std::unique_ptr<TuneProblem> make_tune_problem(const std::vector<TuneSplit>& splits,
                                               const FitOptions& options) {
  return std::make_unique<RowProblem>(splits, options);
}

std::unique_ptr<TuneProblem> make_tune_problem(const std::vector<TaggerTuneSplit>& splits,
                                               const TaggerFitOptions& tagger) {
  return std::make_unique<TaggerProblem>(splits, tagger);
}

}  // namespace fenchel
