// SPDX-License-Identifier: Apache-2.0
// Dense rows. Few outputs: a block of rows stays in the cache between its two products (the kernel of
// dense_linear), and slices of rows have gradients of their own that are added up in order. Many outputs:
// residuals of all rows of a shard are kept, and the BLAS makes the gradient by blocks of features.
#include <algorithm>

#include "kernels/dense_linear.hpp"
#include "training/problems/gemm.hpp"
#include "training/problems/linear_parts.hpp"

namespace fenchel {
namespace {

// With more outputs the BLAS is as fast (benchmarks/training).
constexpr std::size_t most_narrow_outputs = 32;
// Rows in a block, whose features stay in the second-level cache with the weights and the gradient.
constexpr std::size_t narrow_block_bytes = 160 << 10;
constexpr std::size_t row_tile = 12;         // a multiple of the kernel's tiles of 2, 3, 4 and 6 rows
constexpr std::size_t rows_in_double = 512;  // rows added up in single precision before they go into double
constexpr std::size_t most_slices = 16;      // slices of rows with gradients of their own
constexpr std::size_t slice_share = 4;       // all of which together take at most this part of the features

template <Real T>
class NarrowDense final : public LinearObjective<T> {
 public:
  NarrowDense(const LinearProblem<T>& problem, int threads) : LinearObjective<T>(problem, threads) {
    const std::size_t row_bytes = std::max<std::size_t>(1, this->features() * sizeof(T));
    block_ =
        std::max(row_tile, std::min(narrow_block_bytes / row_bytes, rows_in_double) / row_tile * row_tile);
    const std::size_t affordable =
        problem.examples() * sizeof(T) / (slice_share * sizeof(double) * this->outputs());
    const std::size_t slices = std::clamp<std::size_t>(affordable, 1, most_slices);
    const std::size_t blocks = (problem.examples() + block_ - 1) / block_;
    slice_ = std::max<std::size_t>(1, (blocks + slices - 1) / slices) * block_;
    slices_ = (problem.examples() + slice_ - 1) / slice_;
    transposed_.resize(size());
    sums_.resize(slices_ * size());
  }

  std::size_t shards() const override { return 1; }

 private:
  std::size_t size() const { return this->features() * this->outputs(); }

  void add_products(std::size_t, std::span<const double> w, std::span<double> gradient) override {
    const std::size_t p = this->features(), outputs = this->outputs();
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < outputs; ++k) transposed_[k * p + j] = static_cast<T>(w[j * outputs + k]);
    }
    this->reset_partials(slices_);
    const std::size_t n = this->problem_.examples();
    for_each_block(n, slice_, this->threads_,
                   [&](std::size_t first, std::size_t last) { run_slice(first, last); });
    constexpr std::size_t features_in_block = 64;
    for_each_block(p, features_in_block, this->threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t slice = 0; slice < slices_; ++slice) {
        const double* sum = sums_.data() + slice * size();
        for (std::size_t j = first; j < last; ++j) {
          for (std::size_t k = 0; k < outputs; ++k) gradient[j * outputs + k] += sum[k * p + j];
        }
      }
    });
  }

  void run_slice(std::size_t first, std::size_t last) {
    const std::size_t p = this->features(), outputs = this->outputs(), slice = first / slice_;
    const auto& x = this->problem_.x.dense_rows();
    const MatrixView<const T> weights(transposed_.data(), outputs, p);
    const std::span<double> sum(sums_.data() + slice * size(), size());
    std::ranges::fill(sum, 0.0);
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto scores = scratch.take<T>(block_ * outputs);
    const auto single = scratch.take<T>(size());
    std::ranges::fill(single, T{0});
    std::size_t pending = 0;
    for (std::size_t at = first; at < last; at += block_) {
      const std::size_t rows = std::min(block_, last - at);
      const MatrixView<T> theta(scores.data(), rows, outputs);
      kernels::linear_scores(x.block(at, rows), weights, this->offset().first(outputs), theta);
      this->take_residuals(at, theta, slice);
      kernels::add_linear_gradient(x.block(at, rows), theta, std::min(block_, last - at - rows),
                                   {single.data(), outputs, p});
      pending += rows;
      if (pending < rows_in_double && at + rows < last) continue;
      for (std::size_t e = 0; e < sum.size(); ++e) {
        sum[e] += static_cast<double>(single[e]);
        single[e] = 0;
      }
      pending = 0;
    }
  }

  std::size_t block_ = 0;  // rows
  std::size_t slice_ = 0;  // rows
  std::size_t slices_ = 0;
  std::vector<T> transposed_;  // Wᵀ
  std::vector<double> sums_;   // the gradient of each slice, transposed
};

