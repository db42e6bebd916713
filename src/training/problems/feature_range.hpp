// SPDX-License-Identifier: Apache-2.0
// How large features may be that models are trained on.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>

#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel {

/// Scores are computed in the type of the features, weights included. In single precision, weights of larger
/// features than this are so small that they round to few digits, or to 0.
template <Real T>
constexpr T largest_feature = std::same_as<T, float> ? T(1e30) : std::numeric_limits<T>::max();

/// Throws OptionError if an entry of row i is larger; column(e) is the feature of the e-th.
template <Real T, class Column>
void check_feature_range(std::span<const T> values, std::size_t i, Column column) {
  if constexpr (std::same_as<T, float>) {
    for (std::size_t e = 0; e < values.size(); ++e) {
      if (std::abs(values[e]) <= largest_feature<T>) continue;
      throw OptionError(fmt::format(
          "{} is {}; in single precision features must be at most {:g} in size: scale them (`scale=maxabs`)",
          entry_name("x", static_cast<std::ptrdiff_t>(i), column(e)), values[e], largest_feature<T>));
    }
  }
}

}  // namespace fenchel
