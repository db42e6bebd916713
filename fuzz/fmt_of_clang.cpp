// SPDX-License-Identifier: Apache-2.0
// clang and GCC disagree about the symbol of fmt::detail::vformat_to<char>, and Debian's libfmt is compiled
// by GCC: here is the one that clang asks for.
#define FMT_HEADER_ONLY 1  // NOLINT(bugprone-reserved-identifier): a switch of fmt
#include <fmt/format.h>

#include <iterator>
#include <string>

namespace fenchel::fuzz {

std::string instantiate_vformat_to(int number) {
  std::string text;
  fmt::format_to(std::back_inserter(text), "{}", number);
  return text;
}

}  // namespace fenchel::fuzz
