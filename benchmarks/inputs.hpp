// SPDX-License-Identifier: Apache-2.0
// What the benchmarks run on: batches of score vectors, the kernels by α, and the loss gradient on top.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/rows.hpp"

namespace fenchel::bench {

/// Entries of a batch that stays in an L2 cache of 512 KiB with its result, and of one that no cache holds.
inline constexpr std::size_t cache_entries = 50'000;
inline constexpr std::size_t memory_entries = 12'000'000;

inline std::size_t rows_for(std::size_t entries, std::size_t cols) {
  return std::max<std::size_t>(1, entries / cols);
}

/// α = 1 is softmax.
template <class T>
std::size_t predict(double alpha, MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries = {}) {
  if (alpha == 1.0) return kernels::softmax(theta, out, summaries);
  if (alpha == 2.0) return kernels::sparsemax(theta, out, summaries);
  if (alpha == 1.5) return kernels::entmax15(theta, out, summaries);
  return kernels::entmax(theta, out, alpha, summaries);
}

/// Starts at a cache line, as the buffers of numpy and torch do in practice.
template <class T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT(google-explicit-constructor): what containers expect
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }
  bool operator==(const LineAllocator&) const = default;

  static constexpr std::align_val_t line{64};
};
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

/// A batch of scores, its labels and room for results.
template <class T>
struct Batch {
  std::size_t rows;
  std::size_t cols;
  LineVector<T> memory;  // θ and ŷ, not a multiple of a page apart: that would slow every copy down
  std::span<T> theta;
  std::span<T> out;
  std::vector<std::size_t> label;
  std::vector<double> shift;
  std::vector<double> conjugate;

  /// `input`: normal (standard deviation sigma), equal, ascending, descending.
  Batch(std::size_t row_count, std::size_t col_count, const std::string& input, double sigma)
      : rows(row_count),
        cols(col_count),
        memory(2 * rows * cols + skew),
        theta(memory.data(), rows * cols),
        out(memory.data() + (rows * cols + skew) / line * line, rows * cols),
        label(rows),
        shift(rows),
        conjugate(rows) {
    std::mt19937 generator(7);
    std::normal_distribution<double> normal;
    // Drawing is slow: large batches repeat a pool, long enough to defeat branch prediction.
    const std::size_t pool = std::min(rows * cols, std::size_t{1} << 20);
    for (std::size_t i = 0; i < rows * cols; ++i) {
      const double at = static_cast<double>(i % cols) / static_cast<double>(cols);
      theta[i] = input == "equal"        ? T(0.5)
                 : input == "ascending"  ? static_cast<T>(sigma * at)
                 : input == "descending" ? static_cast<T>(-sigma * at)
                 : i < pool              ? static_cast<T>(sigma * normal(generator))
                                         : theta[i - pool];
    }
    for (std::size_t& k : label) k = generator() % cols;
  }

  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  MatrixView<const T> scores() const { return {theta.data(), rows, cols}; }
  MatrixView<T> result() { return {out.data(), rows, cols}; }
  RowSummaries summaries() { return {shift, conjugate}; }

 private:
  static constexpr std::size_t line = 64 / sizeof(T);
  static constexpr std::size_t skew = 40 * line;
};

/// Mean loss against the labels; `out` becomes the gradient ŷ − y.
template <class T>
double value_and_gradient(double alpha, Batch<T>& batch) {
  // By blocks, as a trainer would: the labels' entries are still in cache.
  constexpr std::size_t block_entries = 16384;
  const std::size_t block = std::max<std::size_t>(16, block_entries / batch.cols / 16 * 16);
  double total = 0.0;
  for (std::size_t first = 0; first < batch.rows; first += block) {
    const std::size_t count = std::min(block, batch.rows - first);
    predict<T>(alpha, batch.scores().block(first, count), batch.result().block(first, count),
               batch.summaries().block(first, count));
    for (std::size_t r = first; r < first + count; ++r) {
      const std::size_t at = r * batch.cols + batch.label[r];
      total += batch.conjugate[r] - (static_cast<double>(batch.theta[at]) - batch.shift[r]);
      batch.out[at] -= T{1};
    }
  }
  return total / static_cast<double>(batch.rows);
}

}  // namespace fenchel::bench
