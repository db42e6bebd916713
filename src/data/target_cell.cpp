// SPDX-License-Identifier: Apache-2.0
#include "data/target_cell.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fenchel {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

namespace {

/// The same order with > and = alone: a>>b, a≻b, a~b, a≈b, and ties in brackets, {a,b}>(c d).
std::string plain_order(std::string_view cell) {
  constexpr std::array<std::pair<std::string_view, char>, 7> signs{
      {{"≻", '>'}, {">>", '>'}, {"≈", '='}, {"∼", '='}, {"~", '='}, {">", '>'}, {"=", '='}}};
  std::string result;
  bool inside = false;
  while (!cell.empty()) {
    const auto sign =
        std::ranges::find_if(signs, [&](const auto& one) { return cell.starts_with(one.first); });
    const char c = cell.front();
    const bool opens = c == '{' || c == '[' || c == '(', closes = c == '}' || c == ']' || c == ')';
    if (sign != signs.end()) {
      result += sign->second;
    } else if (opens || closes) {
      inside = opens;
    } else if (inside && (c == ',' || c == ';' || c == ' ')) {
      const bool begun = !result.empty() && result.back() != '=' && result.back() != '>';
      if (begun) result += '=';
    } else {
      result += c;
    }
    cell.remove_prefix(sign != signs.end() ? sign->first.size() : 1);
  }
  return result;
}

}  // namespace

bool is_order(std::string_view cell) {
  if (cell.find("≻") != std::string_view::npos) return true;
  const std::size_t sign = cell.find('>');
  if (sign == std::string_view::npos || sign == 0 || cell.front() == '<') return false;
  return cell[sign - 1] != '-' && cell[sign - 1] != '=';
}

std::string push_labels(std::string_view cell, LabelRows& labels) {
  const bool order = is_order(cell);
  const std::string plain = order ? plain_order(cell) : std::string(cell);
  cell = plain;
  std::vector<std::int32_t> items, places;
  std::int32_t place = 0;
  for (std::string_view rest = cell;;) {
    const std::size_t end = order ? rest.find_first_of(">=") : std::string_view::npos;
    const std::string_view item = trimmed(rest.substr(0, end));
    if (item.empty()) {
      return cell.empty() ? "the target is missing"
                          : "an item of the ranking is missing; expected an order such as a>b=c";
    }
    const std::int32_t id = labels.id(item);
    if (std::find(items.begin(), items.end(), id) != items.end()) {
      return fmt::format("item {} appears twice in the ranking", in_quotes(item));
    }
    items.push_back(id);
    places.push_back(place);
    if (end == std::string_view::npos) break;
    place += rest[end] == '>' ? 1 : 0;
    rest.remove_prefix(end + 1);
  }
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (order) {
      labels.push_at(items[k], places[k]);
    } else {
      labels.push(items[k]);
    }
  }
  return {};
}

std::string push_target(std::string_view cell, LabelRows& labels) {
  std::string problem = push_labels(cell, labels);
  if (problem.empty()) labels.end_row();
  return problem;
}

}  // namespace fenchel
