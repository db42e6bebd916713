// SPDX-License-Identifier: Apache-2.0
#include "data/csv_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "data/label_rows.hpp"
#include "data/number.hpp"

namespace fenchel {
namespace {

/// A number whose decimals stand behind `decimal`, and whose thousands may be marked with `thousands`:
/// 1.234.567,8.
bool is_grouped(std::string_view cell, char decimal, char thousands) {
  constexpr std::size_t digits_of_group = 3;
  const std::string_view whole = cell.substr(0, cell.find(decimal));
  std::size_t mark = whole.find(thousands);
  const std::size_t sign = cell.starts_with('-') || cell.starts_with('+') ? 1 : 0;
  if (mark == std::string_view::npos || mark == sign || mark > sign + digits_of_group) return false;
  while (mark != std::string_view::npos) {
    const std::size_t next = std::min(whole.find(thousands, mark + 1), whole.size());
    if (next - mark != digits_of_group + 1) return false;
    mark = next == whole.size() ? std::string_view::npos : next;
  }
  return cell.find(thousands, whole.size()) == std::string_view::npos;
}

/// The number that a cell is with these marks.
bool with_marks(std::string_view cell, char decimal, char thousands, double& value) {
  if (cell.find(thousands) != std::string_view::npos && !is_grouped(cell, decimal, thousands)) return false;
  std::string pointed(cell);
  std::erase(pointed, thousands);
  const std::size_t mark = pointed.find(decimal);
  if (mark != std::string::npos && decimal == ',') {
    if (mark == 0 || mark + 1 == pointed.size() || !is_digit(pointed[mark - 1]) ||
        !is_digit(pointed[mark + 1]))
      return false;
    pointed[mark] = '.';
  }
  return whole_number(pointed, value);
}

/// Whether a cell says by itself that commas (or points) stand between its thousands: it has several of
/// them, or the other mark behind.
bool says_thousands(std::string_view cell, char decimal, char thousands) {
  const auto marks = std::ranges::count(cell, thousands);
  return is_grouped(cell, decimal, thousands) &&
         (marks > 1 || (marks == 1 && cell.find(decimal) != std::string_view::npos));
}

}  // namespace

bool may_be_number(std::string_view cell) {
  double ignored = 0;
  return whole_number(cell, ignored) || with_marks(cell, '.', ',', ignored) ||
         with_marks(cell, ',', '.', ignored);
}

void PointedThousands::add(std::string_view cell) {
  constexpr std::size_t group = 3;  // digits
  if (decimals_) return;
  if (cell.find('.') != std::string_view::npos) {
    if (thousands_.empty()) thousands_ = cell;
    decimals_ = cell.front() == '0' || !is_grouped(cell, ',', '.');
  } else if (cell.find_first_not_of("0123456789") == std::string_view::npos) {
    if (hundreds_.empty() && cell.size() == group) hundreds_ = cell;
    decimals_ = cell.size() > group;
  }
}

std::string PointedThousands::doubt(std::string_view column) const {
  if (decimals_ || hundreds_.empty() || thousands_.empty()) return {};
  return fmt::format(
      "column {} has {} and {}, and three digits behind every point: if it marks thousands, give "
      "`decimal=comma`",
      in_quotes(column), in_quotes(hundreds_), in_quotes(thousands_));
}

void CsvNumbers::remember(std::string_view cell, std::string& where) {
  if (!where.empty()) return;
  where = cell;
  if (decimal_ != Decimal::automatic || with_comma_.empty() || with_point_.empty()) return;
  const bool comma = with_comma_.find(',') != std::string::npos;
  doubt_ = fmt::format("{} has {} and {} {}; give `decimal`, comma or point", in_quotes(with_comma_),
                       comma ? "a decimal comma" : "points between thousands", in_quotes(with_point_),
                       comma ? "a decimal point" : "one that may stand before decimals");
}

bool CsvNumbers::parse(std::string_view cell, char separator, double& value) {
  const bool comma = cell.find(',') != std::string_view::npos;
  if (decimal_ != Decimal::comma && !comma && whole_number(cell, value)) {
    if (cell.find('.') != std::string_view::npos) remember(cell, with_point_);
    return true;
  }
  const bool automatic = decimal_ == Decimal::automatic;
  const bool point = automatic ? says_thousands(cell, '.', ',') : decimal_ == Decimal::point;
  if (point) {
    if (!with_marks(cell, '.', ',', value)) return false;
    remember(cell, with_point_);
    return true;
  }
  if ((automatic && !comma && !says_thousands(cell, ',', '.')) || !with_marks(cell, ',', '.', value))
    return false;
  if (!comma && cell.find('.') == std::string_view::npos) return true;
  remember(cell, with_comma_);
  if (separator == ',' && automatic && doubt_.empty() && !says_thousands(cell, ',', '.')) {
    doubt_ = fmt::format(
        "the comma of {} may be a decimal one; give `decimal`, comma or point (then it marks thousands)",
        in_quotes(cell));
  }
  return true;
}

}  // namespace fenchel
