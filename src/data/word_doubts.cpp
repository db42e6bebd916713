// SPDX-License-Identifier: Apache-2.0
#include "data/word_doubts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "data/csv_header.hpp"
#include "data/csv_numbers.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"

namespace fenchel {
namespace {

constexpr std::size_t fewest_of_lists = 2;  // parts that several labels share

/// What people write around numbers: currencies, percent, blanks, the minus sign of Unicode.
constexpr std::array<std::string_view, 14> around_numbers{"$",      "€", "£", "¥",   "%",   " ",  "\u00a0",
                                                          "\u202f", "−", "'", "EUR", "USD", "kg", "km"};

/// Whether a word is a number with something around it, such as $3.50 or 12 %.
bool is_decorated(std::string_view word) {
  std::string rest(word);
  for (const std::string_view mark : around_numbers) {
    for (std::size_t at = rest.find(mark); at != std::string::npos; at = rest.find(mark))
      rest.erase(at, mark.size());
  }
  return may_be_number(rest);
}

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

/// Whether labels are sets between blanks: each word of them is a label of its own as well.
std::string set_between_blanks(const std::vector<std::string>& labels) {
  const std::set<std::string_view> known(labels.begin(), labels.end());
  const std::string* several = nullptr;
  for (const std::string& label : labels) {
    if (label.find(' ') == std::string::npos) continue;
    for (const std::string& part : parts_of(label, " ")) {
      if (!known.contains(part)) return {};
    }
    several = several ? several : &label;
  }
  return several ? *several : std::string();
}

/// Whether a label has several parts with a number each: x:0.5,y:0.5.
bool has_proportions(const std::string& label) {
  for (const std::string_view mark : {",", ";", " "}) {
    const std::vector<std::string> parts = parts_of(label, mark);
    const auto is_share = [](const std::string& part) {
      const std::size_t colon = part.rfind(':');
      double share = 0;
      if (colon == std::string::npos || colon == 0) return false;
      if (!whole_number(trimmed(std::string_view(part).substr(colon + 1)), share)) return false;
      return share <= 1 || !is_plain(std::string_view(part).substr(0, colon));  // no time of day
    };
    if (parts.size() > 1 && std::ranges::all_of(parts, is_share)) return true;
  }
  return false;
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

/// A label that looks like a list: half of them do, of parts that several labels share, or all are in
/// brackets.
std::string list_among(const std::vector<std::string>& labels) {
  const auto in_brackets = [](const std::string& label) {
    return (label.starts_with('[') && label.ends_with(']')) ||
           (label.starts_with('{') && label.ends_with('}'));
  };
  if (std::ranges::all_of(labels, in_brackets)) return labels.front();
  if (std::string set = set_between_blanks(labels); !set.empty()) return set;
  constexpr std::array<std::string_view, 9> marks{",", ";", "|", "<", ">", "≻", "=", "~", "∼"};
  for (const std::string_view mark : marks) {
    if (const std::string* list = list_with(labels, mark)) return *list;
  }
  for (const std::string_view mark : {" ", "-"}) {
    if (const std::string* list = hidden_list(labels, mark)) return *list;
  }
  return {};
}

/// Two labels that differ in capitals alone: Yes and yes.
void doubt_case(const std::vector<std::string>& labels, const std::string& where,
                std::vector<std::string>& doubts) {
  std::map<std::string, const std::string*> seen;
  for (const std::string& label : labels) {
    std::string small = label;
    std::ranges::transform(small, small.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto [place, added] = seen.emplace(std::move(small), &label);
    if (added) continue;
    doubts.push_back(fmt::format("the labels {} and {}{} differ in capitals alone, and are two",
                                 in_quotes(*place->second), in_quotes(label), where));
    return;
  }
}

/// A label that is an order of three or more, where all labels are orders; "" if there is none.
std::string order_among(const std::vector<std::string>& labels) {
  const auto is_long = [](const std::string& label) { return labels_of_order(label).size() > 2; };
  const auto found = std::ranges::find_if(labels, is_long);
  return found != labels.end() && std::ranges::all_of(labels, is_order) ? *found : std::string();
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

bool is_plain(std::string_view word) {
  double ignored = 0;
  return whole_number(word, ignored);
}

bool are_decorated(const std::vector<std::string>& words) {
  return std::ranges::all_of(words, is_decorated) && !std::ranges::all_of(words, is_plain);
}

void doubt_labels(const Dataset& data, const std::string& target, DataFormat format,
                  std::vector<std::string>& doubts) {
  const Labels& labels = data.labels;
  if (labels.names.empty() || !data.values.empty() || !labels.places.empty()) return;
  const std::string where = target.empty() ? std::string() : fmt::format(" (column {})", in_quotes(target));
  const auto shares = std::ranges::find_if(labels.names, has_proportions);
  if (shares != labels.names.end()) {
    doubts.push_back(
        fmt::format("the label {}{} is taken for one word; proportions of labels are read from svmlight "
                    "(x:0.5,y:0.5 1:3)",
                    in_quotes(*shares), where));
  } else if (format == DataFormat::csv && are_decorated(labels.names)) {
    doubts.push_back(
        fmt::format("the targets{}, such as {}, are taken for labels; if they are numbers, write them as "
                    "such (1234.5)",
                    where, in_quotes(labels.names.front())));
  } else if (const std::string order = order_among(labels.names);
             format == DataFormat::svmlight && !order.empty()) {
    doubts.push_back(fmt::format(
        "the label {} is taken for one word; give `task=label-ranking` if labels are orders, best first",
        in_quotes(order)));
  } else if (const std::string list = list_among(labels.names); !list.empty()) {
    doubts.push_back(
        fmt::format("the label {}{} is taken for one word; orders (a>b=c) are read from CSV and ARFF, where "
                    "`task=label-ranking` says that ties alone (a=b) are some, and sets of labels from "
                    "svmlight (1,2) and "
                    "from ARFF with an attribute {{0, 1}} for each",
                    in_quotes(list), where));
  } else if (format != DataFormat::csv) {
    return;  // other formats say which words are labels
  } else {
    doubt_case(labels.names, where, doubts);
    if (const std::string odd = odd_label(labels); !odd.empty()) {
      doubts.push_back(fmt::format(
          "the target {}{} is taken for a label like the others; if it is missing there, leave the cell "
          "empty, and such rows out (`fenchel convert --labelled`)",
          in_quotes(odd), where));
    }
    if (data.rows() < few_rows || 2 * labels.names.size() <= data.rows()) return;
    doubts.push_back(
        fmt::format("the target{} has {} different labels in {} rows, such as {}; give `target` if "
                    "another column is meant",
                    where, labels.names.size(), data.rows(), in_quotes(labels.names.front())));
  }
}

}  // namespace fenchel
