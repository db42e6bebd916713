// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

#include "fenchel/core/parallel.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/models/loss_choice.hpp"

namespace fenchel {
namespace {

constexpr double range_slack = 1e-9;       // so that 1:2:0.1 ends at 2 in spite of rounding
constexpr std::size_t max_axis = 100'000;  // a typing error, not a grid
constexpr std::string_view lambda_name = "lambda";
constexpr std::string_view temperature_name = "temperature";

double parse_number(std::string_view text, std::string_view axis) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("--grid {}: '{}' is not a number", axis, text));
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<double> log_range(double from, double to, std::string_view per_decade, std::string_view axis) {
  if (!(from > 0) || !(to > 0)) {
    throw std::invalid_argument(fmt::format("--grid {}: a logarithmic range needs ends > 0", axis));
  }
  const double density = per_decade.empty() ? 1 : parse_number(per_decade, axis);
  const double decades = std::log10(to / from);
  const auto steps = static_cast<std::size_t>(std::llround(std::abs(decades) * density));
  std::vector<double> values;
  for (std::size_t i = 0; i <= steps && i < max_axis; ++i) {
    const double share = steps == 0 ? 0 : static_cast<double>(i) / static_cast<double>(steps);
    // Through the exponent, so that 1e-4:1e4:log has the doubles nearest to the powers of ten.
    values.push_back(std::pow(10.0, std::log10(from) + share * decades));
  }
  return values;
}

std::vector<double> linear_range(double from, double to, double step, std::string_view axis) {
  if (step == 0 || (to - from) / step < 0) {
    throw std::invalid_argument(
        fmt::format("--grid {}: from {} to {} in steps of {} leads nowhere", axis, from, to, step));
  }
  const double count = std::floor((to - from) / step + range_slack) + 1;
  if (count > static_cast<double>(max_axis)) {
    throw std::invalid_argument(fmt::format("--grid {}: {} values", axis, count));
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    // Rounded to 12 digits: 1:2:0.1 contains 1.3, not 1.3000000000000003.
    values.push_back(std::stod(fmt::format("{:.12g}", from + static_cast<double>(i) * step)));
  }
  return values;
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
  Tuning(const std::vector<TuneSplit>& splits, const TuneOptions& options)
      : splits_(splits), options_(options) {
    if (splits.empty())
      throw std::invalid_argument("splits is empty; expected data to fit on and to judge by");
    if (options.grid.empty()) throw std::invalid_argument("grid is empty; expected at least one axis");
    std::set<std::string> names;
    std::vector<GridAxis> outer;
    for (const GridAxis& axis : options.grid) {
      if (axis.values.empty()) throw std::invalid_argument(fmt::format("grid {} has no values", axis.name));
      if (!names.insert(axis.name).second)
        throw std::invalid_argument(fmt::format("grid {} is given twice", axis.name));
      if (axis.name != lambda_name && axis.name != temperature_name) outer.push_back(axis);
    }
    lambdas_ = find_axis(options.grid, lambda_name) ? find_axis(options.grid, lambda_name)->values
                                                    : std::vector<double>{options.fit.lambda};
    std::ranges::sort(lambdas_, std::greater<>());
    if (const GridAxis* axis = find_axis(options.grid, temperature_name)) temperatures_ = axis->values;
    for (const TuneSplit& split : splits) prepared_.push_back(prepare(split.train, options.fit));
    metric_ =
        options.metric.empty() ? std::string(metrics::default_metric(prepared_[0]->task)) : options.metric;
    for (const auto& setting : product(outer)) {
      for (std::size_t s = 0; s < splits.size(); ++s) paths_.push_back({setting, s});
    }
    judgements_.resize(paths_.size() * lambdas_.size() * temperature_count());
  }

  TuneResult run() {
    metrics::find_metric(metric_);
    // One path uses all threads inside its fits; several take a thread each.
    const bool wide = paths_.size() == 1;
    for_each_block(paths_.size(), 1, wide ? 1 : options_.fit.threads,
                   [&](std::size_t first, std::size_t) { walk(first, wide ? options_.fit.threads : 1); });
    return collect();
  }

 private:
  std::size_t temperature_count() const { return std::max<std::size_t>(temperatures_.size(), 1); }
  std::optional<Judgement>& judgement(std::size_t path, std::size_t lambda, std::size_t temperature) {
    return judgements_[(path * lambdas_.size() + lambda) * temperature_count() + temperature];
  }

  void walk(std::size_t path, int threads) {
    std::optional<AnyModel> start;
    for (std::size_t l = 0; l < lambdas_.size(); ++l) {
      if (stopped_) return;
      auto setting = paths_[path].setting;
      setting[std::string(lambda_name)] = lambdas_[l];
      FitOptions options = apply_setting(options_.fit, setting);
      options.threads = threads;
      const auto fit =
          make_fit(prepared_[paths_[path].split], options, start && options_.warm_start ? &*start : nullptr);
      Standing standing;
      do {
        standing = fit->algorithm().step();
      } while (!standing.done && !stopped_);
      start = fit->model();
      judge(path, l, std::get<LinearModel>(*start), fit->algorithm().report(), threads);
      report_progress();
    }
  }

  void judge(std::size_t path, std::size_t l, const LinearModel& model, const Report& report, int threads) {
    for (std::size_t t = 0; t < temperature_count(); ++t) {
      const auto temperature = temperatures_.empty() ? std::nullopt : std::optional(temperatures_[t]);
      const Evaluation evaluation = evaluate(model, splits_[paths_[path].split].valid, temperature, threads);
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
    TuneResult result{prepared_[0]->task, metric_, {}, 0, !stopped_};
    for (const auto& setting : product(options_.grid)) {
      if (auto row = row_of(setting)) result.rows.push_back(std::move(*row));
    }
    if (result.rows.empty()) return result;
    const double sign = metrics::find_metric(metric_).larger_is_better ? 1 : -1;
    const auto strength = [](const TuneRow& row) {
      const auto found = row.setting.find(std::string(lambda_name));
      return found == row.setting.end() ? 0 : found->second;
    };
    const auto better = [&](const TuneRow& a, const TuneRow& b) {
      if (std::isnan(b.mean) != std::isnan(a.mean)) return std::isnan(b.mean);
      if (a.mean != b.mean) return sign * a.mean > sign * b.mean;
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
    const std::size_t l = index_of(lambdas_, setting, lambda_name);
    const std::size_t t = index_of(temperatures_, setting, temperature_name);
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      const bool same = std::ranges::all_of(
          paths_[p].setting, [&](const auto& entry) { return setting.at(entry.first) == entry.second; });
      if (!same) continue;
      const auto& judged = judgement(p, l, t);
      if (!judged) return std::nullopt;
      values.push_back(judged->value);
      row.support += judged->support / static_cast<double>(splits_.size());
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

  const std::vector<TuneSplit>& splits_;
  const TuneOptions& options_;
  std::vector<double> lambdas_;
  std::vector<double> temperatures_;
  std::string metric_;
  std::vector<std::shared_ptr<const PreparedData>> prepared_;
  std::vector<Path> paths_;
  std::vector<std::optional<Judgement>> judgements_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

GridAxis parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw std::invalid_argument(
        fmt::format("--grid is '{}'; expected name=from:to:step, name=from:to:log or name=a,b,c", text));
  }
  GridAxis axis{std::string(text.substr(0, equals)), {}};
  const std::string_view values = text.substr(equals + 1);
  const auto range = split(values, ':');
  if (range.size() == 3 && range[2].starts_with("log")) {
    axis.values = log_range(parse_number(range[0], axis.name), parse_number(range[1], axis.name),
                            range[2].substr(3), axis.name);
  } else if (range.size() == 3) {
    axis.values = linear_range(parse_number(range[0], axis.name), parse_number(range[1], axis.name),
                               parse_number(range[2], axis.name), axis.name);
  } else if (range.size() == 1) {
    for (const std::string_view value : split(values, ','))
      axis.values.push_back(parse_number(value, axis.name));
  } else {
    throw std::invalid_argument(
        fmt::format("--grid {}: '{}' is no range; expected from:to:step or from:to:log", axis.name, values));
  }
  return axis;
}

TuneResult tune(const std::vector<TuneSplit>& splits, const TuneOptions& options) {
  return Tuning(splits, options).run();
}

FitOptions apply_setting(const FitOptions& options, const std::map<std::string, double>& setting) {
  FitOptions result = options;
  std::optional<Spec> omega;
  for (const auto& [name, value] : setting) {
    if (name == lambda_name) {
      result.lambda = value;
    } else if (name == "rho") {
      result.rho = value;
    } else if (name != temperature_name) {
      if (!omega) {
        if (options.omega.empty())
          throw std::invalid_argument(fmt::format("--grid {}: needs --omega, whose parameter it is", name));
        omega = parse_spec(options.omega);
      }
      std::erase_if(omega->parameters,
                    [&, &key = name](const auto& parameter) { return parameter.first == key; });
      omega->parameters.emplace_back(name, value);
    }
  }
  if (omega) result.omega = to_json(*omega);
  return result;
}

}  // namespace fenchel
