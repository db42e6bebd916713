// SPDX-License-Identifier: Apache-2.0
// Times of one pass, in nanoseconds of this thread's processor time, as the Python side measures the peers.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

namespace fenchel::bench {

/// Sorted times of `repeats` passes; passes too short for the clock are repeated within one measurement.
inline std::vector<double> measure(const std::function<void()>& run, int repeats) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
  };
  const auto elapsed = [&](int passes) {
    const double start = now();
    for (int i = 0; i < passes; ++i) run();
    return now() - start;
  };
  constexpr double shortest = 2e5;
  run();
  const int passes = std::max(1, static_cast<int>(shortest / std::max(1.0, elapsed(1))));
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) times.push_back(elapsed(passes) / passes);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace fenchel::bench
