// SPDX-License-Identifier: Apache-2.0
// Every algorithm goes on where it was saved with the same bits, also by other options than before, and
// refuses state that is not whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "training/resume_cases.hpp"

namespace fenchel::test {
namespace {

constexpr int plenty = 3000;  // iterations

class Resume : public ::testing::Test, public ResumeCases {};

// From where an algorithm stands to its end.
void finish(Algorithm& algorithm) {
  StepReport last_step = algorithm.assess();
  while (!last_step.done) last_step = algorithm.step();
}

void expect_same(const Algorithm& a, const Algorithm& b) {
  EXPECT_EQ(a.report().status, b.report().status);
  EXPECT_EQ(a.report().iterations, b.report().iterations);
  EXPECT_EQ(a.report().residual, b.report().residual);
  ASSERT_EQ(a.parameters().size(), b.parameters().size());
  for (std::size_t j = 0; j < a.parameters().size(); ++j) {
    ASSERT_EQ(a.parameters()[j], b.parameters()[j]) << "parameter " << j;
  }
}

TEST_F(Resume, CasesHaveEverySolver) {
  for (const SolverEntry& entry : solver_list()) {
    const auto of_this = [&](const ResumeCase& one) { return one.solver.name() == entry.traits.name; };
    EXPECT_TRUE(std::ranges::any_of(cases, of_this)) << entry.traits.name;
  }
}

TEST_F(Resume, WithTheSameBits) {
  for (const ResumeCase& one : cases) {
    for (const int before : {0, 1, 4}) {
      SCOPED_TRACE(one.name + " after " + std::to_string(before));
      expect_resumes([&] { return one.make(0, plenty); }, before, 3);
    }
  }
}

// A finished run by tighter options: the same as if it had had them from the start.
TEST_F(Resume, FinishedRunsGoOn) {
  struct Options {
    double tolerance;
    int max_iterations;
  };
  const std::pair<Options, Options> changes[] = {
      {{1e-2, plenty}, {1e-4, plenty}}, {{1e-9, 3}, {1e-9, 30}}, {{1e-9, 3}, {1e-3, plenty}}};
  for (const ResumeCase& one : cases) {
    for (const auto& [loose, tight] : changes) {
      SCOPED_TRACE(one.name + " to " + std::to_string(tight.tolerance));
      const auto whole = one.make(tight.tolerance, tight.max_iterations);
      run(*whole);
      const auto first = one.make(loose.tolerance, loose.max_iterations);
      run(*first);
      const auto second = one.make(tight.tolerance, tight.max_iterations);
      second->restore(first->save());
      finish(*second);
      expect_same(*whole, *second);
    }
  }
}

TEST_F(Resume, FinishedRunsAreFoundSo) {
  for (const ResumeCase& one : cases) {
    for (const auto& [tolerance, max_iterations] : {std::pair(1e-3, plenty), {0.0, 5}}) {
      SCOPED_TRACE(one.name);
      const auto first = one.make(tolerance, max_iterations);
      run(*first);
      const auto second = one.make(tolerance, max_iterations);
      second->restore(first->save());
      EXPECT_TRUE(second->assess().done);
      expect_same(*first, *second);
    }
  }
}

// Where an algorithm stands is what its last step has said.
TEST_F(Resume, AssessmentsAreThoseOfSteps) {
  for (const ResumeCase& one : cases) {
    SCOPED_TRACE(one.name);
    const auto algorithm = one.make(0, plenty);
    for (int t = 0; t < 4; ++t) {
      const StepReport step = algorithm->step(), stands = algorithm->assess();
      EXPECT_EQ(step.objective, stands.objective);
      EXPECT_EQ(step.residual, stands.residual);
      EXPECT_EQ(step.gap, stands.gap);
      EXPECT_EQ(step.done, stands.done);
    }
    EXPECT_EQ(algorithm->report().iterations, 4);
  }
}

TEST_F(Resume, EveryEntryIsNeeded) {
  for (const ResumeCase& one : cases) {
    const auto algorithm = one.make(0, plenty);
    for (int t = 0; t < 3; ++t) algorithm->step();
    const State state = algorithm->save();
    for (const auto& damaged : state.arrays()) {
      State dropped, retyped;
      for (const auto& [name, array] : state.arrays()) {
        const auto copy = [&, &key = name](const auto& values) {
          if (key != damaged.first) dropped.set(key, values);
          retyped.set(key, values);
        };
        std::visit(copy, array);
      }
      retyped.set(damaged.first, std::vector<float>{1});
      for (const State* refused : {&dropped, &retyped}) {
        EXPECT_THAT(
            [&] { one.make(0, plenty)->restore(*refused); },
            ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr("'" + damaged.first + "'")))
            << one.name;
      }
    }
  }
}

}  // namespace
}  // namespace fenchel::test
