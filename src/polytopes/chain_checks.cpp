// SPDX-License-Identifier: Apache-2.0
#include "polytopes/chain_checks.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

constexpr std::uint64_t largest_index = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void check_chain_size(std::size_t n, std::size_t m, std::size_t square_blocks, std::size_t row_blocks) {
  if (n < 1) throw std::invalid_argument("n is 0; expected a number of steps >= 1");
  if (m < 1) throw std::invalid_argument("m is 0; expected a number of states >= 1");
  const auto times = [](std::uint64_t a, std::uint64_t b) {
    return a > largest_index / b ? largest_index + 1 : a * b;
  };
  const std::uint64_t dimension = times(times(square_blocks, m), m) + times(row_blocks, m);
  if (dimension > largest_index) {
    throw std::invalid_argument(
        fmt::format("n is {} and m is {}; expected fewer than 2^32 entries of theta", n, m));
  }
}

void check_tags(std::span<const int> tags, std::size_t n, std::size_t m) {
  check_size("tags", tags.size(), n);
  for (std::size_t t = 0; t < n; ++t) check_label("tags", tags[t], m, static_cast<std::ptrdiff_t>(t));
}

void check_flow(std::string_view name, std::string_view what, std::size_t index, double actual,
                double expected, double tolerance) {
  if (std::abs(actual - expected) <= tolerance) return;
  throw std::invalid_argument(
      fmt::format("{}: {} {} sums to {}; expected {}", name, what, index, actual, expected));
}

void check_non_negative(std::string_view name, std::span<const double> mu, double tolerance) {
  check_finite(name, mu);
  for (std::size_t k = 0; k < mu.size(); ++k) {
    if (mu[k] < -tolerance) {
      throw std::invalid_argument(fmt::format("{}[{}] is {}; expected a value >= 0", name, k, mu[k]));
    }
  }
}

}  // namespace fenchel
