// SPDX-License-Identifier: Apache-2.0
// Runs a property of one Ω over instances that RapidCheck draws and shrinks: number of classes, spread and
// shift of the scores, and the seed of everything else.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "support.hpp"

namespace fenchel::test {

/// What RapidCheck draws for a property.
struct Draw {
  std::size_t d = 1;
  double spread = 1;
  double shift = 0;
  std::uint64_t seed = 0;

  friend std::ostream& operator<<(std::ostream& stream, const Draw& draw) {
    return stream << "d=" << draw.d << " spread=" << draw.spread << " shift=" << draw.shift
                  << " seed=" << draw.seed;
  }
};

/// How a property is tried.
struct Trials {
  int runs = 100;           ///< RapidCheck's max_success scales it
  int log_spread_min = -3;  ///< spreads are 10^k, k in [min, max]
  int log_spread_max = 2;
  std::vector<std::size_t> classes{1, 2, 3, 5, 10, 33};
  bool shifts = true;  ///< also try scores with a large common shift (simplex only)
};

/// Fails the property with a message.
void require(bool holds, const std::string& message);
/// got ≤ bound, with both in the message.
void require_at_most(double got, double bound, const std::string& what);

/// Runs body(draw, random) `trials.runs` times. The draws are the same in every run unless RC_PARAMS says
/// otherwise, for example RC_PARAMS="max_success=1000 seed=7".
void check_property(const Named& named, const Trials& trials,
                    const std::function<void(const Draw& draw, Random& random)>& body);

}  // namespace fenchel::test
