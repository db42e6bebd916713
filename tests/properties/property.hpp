// SPDX-License-Identifier: Apache-2.0
// Runs a property of one Ω over instances that RapidCheck draws and shrinks: number of classes, spread and
// shift of the scores, and the seed of everything else.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

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

inline Draw draw_instance(const Named& named, const Trials& trials) {
  Draw draw;
  const auto last = static_cast<std::size_t>(trials.classes.size());
  draw.d = named.d != 0 ? named.d : trials.classes[*rc::gen::inRange<std::size_t>(0, last)];
  draw.spread = std::pow(10.0, *rc::gen::inRange(trials.log_spread_min, trials.log_spread_max + 1));
  const bool simplex = named.traits().domain == Domain::simplex;
  if (trials.shifts && simplex) draw.shift = *rc::gen::element(0.0, 0.0, 100.0, -1e4);
  if (named.traits().name == "poisson") draw.spread = std::min(draw.spread, 3.0);  // exp must stay finite
  draw.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  return draw;
}

/// Fails the property with a message.
inline void require(bool holds, const std::string& message) {
  if (!holds) RC_FAIL(message);
}

/// got ≤ bound, with both in the message.
inline void require_at_most(double got, double bound, const std::string& what) {
  if (got <= bound) return;
  std::ostringstream message;
  message.precision(17);
  message << what << ": " << got << " > " << bound;
  RC_FAIL(message.str());
}

/// Runs body(draw, random) `trials.runs` times. The draws are the same in every run unless RC_PARAMS says
/// otherwise, for example RC_PARAMS="max_success=1000 seed=7".
template <class Body>
void check_property(const Named& named, const Trials& trials, Body body) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = trials.runs * params.maxSuccess / 100;
  if (std::getenv("RC_PARAMS") == nullptr) params.seed = std::hash<std::string>()(named.name);
  rc::detail::TestMetadata metadata;
  metadata.id = named.name;
  metadata.description = named.name;
  const auto result = rc::detail::checkTestable(
      [&] {
        const Draw draw = draw_instance(named, trials);
        RC_LOG() << draw << '\n';
        Random random(draw.seed);
        body(draw, random);
      },
      metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ADD_FAILURE() << named.name << '\n' << message.str();
}

}  // namespace fenchel::test
