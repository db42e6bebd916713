// SPDX-License-Identifier: Apache-2.0
// Decimal numbers in text, always rounded to the nearest double. Numbers whose digits fit in 53 bits and
// whose power of ten is a double (|exponent| ≤ 22) take one correctly rounded multiplication or division:
// both factors are exact, so the result is the nearest double. The others go to std::from_chars.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fenchel {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

namespace number_detail {

constexpr int largest_exact_power = 22;           // 10^22 = 2^22 · 5^22 and 5^22 < 2^53
constexpr std::ptrdiff_t digits_of_64_bits = 19;  // any 19 digits fit in 64 bits
constexpr std::uint64_t largest_exact_integer = std::uint64_t{1} << 53;
constexpr std::int64_t exponent_limit = 100000;  // beyond any double; stops overflow of the sum
constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The general case. Numbers too small become 0, numbers too large infinity.
double convert(const char* begin, const char* end);

}  // namespace number_detail

/// Reads the number that begins at p (an optional sign, digits with at most one point, an optional exponent)
/// and returns what follows it, or nullptr if there is none. The text must end in a byte that cannot belong
/// to a number, such as a line feed. "nan" and "inf" do not count; numbers too large become infinity.
inline const char* parse_number(const char* p, double& value) {
  using number_detail::convert;
  using number_detail::digits_of_64_bits;
  using number_detail::exponent_limit;
  using number_detail::largest_exact_integer;
  using number_detail::largest_exact_power;
  using number_detail::powers_of_ten;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const begin = p;
  std::uint64_t mantissa = 0;
  while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t digits = p - begin;
  std::int64_t exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
    exponent = fraction - p;
    digits += p - fraction;
  }
  if (digits == 0) return nullptr;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    const bool below = *q == '-';
    if (below || *q == '+') ++q;
    if (!is_digit(*q)) return nullptr;
    std::int64_t power = 0;
    for (; is_digit(*q); ++q) {
      if (power < exponent_limit) power = 10 * power + (*q - '0');
    }
    exponent += below ? -power : power;
    p = q;
  }
  double magnitude = 0;
  if (digits <= digits_of_64_bits && mantissa <= largest_exact_integer && exponent >= -largest_exact_power &&
      exponent <= largest_exact_power) [[likely]] {
    magnitude = static_cast<double>(mantissa);
    magnitude = exponent < 0 ? magnitude / powers_of_ten[-exponent] : magnitude * powers_of_ten[exponent];
  } else {
    magnitude = convert(begin, p);
  }
  value = negative ? -magnitude : magnitude;
  return p;
}

/// The number that `text` is as a whole; false if it is not one. Any text: it is copied and terminated first.
bool whole_number(std::string_view text, double& value);

/// Whether `text` is how programs write a number that is not finite: nan, inf or infinity, with or without a
/// sign, in small letters or capitals.
bool spells_non_finite(std::string_view text);

/// Whether it is how they write nan.
bool spells_nan(std::string_view text);

/// The shortest decimal text that reads back as `value`.
std::string number_text(double value);

}  // namespace fenchel
