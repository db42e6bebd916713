// SPDX-License-Identifier: Apache-2.0
// The exponent q = 1/(α−1) of α-entmax, and whether powers are products.
#pragma once

#include <cmath>
#include <limits>

namespace fenchel::kernels {

struct TsallisPower {
  /// Beyond this many products, general powers are about as fast.
  static constexpr double largest_whole = 24.0;
  /// α is uncertain by half an ulp, so q is by about this times q²: the double nearest to 1.2 means q = 5.
  static constexpr double tolerance = std::numeric_limits<double>::epsilon();

  double q;
  int whole;  // q when it is a whole number, else 0

  explicit TsallisPower(double alpha) : q(1.0 / (alpha - 1.0)), whole(0) {
    const double nearest = std::round(q);
    if (nearest <= largest_whole && std::abs(q - nearest) <= tolerance * q * q)
      whole = static_cast<int>(nearest);
  }
};

}  // namespace fenchel::kernels
