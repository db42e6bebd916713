// SPDX-License-Identifier: Apache-2.0
// Which format a file has.
#pragma once

#include <string>
#include <string_view>

#include "fenchel/data/options.hpp"

namespace fenchel {

/// By the ending of the name, through .gz; automatic if it says nothing.
DataFormat format_by_ending(const std::string& path);

/// By the first bytes of a file that is not a text (a cache, NumPy); automatic if they say nothing.
DataFormat format_by_bytes(const std::string& path);

/// By the first lines; automatic if they say nothing.
DataFormat format_by_lines(std::string_view text);

}  // namespace fenchel
