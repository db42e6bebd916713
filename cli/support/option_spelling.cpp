// SPDX-License-Identifier: Apache-2.0
#include "support/option_spelling.hpp"

#include <algorithm>

namespace fenchel::cli {

std::string spelled_as_flag(std::string_view option, std::string_view value) {
  // The --format of predict is another one; --data-format is one of every command that reads data.
  std::string flag = "--" + std::string(option == "format" ? "data_format" : option);
  std::ranges::replace(flag, '_', '-');
  return value.empty() ? flag : flag + " " + std::string(value);
}

}  // namespace fenchel::cli