constexpr std::size_t score_rows = 128;         // rows in a product X W
constexpr std::size_t gradient_features = 128;  // columns of X in a product Xᵀ R
constexpr std::size_t gradient_rows = 1024;     // and its rows, summed in the type of the features

template <Real T>
class WideDense final : public LinearObjective<T> {
 public:
  WideDense(const LinearProblem<T>& problem, int threads) : LinearObjective<T>(problem, threads) {
    const std::size_t rows = shard_bytes / (this->outputs() * sizeof(T)) / gradient_rows * gradient_rows;
    shard_ = std::max(rows, gradient_rows);
    residuals_.resize(std::min(shard_, problem.examples()) * this->outputs());
    if constexpr (std::same_as<T, float>) weights_.resize(this->features() * this->outputs());
  }

  std::size_t shards() const override { return (this->problem_.examples() + shard_ - 1) / shard_; }

 private:
  void add_products(std::size_t shard, std::span<const double> w, std::span<double> gradient) override {
    const std::size_t p = this->features(), outputs = this->outputs(), first = shard * shard_;
    const std::size_t rows = std::min(shard_, this->problem_.examples() - first);
    const auto x = this->problem_.x.dense_rows().block(first, rows);
    const MatrixView<T> residuals(residuals_.data(), rows, outputs);
    const MatrixView<const T> weights(load_weights(w), p, outputs);
    this->reset_partials((rows + score_rows - 1) / score_rows);
    for_each_block(rows, score_rows, this->threads_, [&](std::size_t from, std::size_t to) {
      const MatrixView<T> theta = residuals.block(from, to - from);
      for (std::size_t i = 0; i < theta.rows(); ++i) {
        std::ranges::copy(this->offset().first(outputs), theta.row(i).begin());
      }
      if (p > 0) multiply<T>(x.block(from, to - from), false, weights, 1, theta);
      this->take_residuals(first + from, theta, from / score_rows);
    });
    for_each_block(p, gradient_features, this->threads_, [&](std::size_t from, std::size_t to) {
      Workspace& scratch = thread_workspace();
      const Workspace::Frame frame(scratch);
      const auto memory = scratch.take<T>((to - from) * outputs);
      const MatrixView<T> product(memory.data(), to - from, outputs);
      for (std::size_t at = 0; at < rows; at += gradient_rows) {
        const std::size_t count = std::min(gradient_rows, rows - at);
        const MatrixView<const T> columns(x.data() + at * x.stride() + from, count, to - from, x.stride());
        multiply<T>(columns, true, residuals.block(at, count), 0, product);
        for (std::size_t e = 0; e < memory.size(); ++e)
          gradient[from * outputs + e] += static_cast<double>(memory[e]);
      }
    });
  }

  const T* load_weights(std::span<const double> w) {
    if constexpr (std::same_as<T, double>) {
      return w.data();
    } else {
      std::ranges::transform(w.first(weights_.size()), weights_.begin(),
                             [](double entry) { return static_cast<T>(entry); });
      return weights_.data();
    }
  }

  std::size_t shard_ = 0;  // rows
  std::vector<T> residuals_;
  std::vector<T> weights_;  // W in the type of the features, where that is not double
};

}  // namespace

template <Real T>
std::unique_ptr<OutputsObjective> make_dense_objective(const LinearProblem<T>& problem, int threads) {
  if (problem.outputs <= most_narrow_outputs) return std::make_unique<NarrowDense<T>>(problem, threads);
  return std::make_unique<WideDense<T>>(problem, threads);
}
template std::unique_ptr<OutputsObjective> make_dense_objective(const LinearProblem<float>&, int);
template std::unique_ptr<OutputsObjective> make_dense_objective(const LinearProblem<double>&, int);

}  // namespace fenchel
