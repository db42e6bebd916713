// SPDX-License-Identifier: Apache-2.0
// A Gram matrix that fits in memory as a whole: rows are computed when first asked for, by whichever thread
// asks, and shared by the fits of one kernel on the same examples.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/spec.hpp"
#include "fenchel/models/kernel_function.hpp"

namespace fenchel {

template <Real T>
class GramMatrix {
 public:
  GramMatrix(const Kernel& kernel, FeaturesView<T> x)
      : x_(x), rows_(kernel, x), values_(new double[x.rows() * x.rows()]), state_(x.rows()) {}

  /// Whether the matrix of so many examples takes no more than so many bytes.
  static bool fits(std::size_t examples, std::size_t memory) {
    return examples == 0 || examples <= memory / sizeof(double) / examples;
  }

  std::size_t size() const { return x_.rows(); }

  bool knows(std::size_t i) const { return state_[i].load() == State::known; }

  std::span<const double> row(std::size_t i, int threads) {
    const std::span<double> out(&values_[i * size()], size());
    State absent = State::absent;
    if (state_[i].compare_exchange_strong(absent, State::begun)) {
      try {
        rows_.evaluate(x_, i, out, threads);
      } catch (...) {
        tell(i, State::absent);
        throw;
      }
      tell(i, State::known);
      return out;
    }
    if (absent == State::known) return out;
    state_[i].wait(State::begun);
    return row(i, threads);
  }

  /// All of it.
  MatrixView<const double> whole(int threads) {
    if (!complete_.load(std::memory_order_acquire)) {
      for_each_block(size(), 1, threads, [&](std::size_t first, std::size_t) { row(first, 1); });
      complete_.store(true, std::memory_order_release);
    }
    return {values_.get(), size(), size()};
  }

 private:
  enum class State : unsigned char { absent, begun, known };

  void tell(std::size_t i, State state) {
    state_[i].store(state);
    state_[i].notify_all();
  }

  FeaturesView<T> x_;
  KernelRows<T> rows_;
  std::unique_ptr<double[]> values_;  // not touched, and so not there, before a row is asked for
  std::vector<std::atomic<State>> state_;
  std::atomic<bool> complete_ = false;
};

/// The Gram matrices of the rows of some data, by kernel: those that no fit uses make room for new ones.
class GramCache {
 public:
  /// Of rows that live as long as this, the same in every call. Null if it takes more than `memory` bytes.
  template <Real T>
  std::shared_ptr<GramMatrix<T>> of(const Kernel& kernel, FeaturesView<T> x, std::size_t memory) {
    if (!GramMatrix<T>::fits(x.rows(), memory)) return nullptr;
    const std::string name = to_json(kernel.spec());
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, name, &Entry::name);
    if (found != kept_.end()) return std::static_pointer_cast<GramMatrix<T>>(found->matrix);
    const auto unused = [](const Entry& entry) { return entry.matrix.use_count() == 1; };
    while (!GramMatrix<T>::fits(x.rows(), memory / (kept_.size() + 1))) {
      const auto oldest = std::ranges::find_if(kept_, unused);
      if (oldest == kept_.end()) break;
      kept_.erase(oldest);
    }
    auto fresh = std::make_shared<GramMatrix<T>>(kernel, x);
    kept_.push_back({name, fresh});
    return fresh;
  }

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<void> matrix;
  };

  std::mutex mutex_;
  std::vector<Entry> kept_;  // oldest first
};

}  // namespace fenchel
