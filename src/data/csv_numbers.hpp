// SPDX-License-Identifier: Apache-2.0
// Numbers in the cells of separated values: with a decimal point, or with a decimal comma where that is
// what the file has; the other of the two may stand between thousands (1.234,5).
#pragma once

#include <string>
#include <string_view>

#include "fenchel/data/options.hpp"

namespace fenchel {

/// Whether a cell is a number with a decimal point or comma, with or without marks between thousands.
bool may_be_number(std::string_view cell);

/// Reads the cells of a data set, and remembers which kind of number it has had.
class CsvNumbers {
 public:
  explicit CsvNumbers(Decimal decimal) : decimal_(decimal) {}

  /// The number that a cell is; false if it is a word.
  bool parse(std::string_view cell, char separator, double& value);
  /// What is uncertain about the numbers so far, or "": decimal commas beside decimal points, or in quotes
  /// between fields that commas separate.
  const std::string& doubt() const { return doubt_; }
  /// Whether numbers with a decimal comma were read.
  bool commas() const { return !with_comma_.empty(); }

 private:
  void remember(std::string_view cell, std::string& where);

  Decimal decimal_;
  std::string with_comma_, with_point_;  ///< the first of either
  std::string doubt_;
};

/// Watches a column whose points may mark thousands: 300 beside 1.037, and always three digits behind the
/// point.
class PointedThousands {
 public:
  /// A number, as it was written.
  void add(std::string_view cell);
  /// The doubt in words, or "".
  std::string doubt(std::string_view column) const;

 private:
  bool decimals_ = false;  ///< another cell shows that points stand before decimals, or nowhere
  std::string hundreds_, thousands_;
};

}  // namespace fenchel
