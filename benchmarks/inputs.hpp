// SPDX-License-Identifier: Apache-2.0
// What the benchmarks run on: blocks of score vectors, the kernels by name, and the loss gradient on top.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "fenchel/kernels/rows.hpp"

namespace fenchel::bench {

/// alpha = 1 is softmax.
template <class T>
std::size_t predict(double alpha, MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries = {}) {
  if (alpha == 1.0) return kernels::softmax(theta, out, summaries);
  if (alpha == 2.0) return kernels::sparsemax(theta, out, summaries);
  if (alpha == 1.5) return kernels::entmax15(theta, out, summaries);
  return kernels::entmax(theta, out, alpha, summaries);
}

/// A batch of scores, its labels and room for results.
template <class T>
struct Batch {
  std::size_t rows;
  std::size_t cols;
  std::vector<T> theta;
  std::vector<T> out;
  std::vector<std::size_t> label;
  std::vector<double> shift;
  std::vector<double> conjugate;

  /// `input`: normal (standard deviation sigma), equal, ascending, descending.
  Batch(std::size_t rows, std::size_t cols, const std::string& input, double sigma)
      : rows(rows), cols(cols), theta(rows * cols), out(rows * cols), label(rows), shift(rows), conjugate(rows) {
    std::mt19937 generator(7);
    std::normal_distribution<double> normal;
    // Drawing is slow: large batches repeat a pool of distinct rows, long enough to defeat branch prediction.
    const std::size_t pool = std::min(rows * cols, std::size_t{1} << 20);
    for (std::size_t i = 0; i < rows * cols; ++i) {
      const double at = static_cast<double>(i % cols) / static_cast<double>(cols);
      theta[i] = input == "equal"        ? T(0.5)
                 : input == "ascending"  ? static_cast<T>(sigma * at)
                 : input == "descending" ? static_cast<T>(-sigma * at)
                 : i < pool              ? static_cast<T>(sigma * normal(generator))
                                         : theta[i - pool];
    }
    for (std::size_t r = 0; r < rows; ++r) label[r] = generator() % cols;
  }

  MatrixView<const T> scores() const { return {theta.data(), rows, cols}; }
  MatrixView<T> result() { return {out.data(), rows, cols}; }
  RowSummaries summaries() { return {shift, conjugate}; }
};

/// Rows handed to the kernel at a time when the gradient follows: still in cache when the label is subtracted.
inline std::size_t gradient_block(std::size_t cols) { return std::max(std::size_t{8}, std::size_t{16384} / cols); }

/// Mean loss against the labels; `out` becomes the gradient ŷ − y.
template <class T>
double value_and_gradient(double alpha, Batch<T>& batch) {
  predict<T>(alpha, batch.scores(), batch.result(), batch.summaries());
  double total = 0.0;
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const std::size_t at = r * batch.cols + batch.label[r];
    total += batch.conjugate[r] - (static_cast<double>(batch.theta[at]) - batch.shift[r]);
    batch.out[at] -= T{1};
  }
  return total / static_cast<double>(batch.rows);
}

}  // namespace fenchel::bench
