// SPDX-License-Identifier: Apache-2.0
// The cells of a line whose columns are separated by tabs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace fenchel {

/// Puts views of the cells, empty ones too, into `cells`.
inline void split_tabs(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace fenchel
