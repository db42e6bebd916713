// SPDX-License-Identifier: Apache-2.0
// Checks that sequences and chains share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fenchel {

/// n ≥ 1, m ≥ 1 and the number of entries, blocks of m·m and of m, below 2^32. Throws std::invalid_argument.
void check_chain_size(std::size_t n, std::size_t m, std::size_t square_blocks, std::size_t row_blocks);

/// n tags in 0, …, m − 1.
void check_tags(std::span<const int> tags, std::size_t n, std::size_t m);

/// Throws unless `actual` is `expected` up to `tolerance`: "mu: step 3 sums to 0.5; expected 1".
void check_flow(std::string_view name, std::string_view what, std::size_t index, double actual,
                double expected, double tolerance);

/// Finite and, up to `tolerance`, not negative.
void check_non_negative(std::string_view name, std::span<const double> mu, double tolerance);

}  // namespace fenchel
