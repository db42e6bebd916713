// SPDX-License-Identifier: Apache-2.0
#include "data/csv_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "data/label_rows.hpp"
#include "data/number.hpp"

namespace fenchel {
namespace {

bool with_comma(std::string_view cell, double& value) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 == cell.size()) return false;
  if (!is_digit(cell[comma - 1]) || !is_digit(cell[comma + 1]) || cell.find('.') != std::string_view::npos) {
    return false;
  }
  std::string pointed(cell);
  pointed[comma] = '.';
  return whole_number(pointed, value);
}

}  // namespace

bool has_comma(std::string_view cell) {
  double ignored = 0;
  return with_comma(cell, ignored);
}

void CsvNumbers::remember(std::string_view cell, std::string& where) {
  if (!where.empty()) return;
  where = cell;
  if (decimal_ != Decimal::automatic || with_comma_.empty() || with_point_.empty()) return;
  doubt_ = fmt::format("{} has a decimal comma and {} a decimal point; give `decimal`, comma or point",
                       in_quotes(with_comma_), in_quotes(with_point_));
}

bool CsvNumbers::parse(std::string_view cell, char separator, double& value) {
  if (decimal_ != Decimal::comma && whole_number(cell, value)) {
    if (cell.find('.') != std::string_view::npos) remember(cell, with_point_);
    return true;
  }
  if (decimal_ == Decimal::comma && cell.find('.') == std::string_view::npos && whole_number(cell, value)) {
    return true;
  }
  if (decimal_ == Decimal::point || !with_comma(cell, value)) return false;
  remember(cell, with_comma_);
  if (separator == ',' && decimal_ == Decimal::automatic && doubt_.empty()) {
    doubt_ = fmt::format(
        "the comma of {} may be a decimal one; give `decimal`, comma or point (then it is a word)",
        in_quotes(cell));
  }
  return true;
}

}  // namespace fenchel
