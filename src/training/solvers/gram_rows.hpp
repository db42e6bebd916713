// SPDX-License-Identifier: Apache-2.0
// Rows of a Gram matrix, computed when first asked for: those of a matrix that fits in memory, or as many as
// do; then the row that was asked for longest ago gives way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fenchel/models/kernel_function.hpp"
#include "fenchel/training/problems/kernel.hpp"
#include "training/solvers/gram_matrix.hpp"

namespace fenchel {

template <Real T>
class GramRows {
 public:
  GramRows(const KernelProblem<T>& problem, int threads)
      : kernel_(problem.kernel), x_(problem.x), threads_(threads), matrix_(problem.gram) {
    if (matrix_) return;
    if (GramMatrix<T>::fits(x_.rows(), problem.memory)) {
      matrix_ = std::make_shared<GramMatrix<T>>(problem.kernel, x_);
      return;
    }
    rows_.emplace(problem.kernel, x_);
    const std::size_t row_bytes = x_.rows() * sizeof(double);
    capacity_ = std::max<std::size_t>(problem.memory / row_bytes, 1);
  }

  /// K, where it fits in memory.
  GramMatrix<T>* matrix() { return matrix_.get(); }

  std::size_t size() const { return x_.rows(); }
  /// Whether K_i is at hand.
  bool knows(std::size_t i) const { return matrix_ ? matrix_->knows(i) : places_.contains(i); }
  /// The kernel with some of the examples, and its values for example i.
  KernelRows<T> among(std::vector<std::size_t> examples) const { return {kernel_, x_, std::move(examples)}; }
  void evaluate(const KernelRows<T>& rows, std::size_t i, std::span<double> out) const {
    rows.evaluate(x_, i, out, threads_);
  }

  /// K_i; valid until the next call.
  std::span<const double> row(std::size_t i) {
    if (matrix_) return matrix_->row(i, threads_);
    const auto found = places_.find(i);
    if (found != places_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return kept_.front().values;
    }
    if (kept_.size() < capacity_) {
      kept_.emplace_front();
      kept_.front().values.resize(x_.rows());
    } else {
      places_.erase(kept_.back().index);
      kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
    }
    Row& fresh = kept_.front();
    fresh.index = i;
    rows_->evaluate(x_, i, std::span(fresh.values), threads_);
    places_[i] = kept_.begin();
    return fresh.values;
  }

 private:
  struct Row {
    std::size_t index = 0;
    std::vector<double> values;
  };

  Kernel kernel_;
  FeaturesView<T> x_;
  int threads_;
  std::shared_ptr<GramMatrix<T>> matrix_;
  // Where it does not fit:
  std::optional<KernelRows<T>> rows_;
  std::size_t capacity_ = 1;
  std::list<Row> kept_;  // asked for last first
  std::unordered_map<std::size_t, typename std::list<Row>::iterator> places_;
};

}  // namespace fenchel
