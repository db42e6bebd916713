// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/option_error.hpp"

#include <fmt/core.h>

#include <cmath>

namespace fenchel {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";

}  // namespace

std::string plain_option(std::string_view option, std::string_view value) {
  return std::string(option) + (value.empty() ? "" : "=") + std::string(value);
}

// Backticks around anything but an option come from what users wrote, and stay.
std::string spell_options(std::string_view text, OptionSpelling spelling) {
  std::string result;
  for (;;) {
    const std::size_t open = text.find('`');
    result += text.substr(0, open);
    if (open == std::string_view::npos) return result;
    text.remove_prefix(open + 1);
    const std::string_view named = text.substr(0, text.find('`'));
    const std::size_t end = named.find_first_not_of(letters);
    const bool option = named.size() < text.size() && !named.empty() && end != 0 &&
                        (end == std::string_view::npos || named[end] == '=');
    if (!option) {
      result += '`';
      continue;
    }
    const bool valued = end != std::string_view::npos;
    result += spelling(named.substr(0, end), valued ? named.substr(end + 1) : std::string_view());
    text.remove_prefix(named.size() + 1);
  }
}

void check_option_at_least(std::string_view option, double value, double bound) {
  if (!(value >= bound)) {
    throw OptionError(fmt::format("`{}` is {}; expected a number >= {}", option, value, bound));
  }
}

void check_option_finite(std::string_view option, double value) {
  if (!std::isfinite(value))
    throw OptionError(fmt::format("`{}` is {}; expected a finite number", option, value));
}

}  // namespace fenchel
