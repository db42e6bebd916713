// SPDX-License-Identifier: Apache-2.0
// F of a linear model for algorithms that move a few weights at a time: scores are made feature by feature,
// and only by those whose weights are not all 0; features and scores can be looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kernels/csr_multiply.hpp"
#include "training/problems/linear_parts.hpp"

namespace fenchel {

/// The features as columns: row j has the examples that feature j is not 0 in.
template <Real T>
CsrMatrix<T> columns_of(const FeaturesView<T>& x) {
  if (x.sparse()) return transpose(x.sparse_rows());
  CsrMatrix<T> rows;
  rows.cols = x.cols();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.for_each(i, [&](std::size_t j, double value) {
      rows.indices.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(static_cast<T>(value));
    });
    rows.offsets.push_back(static_cast<std::int64_t>(rows.indices.size()));
  }
  return transpose(rows.view());
}

template <Real T>
class ColumnObjective final : public LinearObjective<T> {
 public:
  ColumnObjective(const LinearProblem<T>& problem, int threads)
      : LinearObjective<T>(problem, threads),
        padded_(kernels::padded_width(this->outputs(), sizeof(T))),
        columns_(columns_of(problem.x)),
        scores_(problem.examples(), problem.outputs),
        residuals_(problem.examples() * padded_) {
    this->pad_offset(padded_);
  }

  std::size_t shards() const override { return scores_.rows() > 0 ? 1 : 0; }
  CsrView<T> columns() const { return columns_.view(); }
  /// Wᵀ (x_i − center) + b of every example, at the last W that F was evaluated at.
  const Matrix<double>& scores() const { return scores_; }

 private:
  static constexpr std::size_t block_rows = 256;     // rows whose losses are computed by one thread
  static constexpr std::size_t block_features = 64;  // features whose gradients are

  void add_products(std::size_t /*shard*/, std::span<const double> w, std::span<double> gradient) override {
    set_scores(w);
    const std::size_t rows = scores_.rows(), outputs = this->outputs();
    const MatrixView<T> residuals(residuals_.data(), rows, outputs, padded_);
    this->reset_partials((rows + block_rows - 1) / block_rows);
    for_each_block(rows, block_rows, this->threads_, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        std::ranges::transform(scores_.row(i), residuals.row(i).begin(),
                               [](double score) { return static_cast<T>(score); });
      }
      this->take_residuals(from, residuals.block(from, to - from), from / block_rows);
    });
    for_each_block(this->features(), block_features, this->threads_, [&](std::size_t from, std::size_t to) {
      kernels::csr_multiply_add(columns_.view().block(from, to - from), residuals,
                                MatrixView<double>(gradient.data() + from * outputs, to - from, outputs));
    });
  }

  void set_scores(std::span<const double> w) {
    const std::size_t outputs = this->outputs();
    for (std::size_t i = 0; i < scores_.rows(); ++i) {
      for (std::size_t k = 0; k < outputs; ++k) scores_(i, k) = static_cast<double>(this->offset()[k]);
    }
    const CsrView<T> columns = columns_.view();
    for (std::size_t j = 0; j < this->features(); ++j) {
      const auto weights = w.subspan(j * outputs, outputs);
      if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) continue;
      const auto rows = columns.indices(j);
      const auto values = columns.values(j);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        add_scaled(static_cast<double>(values[e]), weights,
                   scores_.row(static_cast<std::size_t>(rows[e])).data());
      }
    }
  }

  std::size_t padded_;  // the stride of rows of residuals
  CsrMatrix<T> columns_;
  Matrix<double> scores_;
  std::vector<T> residuals_;
};

}  // namespace fenchel
