// SPDX-License-Identifier: Apache-2.0
// Sparse rows: scores row by row, then the gradient feature by feature from a transposed copy of the
// features, made once for each shard. No thread needs a gradient of its own, and no sum depends on the
// threads.
#include <algorithm>

#include "kernels/csr_multiply.hpp"
#include "training/problems/linear_parts.hpp"

namespace fenchel {
namespace {

constexpr std::size_t least_shard = 4096;     // rows
constexpr std::size_t most_block_rows = 256;  // rows whose scores are made by one thread
constexpr std::size_t block_features = 64;    // features whose gradients are

template <Real T>
class SparseLinear final : public LinearObjective<T> {
 public:
  SparseLinear(const LinearProblem<T>& problem, int threads)
      : LinearObjective<T>(problem, threads),
        padded_(kernels::padded_width(this->outputs(), sizeof(T))),
        shard_(std::max(shard_bytes / (padded_ * sizeof(T)), least_shard)),
        block_(std::min(rows_per_block(padded_ * sizeof(T)), most_block_rows)) {
    const std::size_t n = problem.examples();
    for (std::size_t first = 0; first < n; first += shard_) {
      columns_.push_back(transpose(problem.x.sparse_rows().block(first, std::min(shard_, n - first))));
    }
    residuals_.resize(std::min(shard_, n) * padded_);
    weights_.resize(this->features() * padded_);
    this->pad_offset(padded_);
  }

  std::size_t shards() const override { return columns_.size(); }

 private:
  void add_products(std::size_t shard, std::span<const double> w, std::span<double> gradient) override {
    const std::size_t p = this->features(), outputs = this->outputs(), first = shard * shard_;
    const std::size_t rows = columns_[shard].cols;
    const auto x = this->problem_.x.sparse_rows().block(first, rows);
    load_weights(w);
    const MatrixView<const T> weights(weights_.data(), p, outputs, padded_);
    const MatrixView<T> residuals(residuals_.data(), rows, outputs, padded_);
    this->reset_partials((rows + block_ - 1) / block_);
    for_each_block(rows, block_, this->threads_, [&](std::size_t from, std::size_t to) {
      const MatrixView<T> theta = residuals.block(from, to - from);
      kernels::csr_multiply(x.block(from, to - from), weights, this->offset(), theta);
      this->take_residuals(first + from, theta, from / block_);
    });
    const CsrView<T> columns = columns_[shard].view();
    for_each_block(p, block_features, this->threads_, [&](std::size_t from, std::size_t to) {
      kernels::csr_multiply_add(columns.block(from, to - from), residuals,
                                MatrixView<double>(gradient.data() + from * outputs, to - from, outputs));
    });
  }

  void load_weights(std::span<const double> w) {
    const std::size_t outputs = this->outputs();
    for_each_block(this->features(), block_features, this->threads_, [&](std::size_t from, std::size_t to) {
      for (std::size_t j = from; j < to; ++j) {
        for (std::size_t k = 0; k < outputs; ++k)
          weights_[j * padded_ + k] = static_cast<T>(w[j * outputs + k]);
      }
    });
  }

  std::size_t padded_;                 // the stride of rows of outputs
  std::size_t shard_;                  // rows
  std::size_t block_;                  // rows
  std::vector<CsrMatrix<T>> columns_;  // the transposed features of each shard
  std::vector<T> residuals_;
  std::vector<T> weights_;  // W in the type of the features, padded
};

}  // namespace

template <Real T>
std::unique_ptr<OutputsObjective> make_sparse_objective(const LinearProblem<T>& problem, int threads) {
  return std::make_unique<SparseLinear<T>>(problem, threads);
}
template std::unique_ptr<OutputsObjective> make_sparse_objective(const LinearProblem<float>&, int);
template std::unique_ptr<OutputsObjective> make_sparse_objective(const LinearProblem<double>&, int);

}  // namespace fenchel
