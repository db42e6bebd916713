// SPDX-License-Identifier: Apache-2.0
#include "training/tune_problem.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <variant>

#include "fenchel/core/option_error.hpp"
#include "fenchel/metrics/chunks.hpp"

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
    return evaluate(model, splits_[split].valid, temperature, threads);
  }

 private:
  const std::vector<TuneSplit>& splits_;
  std::vector<std::shared_ptr<const PreparedData>> prepared_;
};

class TaggerProblem final : public TuneProblem {
 public:
  explicit TaggerProblem(const std::vector<TaggerTuneSplit>& splits) : splits_(splits) {
    for (std::size_t s = 0; s < splits.size(); ++s) {
      if (splits[s].train && splits[s].valid) continue;
      throw std::invalid_argument(
          fmt::format("splits[{}] is null; expected sentences to fit on and to judge by", s));
    }
  }

  std::size_t splits() const override { return splits_.size(); }
  Task task() const override { return Task::tagging; }
  std::string_view default_metric() const override {
    const bool chunks = metrics::are_chunk_labels(splits_.front().train->label_names.strings());
    return chunks ? "chunk_f1" : TuneProblem::default_metric();
  }
  void check_axis(std::string_view name) const override {
    if (name == lambda_axis || name == rho_axis || name == temperature_axis) return;
    throw OptionError(
        fmt::format("`grid` {}: taggers have no such parameter; expected lambda, rho or temperature", name));
  }
  std::unique_ptr<Fit> fit(std::size_t split, const FitOptions& options,
                           const AnyModel* start) const override {
    return make_fit(splits_[split].train, options, start);
  }
  Evaluation judge(std::size_t split, const AnyModel& model, std::optional<double> temperature,
                   int threads) const override {
    return evaluate(model, *splits_[split].valid, temperature, threads);
  }

 private:
  const std::vector<TaggerTuneSplit>& splits_;
};

}  // namespace

std::unique_ptr<TuneProblem> make_tune_problem(const std::vector<TuneSplit>& splits,
                                               const FitOptions& options) {
  return std::make_unique<RowProblem>(splits, options);
}

std::unique_ptr<TuneProblem> make_tune_problem(const std::vector<TaggerTuneSplit>& splits) {
  return std::make_unique<TaggerProblem>(splits);
}

}  // namespace fenchel
