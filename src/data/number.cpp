// SPDX-License-Identifier: Apache-2.0
#include "data/number.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <system_error>

namespace fenchel {

double number_detail::convert(const char* begin, const char* end) {
  double value = 0;
  const std::from_chars_result result = std::from_chars(begin, end, value);
  if (result.ec != std::errc::result_out_of_range) return value;
  // The decimal place of the first digit that is not 0 tells whether it is too small or too large.
  std::int64_t place = 0;
  bool point = false;
  bool leading = true;
  const char* p = begin;
  for (; p != end && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    if (*p != '0') leading = false;
    if (!point && !leading) ++place;
    if (point && leading) --place;
  }
  if (p != end) {
    const char* q = p + (p[1] == '+' ? 2 : 1);
    std::int64_t power = 0;
    const std::from_chars_result parsed = std::from_chars(q, end, power);
    if (parsed.ec == std::errc::result_out_of_range) power = *q == '-' ? -exponent_limit : exponent_limit;
    if (power > exponent_limit) power = exponent_limit;
    if (power < -exponent_limit) power = -exponent_limit;
    place += power;
  }
  return place > 0 ? std::numeric_limits<double>::infinity() : 0;
}

bool whole_number(std::string_view text, double& value) {
  std::array<char, 64> small;
  if (text.empty()) return false;
  if (text.size() < small.size()) {
    std::memcpy(small.data(), text.data(), text.size());
    small[text.size()] = '\n';
    return parse_number(small.data(), value) == small.data() + text.size();
  }
  const std::string copy = std::string(text) + '\n';
  return parse_number(copy.data(), value) == copy.data() + text.size();
}

namespace {

/// Whether a text is one of the words, in any case and with any sign.
bool is_signed_word(std::string_view text, std::initializer_list<std::string_view> words) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
  });
}

}  // namespace

bool spells_non_finite(std::string_view text) { return is_signed_word(text, {"nan", "inf", "infinity"}); }

bool spells_nan(std::string_view text) { return is_signed_word(text, {"nan"}); }

std::string number_text(double value) {
  std::array<char, 32> text;
  const std::to_chars_result result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

}  // namespace fenchel
