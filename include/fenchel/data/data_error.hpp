// SPDX-License-Identifier: Apache-2.0
// What readers throw for a file whose content is wrong, with the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "fenchel/core/option_error.hpp"

namespace fenchel {

/// Something wrong with the content of a file: "train.svm:812:17: index 3 after 7; indices must increase".
/// (A file that cannot be read at all throws std::system_error.) The text may name options between
/// backticks, as that of an OptionError; what() is the text without them.
class DataError : public std::runtime_error {
 public:
  /// Lines and columns (bytes) count from 1; 0 leaves them out.
  DataError(const std::string& source, std::int64_t line, std::size_t column, const std::string& problem);

  std::int64_t line() const { return line_; }
  std::size_t column() const { return column_; }
  /// The text with every option as users write it.
  std::string spelled(OptionSpelling spelling) const { return spell_options(text_, spelling); }

 private:
  DataError(std::string text, std::int64_t line, std::size_t column);

  std::string text_;
  std::int64_t line_;
  std::size_t column_;
};

}  // namespace fenchel
