// SPDX-License-Identifier: Apache-2.0
// What a checkpoint and the run that resumes it must have in common.
#include <gtest/gtest.h>

#include "fenchel/training/fit.hpp"

namespace fenchel::test {
namespace {

TEST(FitIdentity, ChoicesAsText) {
  const FitOptions options{.task = Task::ranking,
                           .lambda = 0.5,
                           .intercept = Intercept::penalised,
                           .scale = Scaling::maxabs,
                           .class_weight = "balanced",
                           .seed = 7};
  const std::map<std::string, std::string> expected{{"task", "ranking"},
                                                    {"omega", ""},
                                                    {"penalty", ""},
                                                    {"polytope", ""},
                                                    {"cost", ""},
                                                    {"lambda", "0.5"},
                                                    {"rho", "1"},
                                                    {"intercept", "penalised"},
                                                    {"scale", "maxabs"},
                                                    {"kernel", ""},
                                                    {"class_weight", "balanced"},
                                                    {"solver", "auto"},
                                                    {"seed", "7"},
                                                    {"all_states", "false"},
                                                    {"min_count", "1"},
                                                    {"boundary", "false"},
                                                    {"all_transitions", "false"}};
  EXPECT_EQ(identity(options), expected);
}

TEST(FitIdentity, WhenToStopMayChange) {
  EXPECT_EQ(identity({.tolerance = 1e-3, .max_iterations = 5, .threads = 2}), identity({}));
}

}  // namespace
}  // namespace fenchel::test
