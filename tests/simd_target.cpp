// SPDX-License-Identifier: Apache-2.0
// Runs all tests of the process on one instruction set: FENCHEL_TEST_TARGET=AVX2 (the names of
// `fenchel doctor`). Where the machine or the build does not have it, the tests are skipped.
// `for_each_target` goes through the sets by itself and ends with the best one, so the choice is made again
// before every test.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernels/rows.hpp"

namespace fenchel::test {
namespace {

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// The bit of the set of that name, or 0.
std::int64_t target_called(const std::string& name) {
  std::int64_t found = 0;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    choose(rest & -rest);
    if (kernels::simd_target() == name) found = rest & -rest;
    choose(0);
  }
  return found;
}

class OnOneTarget : public testing::EmptyTestEventListener {
 public:
  explicit OnOneTarget(std::int64_t target) : target_(target) {}
  void OnTestStart(const testing::TestInfo&) override { choose(target_); }

 private:
  std::int64_t target_;
};

class Forced : public testing::Environment {
 public:
  void SetUp() override {
    const char* name = std::getenv("FENCHEL_TEST_TARGET");
    if (!name) return;
    const std::int64_t target = target_called(name);
    if (target == 0) GTEST_SKIP() << "there is no " << name << " here";
    testing::UnitTest::GetInstance()->listeners().Append(new OnOneTarget(target));
  }
};

[[maybe_unused]] const auto* const registered = testing::AddGlobalTestEnvironment(new Forced);

}  // namespace
}  // namespace fenchel::test
