// SPDX-License-Identifier: Apache-2.0
#include "data/known_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "data/arff_header.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel {
namespace {

constexpr std::size_t most_listed = 8;  // values in a message: longer lists do not help

/// 'a', 'b' and 3 more.
std::string listing(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), most_listed);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += in_quotes(names[i]);
  }
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

}  // namespace

std::vector<std::string> column_names(const ReadOptions& options) {
  std::vector<std::string> names;
  static const std::vector<NominalColumn> none;
  const std::vector<NominalColumn>& nominal = options.nominal_columns ? *options.nominal_columns : none;
  auto next = nominal.begin();
  for (std::size_t feature = 0; feature < options.feature_names.size();) {
    const bool is_nominal = next != nominal.end() && next->feature == feature;
    names.push_back(is_nominal ? next->name : options.feature_names[feature]);
    feature += is_nominal ? next->width() : 1;
    if (is_nominal) ++next;
  }
  return names;
}

bool names_target(const std::string& name) {
  return same_word(name, "class") || same_word(name, "target") || same_word(name, "label");
}

bool are_numbers(const std::vector<std::string>& names) {
  double ignored = 0;
  return std::ranges::all_of(names, [&](const std::string& name) { return whole_number(name, ignored); });
}

std::vector<std::string> names_of(std::vector<std::string> columns) {
  return are_numbers(columns) ? std::vector<std::string>() : std::move(columns);
}

std::size_t column_called(const std::vector<std::string>& names, const std::string& called,
                          const std::string& source) {
  const auto found = std::ranges::find(names, called);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::size_t number = 0;
  const char* const end = called.data() + called.size();
  const auto [rest, error] = std::from_chars(called.data(), end, number);
  if (error == std::errc() && rest == end && number >= 1 && number <= names.size()) return number - 1;
  throw DataError(source, 0, 0,
                  fmt::format("there is no column {}; expected {}, or a number from 1 to {}",
                              in_quotes(called), listing(names), names.size()));
}

ColumnMatch match_columns(const std::vector<std::string>& known, const std::vector<std::string>& names,
                          std::size_t taken, const std::string& source) {
  ColumnMatch result;
  std::unordered_map<std::string_view, std::size_t> places;
  const std::unordered_set<std::string_view> wanted(known.begin(), known.end());
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (j == taken) continue;
    if (!wanted.contains(names[j])) {
      result.others.push_back(names[j]);
    } else if (!places.emplace(names[j], j).second) {
      throw DataError(source, 0, 0, fmt::format("column {} appears twice", in_quotes(names[j])));
    }
  }
  std::vector<std::string> missing;
  for (const std::string& name : known) {
    const auto found = places.find(name);
    if (found == places.end()) {
      missing.push_back(name);
    } else {
      result.places.push_back(found->second);
    }
  }
  if (missing.empty()) return result;
  std::string problem = fmt::format("{} {} missing; training had {}", listing(missing),
                                    missing.size() == 1 ? "is" : "are", missing.size() == 1 ? "it" : "them");
  if (taken < names.size()) problem += fmt::format(" ({} is the target here)", in_quotes(names[taken]));
  if (!result.others.empty()) problem += fmt::format(", but not {}", listing(result.others));
  throw DataError(source, 0, 0, problem);
}

std::size_t target_among(const std::vector<std::string>& known, const std::vector<std::string>& names,
                         const std::string& source) {
  const std::unordered_set<std::string_view> features(known.begin(), known.end());
  if (!features.contains(names.back())) return names.size() - 1;
  std::size_t target = names.size();
  std::vector<std::string> others;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (features.contains(names[j])) continue;
    target = j;
    others.push_back(names[j]);
  }
  if (others.size() <= 1) return target;
  throw DataError(
      source, 0, 0,
      fmt::format("which of {} is the target? None of them is a feature of the model; give its name",
                  listing(others)));
}

void check_different(const std::vector<std::string>& names, const std::string& source) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw DataError(source, 0, 0,
                      fmt::format("two columns {}; expected different names, or one of them left out by its "
                                  "number, with `ignore`",
                                  name.empty() ? "have no name" : "are called " + in_quotes(name)));
    }
  }
}

std::string apply_known(const std::vector<NominalColumn>& known, bool named,
                        std::vector<FeatureColumn>& columns) {
  auto next = known.begin();
  std::size_t feature = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    FeatureColumn& column = columns[j];
    column.nominal = next != known.end() && next->feature == feature;
    column.values = {};
    if (!column.nominal) {
      ++feature;
      continue;
    }
    if (named && column.name != next->name) {
      return fmt::format("feature column {} is {}; expected {}, as in training", j + 1,
                         in_quotes(column.name), in_quotes(next->name));
    }
    column.name = next->name;
    column.one_hot = next->one_hot;
    for (const std::string& value : next->values) column.values.add(value);
    feature += next->width();
    ++next;
  }
  if (next == known.end()) return {};
  return fmt::format("{} feature columns; expected more, among them {}, as in training", columns.size(),
                     in_quotes(next->name));
}

void fill_as_in_training(ReadOptions& options, const std::vector<double>& fill) {
  if (fill.empty() && options.missing == Missing::error) return;
  options.missing = Missing::fill;
  options.fill = fill;
}

void check_not_ignored(const std::string& target, bool left_out, const std::string& source) {
  if (!left_out) return;
  throw DataError(
      source, 0, 0,
      fmt::format("column {} is `target` and in `ignore`; expected it in one of them", in_quotes(target)));
}

void name_as_in_training(ReadOptions& options, const std::vector<std::string>& feature_names,
                         const std::vector<NominalColumn>& nominal, const std::string& target) {
  if (feature_names.empty()) return;
  options.known_target = target;
  options.nominal_columns = nominal;
  options.feature_names = feature_names;
}

std::string unseen_problem(std::string_view value, std::string_view kind, const FeatureColumn& column) {
  const std::size_t count = column.values.size();
  const std::size_t shown = std::min(count, most_listed);
  std::string expected;
  for (std::size_t v = 0; v < shown; ++v) {
    if (v > 0) expected += v + 1 == count ? " or " : ", ";
    expected += in_quotes(column.values[static_cast<std::int32_t>(v)]);
  }
  if (shown < count) expected += fmt::format(" or one of {} more", count - shown);
  return fmt::format("{} is not a value of {} {}; expected {}, as in training", in_quotes(value), kind,
                     in_quotes(column.name), expected);
}

}  // namespace fenchel
