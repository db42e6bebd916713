// SPDX-License-Identifier: Apache-2.0
// How large features may be that models are trained on.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <span>

#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {

/// Scores are computed in the type of the features, weights included. In single precision, weights of larger
/// features than this are so small that they round to few digits, or to 0.
inline constexpr float largest_single_feature = 1e30F;

/// Throws OptionError if an entry of row i is larger; column(e) is the feature of the e-th.
template <class Column>
void check_feature_range(std::span<const float> values, std::size_t i, Column column) {
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (std::abs(values[e]) <= largest_single_feature) continue;
    throw OptionError(fmt::format(
        "{} is {}; in single precision features must be at most {:g} in size: scale them (`scale=maxabs`)",
        entry_name("x", static_cast<std::ptrdiff_t>(i), column(e)), values[e], largest_single_feature));
  }
}
/// Double precision has room for all of them.
template <class Column>
void check_feature_range(std::span<const double>, std::size_t, Column) {}

}  // namespace fenchel
