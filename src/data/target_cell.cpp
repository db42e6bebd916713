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

constexpr std::string_view opening = "{[(", closing = "}])";

/// What stands between two labels of an order.
struct Sign {
  std::size_t bytes = 0;  ///< 0: no sign
  bool better = false;    ///< than what follows, else tied with it
};

Sign sign_at(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, bool>, 7> signs{
      {{"≻", true}, {">>", true}, {"≈", false}, {"∼", false}, {"~", false}, {">", true}, {"=", false}}};
  for (const auto& [sign, better] : signs) {
    if (text.starts_with(sign)) return {sign.size(), better};
  }
  return {};
}

/// Where the next sign is, or the end.
std::size_t next_sign(std::string_view text) {
  std::size_t place = 0;
  while (place < text.size() && sign_at(text.substr(place)).bytes == 0) ++place;
  return place;
}

/// The bytes of the brackets that a text begins with and of what they hold, if nothing but a sign or the
/// separator of cells stands behind them; else 0.
std::size_t group_bytes(std::string_view text, char separator) {
  std::string open;  // what closes the brackets that are open
  std::size_t end = 0;
  for (; end < text.size() && (end == 0 || !open.empty()); ++end) {
    const std::size_t kind = opening.find(text[end]);
    if (end == 0 && kind == std::string_view::npos) return 0;
    if (kind != std::string_view::npos) open += closing[kind];
    if (closing.find(text[end]) == std::string_view::npos) continue;
    if (open.back() != text[end]) return 0;
    open.pop_back();
  }
  if (end == 0 || !open.empty()) return 0;
  const std::string_view rest = trimmed(text.substr(end));
  const bool closed = rest.empty() || rest.front() == separator || sign_at(rest).bytes > 0;
  return closed ? end : 0;
}

/// Adds the labels between two brackets: separated by commas, semicolons or signs, else by blanks.
void push_tied(std::string_view text, std::int32_t place, std::vector<Ranked>& labels) {
  const auto is_mark = [](char c) { return c == ',' || c == ';'; };
  const bool blanks = std::ranges::none_of(text, is_mark) && next_sign(text) == text.size();
  const std::size_t before = labels.size();
  for (std::size_t begin = 0, end = 0; end < text.size(); ++end) {
    const std::size_t sign = sign_at(text.substr(end)).bytes;
    const bool last = end + 1 == text.size();
    const bool mark = sign > 0 || is_mark(text[end]) || (blanks && text[end] == ' ');
    if (!mark && !last) continue;
    const std::string_view name = trimmed(text.substr(begin, end - begin + (mark ? 0 : 1)));
    if (!name.empty()) labels.push_back({name, place});
    end += sign > 0 ? sign - 1 : 0;
    begin = end + 1;
  }
  if (labels.size() == before) labels.push_back({{}, place});
}

}  // namespace

bool is_order(std::string_view cell) {
  if (cell.find("≻") != std::string_view::npos) return true;
  const std::size_t sign = cell.find('>');
  if (sign == std::string_view::npos || sign == 0 || cell.front() == '<') return false;
  return cell[sign - 1] != '-' && cell[sign - 1] != '=';
}

std::vector<Ranked> labels_of_order(std::string_view cell) {
  std::vector<Ranked> labels;
  std::string_view rest = trimmed(cell);
  const bool in_brackets = !rest.empty() && group_bytes(rest, '\0') == rest.size();
  if (in_brackets && is_order(rest.substr(1))) rest = trimmed(rest.substr(1, rest.size() - 2));
  for (std::int32_t place = 0;;) {
    std::size_t end = group_bytes(rest, '\0');
    if (end > 0) {
      push_tied(rest.substr(1, end - 2), place, labels);
    } else {
      end = next_sign(rest);
      labels.push_back({trimmed(rest.substr(0, end)), place});
    }
    rest = trimmed(rest.substr(end));
    if (rest.empty()) return labels;
    const Sign sign = sign_at(rest);
    place += sign.better ? 1 : 0;
    rest = trimmed(rest.substr(sign.bytes));
  }
}

std::size_t end_of_cell(std::string_view text, char separator) {
  bool begins = true;  // a label, at this place
  for (std::size_t place = 0; place < text.size();) {
    const std::string_view rest = text.substr(place);
    if (rest.front() == separator) return place;
    const std::size_t group = begins ? group_bytes(rest, separator) : 0;
    const std::size_t sign = sign_at(rest).bytes;
    begins = sign > 0 || (begins && group == 0 && rest.front() == ' ');
    place += std::max({group, sign, std::size_t{1}});
  }
  return text.size();
}

bool has_half_a_bracket(std::string_view cell) {
  return std::ranges::count(cell, '{') != std::ranges::count(cell, '}') ||
         std::ranges::count(cell, '[') != std::ranges::count(cell, ']');
}

std::string push_labels(std::string_view cell, LabelRows& labels, TargetText text) {
  const bool order = text == TargetText::order || (text == TargetText::automatic && is_order(cell));
  if (cell.empty()) return "the target is missing";
  if (!order) {
    labels.push(labels.id(trimmed(cell)));
    return {};
  }
  const std::vector<Ranked> ranked = labels_of_order(cell);
  std::vector<std::int32_t> items;
  for (const auto& [name, place] : ranked) {
    if (name.empty()) return "an item of the ranking is missing; expected an order such as a>b=c";
    const std::int32_t id = labels.id(name);
    if (std::ranges::find(items, id) != items.end()) {
      return fmt::format("item {} appears twice in the ranking", in_quotes(name));
    }
    items.push_back(id);
  }
  for (std::size_t k = 0; k < items.size(); ++k) labels.push_at(items[k], ranked[k].place);
  return {};
}

std::string push_target(std::string_view cell, LabelRows& labels, TargetText text) {
  std::string problem = push_labels(cell, labels, text);
  if (problem.empty()) labels.end_row();
  return problem;
}

}  // namespace fenchel
