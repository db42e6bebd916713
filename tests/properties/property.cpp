// SPDX-License-Identifier: Apache-2.0
#include "properties/property.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace fenchel::test {
namespace {

Draw draw_instance(const Named& named, const Trials& trials) {
  Draw draw;
  const auto last = static_cast<std::size_t>(trials.classes.size());
  draw.d = named.d != 0 ? named.d : trials.classes[*rc::gen::inRange<std::size_t>(0, last)];
  draw.spread = std::pow(10.0, *rc::gen::inRange(trials.log_spread_min, trials.log_spread_max + 1));
  const bool simplex = named.traits().domain == Domain::simplex;
  if (trials.shifts && simplex) draw.shift = *rc::gen::element(0.0, 0.0, 100.0, -1e4);
  // Even the rarest of scores stays so far below the limit that the tolerances, which are absolute, can hold.
  draw.spread = std::min(draw.spread, named.traits().score_limit / 230);
  draw.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  return draw;
}

}  // namespace

void require(bool holds, const std::string& message) {
  if (!holds) RC_FAIL(message);
}

void require_at_most(double got, double bound, const std::string& what) {
  if (got <= bound) return;
  std::ostringstream message;
  message.precision(17);
  message << what << ": " << got << " > " << bound;
  RC_FAIL(message.str());
}

void check_property(const Named& named, const Trials& trials,
                    const std::function<void(const Draw& draw, Random& random)>& body) {
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
  if (result.is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ADD_FAILURE() << named.name << '\n' << message.str();
}

}  // namespace fenchel::test
