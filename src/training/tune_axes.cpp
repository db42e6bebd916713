// SPDX-License-Identifier: Apache-2.0
// Axes of grids as text, and their values put into the options of a fit.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "training/tune_problem.hpp"

namespace fenchel {
namespace {

constexpr double range_slack = 1e-9;       // so that 1:2:0.1 ends at 2 in spite of rounding
constexpr std::size_t max_axis = 100'000;  // a typing error, not a grid

double parse_number(std::string_view text, std::string_view axis) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw OptionError(fmt::format("`grid` {}: '{}' is not a number", axis, text));
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

void check_count(double count, std::string_view axis) {
  if (count <= static_cast<double>(max_axis)) return;
  throw OptionError(fmt::format("`grid` {}: {} values; expected at most {}", axis, count, max_axis));
}

std::vector<double> log_range(double from, double to, std::string_view per_decade, std::string_view axis) {
  if (!(from > 0) || !(to > 0)) {
    throw OptionError(fmt::format("`grid` {}: a logarithmic range needs ends > 0", axis));
  }
  const double density = per_decade.empty() ? 1 : parse_number(per_decade, axis);
  if (!(density > 0)) {
    throw OptionError(fmt::format("`grid` {}: log{} has no values per power of ten; expected log or log2",
                                  axis, per_decade));
  }
  const double ratio = to / from;  // beyond the range of numbers where the ends are far apart
  const double decades =
      ratio > 0 && std::isfinite(ratio) ? std::log10(ratio) : std::log10(to) - std::log10(from);
  const double intervals = std::round(std::abs(decades) * density);
  check_count(intervals + 1, axis);
  const auto steps = static_cast<std::size_t>(intervals);
  std::vector<double> values;
  for (std::size_t i = 0; i <= steps; ++i) {
    const double share = steps == 0 ? 0 : static_cast<double>(i) / static_cast<double>(steps);
    // Through the exponent, so that 1e-4:1e4:log has the doubles nearest to the powers of ten.
    const double value = std::pow(10.0, std::log10(from) + share * decades);
    values.push_back(std::isfinite(value) ? value : std::max(from, to));
  }
  return values;
}

// To 12 digits, so that 1:2:0.1 contains 1.3, not 1.3000000000000003; as it is at the ends of the range of
// numbers, where that would leave it.
double rounded(double value) {
  const std::string text = fmt::format("{:.12g}", value);
  double result = value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  return error == std::errc() && std::isfinite(result) ? result : value;
}

std::vector<double> linear_range(double from, double to, double step, std::string_view axis) {
  if (step == 0 || (to - from) / step < 0) {
    throw OptionError(
        fmt::format("`grid` {}: from {} to {} in steps of {} has no values", axis, from, to, step));
  }
  const double count = std::floor((to - from) / step + range_slack) + 1;
  check_count(count, axis);
  std::vector<double> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    values.push_back(rounded(from + static_cast<double>(i) * step));
  }
  return values;
}

// A spec some of whose parameters the grid sets, parsed when the first of them comes.
class GridSpec {
 public:
  GridSpec(std::string& text, std::string_view option) : text_(text), option_(option) {}

  void set(std::string_view axis, std::string_view parameter, double value) {
    if (text_.empty()) {
      throw OptionError(fmt::format("`grid` {}: needs `{}`, whose parameter it is", axis, option_));
    }
    if (!spec_) spec_ = parse_spec(text_, option_);
    std::erase_if(spec_->parameters, [&](const auto& entry) { return entry.first == parameter; });
    spec_->parameters.emplace_back(parameter, value);
  }
  void write() {
    if (spec_) text_ = to_json(*spec_);
  }

 private:
  std::string& text_;
  std::string_view option_;
  std::optional<Spec> spec_;
};

// Throws OptionError for a name that is almost that of an axis, before it is taken for a parameter of Ω, and
// for any unknown one where no Ω was given.
void check_axis_name(std::string_view name, const std::string& omega) {
  std::vector<std::string_view> known{lambda_axis, rho_axis, temperature_axis, "constant"};
  for (const RegularizerEntry& entry : regularizer_list()) {
    for (const auto& parameter : entry.parameters) known.push_back(parameter.name);
  }
  if (std::ranges::find(known, name) != known.end()) return;
  const std::string nearest = spec::suggestion(name, known);
  if (nearest.empty() && !omega.empty()) return;
  throw OptionError(fmt::format(
      "`grid` {}: there is no such axis{}", name,
      nearest.empty() ? "; expected lambda, rho, temperature, kernel.NAME or a parameter of `omega`"
                      : nearest));
}

}  // namespace

GridAxis parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw OptionError(
        fmt::format("`grid` is '{}'; expected name=from:to:step, name=from:to:log or name=a,b,c", text));
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
    throw OptionError(fmt::format("`grid` {}: '{}' is not a range; expected from:to:step or from:to:log",
                                  axis.name, values));
  }
  return axis;
}

FitOptions apply_setting(const FitOptions& options, const std::map<std::string, double>& setting) {
  FitOptions result = options;
  GridSpec omega(result.omega, "omega");
  GridSpec kernel(result.kernel, "kernel");
  for (const auto& [name, value] : setting) {
    if (name == lambda_axis) {
      result.lambda = value;
    } else if (name == rho_axis) {
      result.rho = value;
    } else if (name.starts_with(kernel_prefix)) {
      kernel.set(name, std::string_view(name).substr(kernel_prefix.size()), value);
    } else if (name != temperature_axis) {
      check_axis_name(name, options.omega);
      omega.set(name, name, value);
    }
  }
  omega.write();
  kernel.write();
  return result;
}

}  // namespace fenchel
