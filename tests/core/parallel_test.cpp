// SPDX-License-Identifier: Apache-2.0
// The loop over blocks: every index once, exceptions of the earliest block, and a child of fork() that works.
#include "core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
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

// Loops of several callers share the helpers; none waits for another's.
TEST(Parallel, SeveralCallersAtOnce) {
  constexpr std::size_t callers = 4, loops = 300, count = 64;
  std::vector<std::size_t> sums(callers);
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < callers; ++c) {
    threads.emplace_back([&, c] {
      for (std::size_t k = 0; k < loops; ++k) {
        std::vector<std::size_t> seen(count);
        for_each_block(count, 3, 3, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) seen[i] += i;
        });
        sums[c] += std::accumulate(seen.begin(), seen.end(), std::size_t{0});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t sum : sums) EXPECT_EQ(sum, loops * count * (count - 1) / 2);
}

// A loop inside a block stays on the thread of that block.
TEST(Parallel, InnerLoopsAreNotShared) {
  std::atomic<int> strangers = 0, calls = 0;
  for_each_block(16, 1, 4, [&](std::size_t, std::size_t) {
    const auto here = std::this_thread::get_id();
    for_each_block(100, 1, 4, [&](std::size_t, std::size_t) {
      ++calls;
      if (std::this_thread::get_id() != here) ++strangers;
    });
  });
  EXPECT_EQ(calls, 1600);
  EXPECT_EQ(strangers, 0);
}

// Whoever runs a loop does not wait for helpers that never began: it ends while others are held up.
TEST(Parallel, HelpersThatAreBusyAreNotWaitedFor) {
  std::mutex hold;
  std::unique_lock held(hold);
  std::atomic<int> waiting = 0;
  std::thread other([&] {
    for_each_block(2, 1, 2, [&](std::size_t, std::size_t) {
      ++waiting;
      const std::lock_guard wait(hold);
    });
  });
  while (waiting < 2) std::this_thread::yield();  // both threads of that loop are held up
  std::atomic<int> done = 0;
  for_each_block(100, 1, 2, [&](std::size_t, std::size_t) { ++done; });
  EXPECT_EQ(done, 100);
  held.unlock();
  other.join();
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
  FenchelYoungLoss(Shannon{}).predict(scores, MatrixView<double>(out.data(), 10000, 2),
                                      {.threads = 2});  // starts the threads
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a hang ends the child, not the test run
    const bool alone = resolve_threads(4) == 1;
    FenchelYoungLoss(Shannon{}).predict(scores, MatrixView<double>(out.data(), 10000, 2), {.threads = 2});
    _exit(alone && out[0] == 0.5 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace fenchel::test
