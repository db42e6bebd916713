// SPDX-License-Identifier: Apache-2.0
// What is doubtful about labels: lists and orders that were taken for words, numbers among words, words for
// missing targets, letters that are not in UTF-8.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_header.hpp"
#include "data/doubts.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"

namespace fenchel {
namespace {

constexpr std::size_t fewest_of_lists = 2;  // parts that several labels share

/// The parts of a label between marks that people put between the members of lists and orders, of one kind.
std::vector<std::string> parts_of(std::string_view label, std::string_view mark) {
  std::vector<std::string> parts;
  for (std::size_t end = label.find(mark); end != std::string_view::npos; end = label.find(mark)) {
    parts.emplace_back(label.substr(0, end));
    label.remove_prefix(end + mark.size());
  }
  parts.emplace_back(label);
  return parts;
}

/// A label that looks like a list with this mark: half of them do, of parts that several labels share.
const std::string* list_with(const std::vector<std::string>& labels, std::string_view mark) {
  std::map<std::string, std::size_t> counts;
  std::size_t lists = 0;
  const std::string* list = nullptr;
  for (const std::string& label : labels) {
    const std::vector<std::string> parts = parts_of(label, mark);
    if (parts.size() > 1 && !list) list = &label;
    lists += parts.size() > 1 ? 1 : 0;
    for (const std::string& part : parts) ++counts[part];
  }
  const auto shared = static_cast<std::size_t>(
      std::ranges::count_if(counts, [](const auto& entry) { return entry.second > 1; }));
  return list && 2 * lists >= labels.size() && shared >= fewest_of_lists ? list : nullptr;
}

/// A label that is a list or an order though its mark is common in words: others have the same parts in
/// another order, or all of the parts are labels by themselves.
const std::string* hidden_list(const std::vector<std::string>& labels, std::string_view mark) {
  const std::string* list = list_with(labels, mark);
  if (!list) return nullptr;
  std::set<std::string> parts;
  std::set<std::vector<std::string>> seen;
  bool again = false;
  for (const std::string& label : labels) {
    std::vector<std::string> members = parts_of(label, mark);
    parts.insert(members.begin(), members.end());
    std::ranges::sort(members);
    again |= !seen.insert(std::move(members)).second;
  }
  const auto alone = static_cast<std::size_t>(std::ranges::count_if(
      parts, [&](const auto& part) { return std::ranges::find(labels, part) != labels.end(); }));
  return again || alone == parts.size() ? list : nullptr;
}

/// A label that looks like a list, or "".
std::string list_among(const std::vector<std::string>& labels) {
  const auto in_brackets = [](const std::string& label) {
    return (label.starts_with('[') && label.ends_with(']')) ||
           (label.starts_with('{') && label.ends_with('}'));
  };
  if (std::ranges::all_of(labels, in_brackets)) return labels.front();
  constexpr std::array<std::string_view, 6> marks{",", ";", "|", "<", ">", "≻"};
  for (const std::string_view mark : marks) {
    if (const std::string* list = list_with(labels, mark)) return *list;
  }
  for (const std::string_view mark : {" ", "-"}) {
    if (const std::string* list = hidden_list(labels, mark)) return *list;
  }
  return {};
}

/// A word among labels of which nine in ten are numbers, or one that may stand for a missing target; "" if
/// there is none.
std::string odd_label(const Labels& labels) {
  constexpr std::size_t most = 10;  // labels for an odd one
  std::vector<std::size_t> counts(labels.names.size());
  for (const std::int32_t label : labels.indices) ++counts[static_cast<std::size_t>(label)];
  std::size_t words = 0;
  std::string word, sign;
  double ignored = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const std::string& name = labels.names[k];
    if (stands_for_nothing(name) && (sign.empty() || counts[k] > 0)) sign = name;
    if (whole_number(name, ignored)) continue;
    words += counts[k];
    if (word.empty()) word = name;
  }
  return words > 0 && most * words <= labels.indices.size() ? word : sign;
}

}  // namespace

std::vector<std::string> doubts_about_labels(const Dataset& data, const std::string& target,
                                             DataFormat format) {
  const Labels& labels = data.labels;
  if (labels.names.empty() || !data.values.empty() || !labels.places.empty()) return {};
  const std::string where = target.empty() ? std::string() : fmt::format(" (column {})", in_quotes(target));
  if (const std::string list = list_among(labels.names); !list.empty()) {
    return {fmt::format(
        "the label {}{} is taken for one word; orders (a>b=c) are read from CSV and ARFF, sets of "
        "labels (1,2) from svmlight and ARFF",
        in_quotes(list), where)};
  }
  if (format != DataFormat::csv) return {};  // other formats say which words are labels
  if (are_decorated(labels.names)) {
    return {
        fmt::format("the targets{}, such as {}, are taken for labels; if they are numbers, write them as "
                    "such (1234.5)",
                    where, in_quotes(labels.names.front()))};
  }
  std::vector<std::string> doubts;
  if (const std::string odd = odd_label(labels); !odd.empty()) {
    doubts.push_back(
        fmt::format("the target {}{} is taken for a label like the others; if it is missing there, leave "
                    "the cell empty, and such rows out (`fenchel convert --labelled`)",
                    in_quotes(odd), where));
  }
  if (data.rows() >= few_rows && 2 * labels.names.size() > data.rows()) {
    doubts.push_back(
        fmt::format("the target{} has {} different labels in {} rows, such as {}; give `target` if "
                    "another column is meant",
                    where, labels.names.size(), data.rows(), in_quotes(labels.names.front())));
  }
  return doubts;
}

}  // namespace fenchel
