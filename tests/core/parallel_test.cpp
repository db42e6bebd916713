// SPDX-License-Identifier: Apache-2.0
// The loop over blocks: every index once, exceptions of the earliest block, and a child of fork() that works.
#include "fenchel/core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace fenchel::test {
namespace {

TEST(Parallel, EveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{1001}}) {
      std::vector<std::atomic<int>> seen(count);
      for_each_block(count, 7, threads, [&](std::size_t first, std::size_t last) {
        EXPECT_LE(last - first, 7u);
        for (std::size_t i = first; i < last; ++i) ++seen[i];
      });
      for (const auto& times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Parallel, TheEarliestFailureWins) {
  for (const int threads : {1, 2, 4}) {
    try {
      for_each_block(1000, 10, threads, [](std::size_t first, std::size_t) {
        if (first >= 300) throw std::runtime_error(std::to_string(first));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "300");
    }
  }
}

TEST(Parallel, BlocksDependOnTheRowOnly) {
  EXPECT_GE(rows_per_block(1), 16u);
  EXPECT_EQ(rows_per_block(std::size_t{1} << 30), 1u);
  EXPECT_EQ(rows_per_block(40) % 16, 0u);
  EXPECT_GE(resolve_threads(0), 1);
  EXPECT_EQ(resolve_threads(3), 3);
}

TEST(Parallel, ChildOfForkWorks) {
  const Vector theta(20000, 0.5);
  Vector out(theta.size());
  const MatrixView<const double> scores(theta.data(), 10000, 2);
  batch::predict(Shannon{}, scores, MatrixView<double>(out.data(), 10000, 2),
                 {.threads = 2});  // starts the threads
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a hang ends the child, not the test run
    const bool alone = resolve_threads(4) == 1;
    batch::predict(Shannon{}, scores, MatrixView<double>(out.data(), 10000, 2), {.threads = 2});
    _exit(alone && out[0] == 0.5 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace fenchel::test
