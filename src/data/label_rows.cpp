// SPDX-License-Identifier: Apache-2.0
#include "data/label_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/utf8.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"

namespace fenchel {
namespace {

constexpr std::size_t exact_digits = 15;  // decimal digits that a double always keeps apart
constexpr std::size_t quoted_bytes = 40;  // of a wrong word are enough to find it

}  // namespace

std::string label_name(std::string_view written) {
  // An identifier of 20 digits is not a number to round.
  const bool integer = written.find_first_not_of("+-0123456789") == std::string_view::npos;
  double value = 0;
  if (integer && written.size() > exact_digits) return std::string(written);
  if (!whole_number(written, value) || !std::isfinite(value)) return std::string(written);
  return number_text(value == 0 ? 0 : value);  // no label is called -0
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at));  // 0: a byte that is not UTF-8
    const std::size_t size = std::max<std::size_t>(length, 1);
    if (at + size > quoted_bytes) break;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += text.substr(at, size);
    }
    at += size;
  }
  return result + (at < text.size() ? "…'" : "'");
}

std::vector<std::int32_t> sort_names(std::vector<std::string>& names) {
  std::vector<double> values(names.size());
  bool numbers = true;
  for (std::size_t i = 0; i < names.size() && numbers; ++i) numbers = whole_number(names[i], values[i]);
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (numbers && values[a] != values[b]) return values[a] < values[b];
    return names[a] < names[b];
  });
  std::vector<std::int32_t> place(names.size());
  std::vector<std::string> sorted(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<std::int32_t>(i);
    sorted[i] = std::move(names[order[i]]);
  }
  names = std::move(sorted);
  return place;
}

/// Whether every word of several letters is a group of tied labels: labels are single letters, and no
/// letter is twice in a row.
bool LabelRows::are_groups() const {
  bool single = false, several = false;
  for (const std::string& name : table_.strings()) (name.size() == 1 ? single : several) = true;
  if (places_.empty() || !single || !several) return false;
  for (std::size_t i = 0; i < rows(); ++i) {
    std::string letters;
    for (auto e = ends_[i]; e < ends_[i + 1]; ++e) letters += table_[ids_[static_cast<std::size_t>(e)]];
    std::ranges::sort(letters);
    if (std::ranges::adjacent_find(letters) != letters.end()) return false;
    if (!std::ranges::all_of(letters, [](char c) { return c >= 'a' && c <= 'z'; }) &&
        !std::ranges::all_of(letters, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      return false;
    }
  }
  return true;
}

void LabelRows::split_groups() {
  if (!are_groups()) return;
  had_groups_ = true;
  LabelRows result;
  for (std::size_t i = 0; i < rows(); ++i) {
    for (auto e = static_cast<std::size_t>(ends_[i]); e < static_cast<std::size_t>(ends_[i + 1]); ++e) {
      for (const char letter : table_[ids_[e]]) result.push_at(result.id({&letter, 1}), places_[e]);
    }
    result.end_row();
  }
  table_ = std::move(result.table_);
  ids_ = std::move(result.ids_);
  places_ = std::move(result.places_);
  ends_ = std::move(result.ends_);
}

void LabelRows::split_ties() {
  LabelRows result;
  for (std::size_t i = 0; i < rows(); ++i) {
    const auto begin = static_cast<std::size_t>(ends_[i]), end = static_cast<std::size_t>(ends_[i + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      const std::string_view name = table_[ids_[e]];
      // In an order they were taken apart; one word with a > was found to be none.
      const bool ties = end == begin + 1 && name.find('>') == std::string_view::npos;
      if (!ties) result.push_at(result.id(name), places_[e]);
      for (const Ranked& tied : ties ? labels_of_order(name) : std::vector<Ranked>()) {
        result.push_at(result.id(tied.name.empty() ? name : tied.name), places_[e]);
      }
    }
    result.end_row();
  }
  *this = std::move(result);
}

void LabelRows::finish(Dataset& data) {
  if (ids_.empty()) return;
  if (!places_.empty()) places_.resize(ids_.size(), 0);
  if (!places_.empty()) split_ties();
  split_groups();
  StringTable known;
  std::vector<std::int32_t> unified(table_.size());
  for (std::size_t i = 0; i < table_.size(); ++i) {
    unified[i] = known.add(label_name(table_[static_cast<std::int32_t>(i)]));
  }
  std::vector<std::string> names = known.strings();
  const std::vector<std::int32_t> place = sort_names(names);
  for (std::int32_t& id : ids_) {
    id = place[static_cast<std::size_t>(unified[static_cast<std::size_t>(id)])];
  }
  std::vector<double> numbers(names.size());
  bool all_numbers = weights_.empty() && places_.empty() && ids_.size() == rows();
  for (std::size_t i = 0; i < names.size() && all_numbers; ++i)
    all_numbers = whole_number(names[i], numbers[i]);
  for (std::size_t i = 0; i < rows() && all_numbers; ++i) all_numbers = ends_[i + 1] == ends_[i] + 1;
  if (all_numbers) {
    std::vector<double> values(ids_.size());
    for (std::size_t i = 0; i < ids_.size(); ++i) values[i] = numbers[static_cast<std::size_t>(ids_[i])];
    data.values = Matrix<double>(rows(), 1, std::move(values));
  }
  data.labels = {std::move(names), std::move(ends_), std::move(ids_), std::move(weights_),
                 std::move(places_)};
}

}  // namespace fenchel
