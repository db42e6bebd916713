// SPDX-License-Identifier: Apache-2.0
#include "core/thread_pool.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fenchel {
namespace {

thread_local bool inside = false;

// Loops often follow each other closely, and to wake a sleeping thread takes tens of microseconds: a helper
// looks out for the next loop for about that long before it sleeps, and no longer, since others may need its
// processor.
constexpr std::chrono::microseconds look_out{30};

/// While it lives, this thread works on a loop: a BLAS that it calls takes no threads of its own.
class LoopScope {
 public:
  LoopScope() : before_(omp_get_max_threads()) {
    omp_set_num_threads(1);
    inside = true;
  }
  ~LoopScope() {
    inside = false;
    omp_set_num_threads(before_);
  }
  LoopScope(const LoopScope&) = delete;
  LoopScope& operator=(const LoopScope&) = delete;

 private:
  int before_;
};

struct Loop {
  std::size_t count;
  FunctionRef<void(std::size_t)> body;
  std::size_t wanted;  // helpers that may still join
  std::size_t working = 0;
  std::atomic<std::size_t> next{0};
  std::condition_variable idle = {};

  void work() {
    const LoopScope scope;
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
  }
};

class ThreadPool {
 public:
  void run(Loop& loop) {
    const std::size_t helpers = loop.wanted;
    {
      const std::lock_guard lock(mutex_);
      start_threads(helpers);
      loops_.push_back(&loop);
      announced_.fetch_add(1, std::memory_order_release);
    }
    for (std::size_t helper = 0; helper < helpers; ++helper) news_.notify_one();
    loop.work();
    std::unique_lock lock(mutex_);
    std::erase(loops_, &loop);  // nobody joins any more
    loop.idle.wait(lock, [&] { return loop.working == 0; });
  }

 private:
  // Where the system gives no more threads, there are fewer helpers.
  void start_threads(std::size_t number) {
    try {
      for (; threads_ < number; ++threads_) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  [[noreturn]] void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Loop* const loop = find();
      if (!loop) {
        wait_for_news(lock);
        continue;
      }
      --loop->wanted;
      ++loop->working;
      lock.unlock();
      loop->work();
      lock.lock();
      if (--loop->working == 0) loop->idle.notify_one();
    }
  }

  Loop* find() const {
    const auto open = [](const Loop* loop) {
      return loop->wanted > 0 && loop->next.load(std::memory_order_relaxed) < loop->count;
    };
    const auto found = std::ranges::find_if(loops_, open);
    return found == loops_.end() ? nullptr : *found;
  }

  void wait_for_news(std::unique_lock<std::mutex>& lock) {
    const std::size_t seen = announced_.load(std::memory_order_relaxed);
    lock.unlock();
    const auto end = std::chrono::steady_clock::now() + look_out;
    while (announced_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < end) {
    }
    lock.lock();
    news_.wait(lock, [&] { return announced_.load(std::memory_order_relaxed) != seen; });
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Loop*> loops_;  // those that run, oldest first
  std::size_t threads_ = 0;
  std::atomic<std::size_t> announced_{0};
};

// Never destroyed: its threads may outlive the other static objects.
ThreadPool& pool() {
  static auto* const the_pool = new ThreadPool;
  return *the_pool;
}

}  // namespace

void share_loop(std::size_t count, std::size_t helpers, FunctionRef<void(std::size_t)> body) {
  if (count <= 1 || helpers == 0 || inside) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  Loop loop{.count = count, .body = body, .wanted = std::min(helpers, count - 1)};
  pool().run(loop);
}

}  // namespace fenchel
