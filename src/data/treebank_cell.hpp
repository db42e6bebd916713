// SPDX-License-Identifier: Apache-2.0
// What a text of a treebank may be, so that it can be read back.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string_view>

#include "data/label_rows.hpp"

namespace fenchel {

/// Throws std::invalid_argument if `text` is empty or has one of the bytes `forbidden`.
inline void check_treebank_cell(std::string_view text, std::string_view forbidden = "\t\n\r") {
  if (!text.empty() && text.find_first_of(forbidden) == std::string_view::npos) return;
  throw std::invalid_argument(
      fmt::format("the text {} of a treebank is empty or has a tab or a line end", in_quotes(text)));
}

}  // namespace fenchel
