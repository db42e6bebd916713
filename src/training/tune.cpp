// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/tune.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

#include "core/parallel.hpp"
#include "fenchel/core/option_error.hpp"
#include "training/tune_problem.hpp"

namespace fenchel {
namespace {

bool at_end(const GridAxis& axis, double value) {
  const auto [least, most] = std::ranges::minmax(axis.values);
  return value == least || value == most;
}

// The settings that share one fit path: all axes but λ and the temperature.
struct Path {
  std::map<std::string, double> setting;
  std::size_t split = 0;
};

std::vector<std::map<std::string, double>> product(const std::vector<GridAxis>& axes) {
  std::vector<std::map<std::string, double>> settings{{}};
  for (const GridAxis& axis : axes) {
    std::vector<std::map<std::string, double>> longer;
    for (const auto& setting : settings) {
      for (const double value : axis.values) {
        longer.push_back(setting);
        longer.back()[axis.name] = value;
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

const GridAxis* find_axis(const std::vector<GridAxis>& grid, std::string_view name) {
  const auto found = std::ranges::find(grid, name, &GridAxis::name);
  return found == grid.end() ? nullptr : &*found;
}

// What one fit gave: the metric at each temperature.
struct Judgement {
  double value = 0;
  double support = 0;
  Report report;
};

class Tuning {
 public:
  Tuning(const TuneProblem& problem, const TuneOptions& options) : problem_(problem), options_(options) {
    if (problem.splits() == 0)
      throw std::invalid_argument("splits is empty; expected data to fit on and to judge by");
    if (options.grid.empty()) throw std::invalid_argument("grid is empty; expected at least one axis");
    std::set<std::string> names;
    std::vector<GridAxis> outer;
    for (const GridAxis& axis : options.grid) {
      if (axis.values.empty()) throw std::invalid_argument(fmt::format("grid {} has no values", axis.name));
      if (!names.insert(axis.name).second)
        throw OptionError(fmt::format("`grid` {}: given twice; expected one axis of a name", axis.name));
      problem.check_axis(axis.name);
      if (axis.name == rho_axis && !has_rho(options.fit.penalty)) {
        throw OptionError("`grid` rho: needs `penalty` elastic_net, whose parameter it is");
      }
      if (axis.name != lambda_axis && axis.name != temperature_axis) outer.push_back(axis);
    }
    lambdas_ = find_axis(options.grid, lambda_axis) ? find_axis(options.grid, lambda_axis)->values
                                                    : std::vector<double>{options.fit.lambda};
    std::ranges::sort(lambdas_, std::greater<>());
    if (const GridAxis* axis = find_axis(options.grid, temperature_axis)) temperatures_ = axis->values;
    metric_ = options.metric.empty() ? std::string(problem.default_metric()) : options.metric;
    for (const auto& setting : product(outer)) {
      for (std::size_t s = 0; s < problem.splits(); ++s) paths_.push_back({setting, s});
    }
    judgements_.resize(paths_.size() * lambdas_.size() * temperature_count());
  }

  TuneResult run() {
    metrics::find_metric(metric_);
    // One path uses all threads inside its fits; several take a thread each.
    const bool wide = paths_.size() == 1;
    for_each_block(paths_.size(), 1, wide ? 1 : options_.fit.threads,
                   [&](std::size_t first, std::size_t) { attempt(first, wide ? options_.fit.threads : 1); });
    return collect();
  }

 private:
  std::size_t temperature_count() const { return std::max<std::size_t>(temperatures_.size(), 1); }
  std::optional<Judgement>& judgement(std::size_t path, std::size_t lambda, std::size_t temperature) {
    return judgements_[(path * lambdas_.size() + lambda) * temperature_count() + temperature];
  }

  // An error is thrown once all threads are done: the other paths need not go on.
  void attempt(std::size_t path, int threads) {
    try {
      walk(path, threads);
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  void walk(std::size_t path, int threads) {
    std::optional<AnyModel> start;
    std::unique_ptr<Fit> fit;  // the one before lives until the next is made: they share a Gram matrix
    for (std::size_t l = 0; l < lambdas_.size(); ++l) {
      if (stopped_) return;
      auto setting = paths_[path].setting;
      setting[std::string(lambda_axis)] = lambdas_[l];
      FitOptions options = apply_setting(options_.fit, setting);
      options.threads = threads;
      fit = problem_.fit(paths_[path].split, options, start && options_.warm_start ? &*start : nullptr);
      const StepReport last_step =
          fenchel::run(fit->algorithm(), [&](const StepReport&, const Algorithm&) { return !stopped_; });
      if (!last_step.done) return;
      const Report report = fit->algorithm().report();
      if (report.status == Status::diverged) {
        dismiss(path, l, report);
        start.reset();
      } else {
        start = fit->model();
        judge(path, l, *start, report, threads);
      }
      report_progress();
    }
  }

  // A fit without a model: worse than any that has one.
  void dismiss(std::size_t path, std::size_t l, const Report& report) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t t = 0; t < temperature_count(); ++t)
      judgement(path, l, t) = Judgement{none, none, report};
  }

  void judge(std::size_t path, std::size_t l, const AnyModel& model, const Report& report, int threads) {
    for (std::size_t t = 0; t < temperature_count(); ++t) {
      const auto temperature = temperatures_.empty() ? std::nullopt : std::optional(temperatures_[t]);
      const Evaluation evaluation = problem_.judge(paths_[path].split, model, temperature, threads);
      Judgement result{metrics::value_of(evaluation.metrics, metric_),
                       std::numeric_limits<double>::quiet_NaN(), report};
      const auto support = std::ranges::find(evaluation.metrics, "mean_support", &metrics::Metric::name);
      if (support != evaluation.metrics.end()) result.support = support->value;
      judgement(path, l, t) = result;
    }
  }

  void report_progress() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.observer && !options_.observer(done_, paths_.size() * lambdas_.size())) stopped_ = true;
  }

  TuneResult collect() {
    TuneResult result{problem_.task(), metric_, {}, 0, !stopped_};
    for (const auto& setting : product(options_.grid)) {
      if (auto row = row_of(setting)) result.rows.push_back(std::move(*row));
    }
    if (result.rows.empty()) return result;
    const double sign = metrics::find_metric(metric_).larger_is_better ? 1 : -1;
    const auto strength = [](const TuneRow& row) {
      const auto found = row.setting.find(std::string(lambda_axis));
      return found == row.setting.end() ? 0 : found->second;
    };
    const auto ends = [&](const TuneRow& row) {
      return std::ranges::count_if(
          options_.grid, [&](const GridAxis& axis) { return at_end(axis, row.setting.at(axis.name)); });
    };
    const auto better = [&](const TuneRow& a, const TuneRow& b) {
      if (std::isnan(b.mean) != std::isnan(a.mean)) return std::isnan(b.mean);
      if (a.mean != b.mean) return sign * a.mean > sign * b.mean;
      if (ends(a) != ends(b)) return ends(a) < ends(b);
      return strength(a) > strength(b);
    };
    for (std::size_t r = 1; r < result.rows.size(); ++r) {
      if (better(result.rows[r], result.rows[result.best])) result.best = r;
    }
    return result;
  }

  std::optional<TuneRow> row_of(const std::map<std::string, double>& setting) {
    TuneRow row{setting, 0, 0, 0, {}};
    std::vector<double> values;
    const std::size_t l = index_of(lambdas_, setting, lambda_axis);
    const std::size_t t = index_of(temperatures_, setting, temperature_axis);
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      const bool same = std::ranges::all_of(
          paths_[p].setting, [&](const auto& entry) { return setting.at(entry.first) == entry.second; });
      if (!same) continue;
      const auto& judged = judgement(p, l, t);
      if (!judged) return std::nullopt;
      values.push_back(judged->value);
      row.support += judged->support / static_cast<double>(problem_.splits());
      row.report = worst(row.report, judged->report);
    }
    const auto n = static_cast<double>(values.size());
    for (const double value : values) row.mean += value / n;
    for (const double value : values) row.deviation += (value - row.mean) * (value - row.mean);
    row.deviation = n > 1 ? std::sqrt(row.deviation / (n - 1)) : 0;
    return row;
  }

  static std::size_t index_of(const std::vector<double>& values, const std::map<std::string, double>& setting,
                              std::string_view name) {
    const auto found = setting.find(std::string(name));
    if (found == setting.end()) return 0;
    return static_cast<std::size_t>(std::ranges::find(values, found->second) - values.begin());
  }

  const TuneProblem& problem_;
  const TuneOptions& options_;
  std::vector<double> lambdas_;
  std::vector<double> temperatures_;
  std::string metric_;
  std::vector<Path> paths_;
  std::vector<std::optional<Judgement>> judgements_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::atomic<bool> stopped_ = false;
};

// The steps of an axis in order: all the same factor, all the same difference, or neither.
struct Steps {
  std::vector<double> sorted;
  bool factors = true;
  bool differences = true;

  explicit Steps(std::vector<double> values) : sorted(std::move(values)) {
    constexpr double alike = 1e-6;
    std::ranges::sort(sorted);
    for (std::size_t i = 2; i < sorted.size(); ++i) {
      const double first = sorted[1] - sorted[0], step = sorted[i] - sorted[i - 1];
      differences = differences && std::abs(step - first) <= alike * std::abs(first);
      factors = factors && sorted[0] > 0 &&
                std::abs(sorted[i] / sorted[i - 1] - sorted[1] / sorted[0]) <= alike * sorted[1] / sorted[0];
    }
    factors = factors && sorted.size() > 1 && sorted[0] > 0;
  }

  // From the edge outwards: the edge itself and as many more steps as make a grid.
  std::vector<double> beyond(bool low) const {
    constexpr int more = 4;
    std::vector<double> values{low ? sorted.front() : sorted.back()};
    const std::size_t at = low ? 0 : sorted.size() - 2;
    constexpr double largest_factor = 10;  // of a step: two values far apart tell little about the next ones
    const double factor = std::min(sorted[at + 1] / sorted[at], largest_factor),
                 step = sorted[at + 1] - sorted[at];
    for (int i = 0; i < more; ++i) {
      const double last = values.back();
      const double next = factors ? (low ? last / factor : last * factor) : (low ? last - step : last + step);
      if (!std::isfinite(next) || (sorted.front() > 0 && next <= 0)) break;
      values.push_back(next);
    }
    if (low) std::ranges::reverse(values);
    return values;
  }
};

}  // namespace

std::vector<GridEdge> edges_of(const TuneResult& result, const std::vector<GridAxis>& grid) {
  std::vector<GridEdge> edges;
  if (result.rows.empty()) return edges;
  for (const GridAxis& axis : grid) {
    if (axis.values.size() < 2) continue;
    const TuneRow& winner = result.rows[result.best];
    const double value = winner.setting.at(axis.name);
    if (!at_end(axis, value)) continue;
    // Where all of the axis does as well, its parameter does not matter here.
    const bool matters = std::ranges::any_of(result.rows, [&](const TuneRow& row) {
      auto setting = row.setting;
      setting[axis.name] = value;
      return setting == winner.setting && row.mean != winner.mean;
    });
    if (!matters) continue;
    const bool least = value == std::ranges::min(axis.values);
    edges.push_back({axis.name, value, {axis.name, Steps(axis.values).beyond(least)}});
  }
  return edges;
}

TuneResult tune(const std::vector<TuneSplit>& splits, const TuneOptions& options) {
  return Tuning(*make_tune_problem(splits, options.fit), options).run();
}

TuneResult tune(const std::vector<TaggerTuneSplit>& splits, const TuneOptions& options) {
  return Tuning(*make_tune_problem(splits), options).run();
}

}  // namespace fenchel
