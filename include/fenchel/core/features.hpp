// SPDX-License-Identifier: Apache-2.0
// Features X: rows of numbers, dense or sparse, that belong to somebody else (a matrix, a NumPy array, a file
// mapped into memory).
#pragma once

#include <cstddef>
#include <variant>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel {

/// X of one scalar type, one example a row.
template <Real T>
class FeaturesView {
 public:
  FeaturesView() = default;
  // NOLINTBEGIN(google-explicit-constructor): rows of either kind are features as they stand
  FeaturesView(MatrixView<const T> rows) : rows_(rows) {}
  FeaturesView(MatrixView<T> rows) : rows_(MatrixView<const T>(rows)) {}
  FeaturesView(const Matrix<T>& rows) : rows_(rows.view()) {}
  FeaturesView(CsrView<T> rows) : rows_(rows) {}
  FeaturesView(const CsrMatrix<T>& rows) : rows_(rows.view()) {}
  // NOLINTEND(google-explicit-constructor)

  bool sparse() const { return std::holds_alternative<CsrView<T>>(rows_); }
  const MatrixView<const T>& dense_rows() const { return std::get<MatrixView<const T>>(rows_); }
  const CsrView<T>& sparse_rows() const { return std::get<CsrView<T>>(rows_); }

  std::size_t rows() const {
    return std::visit([](const auto& x) { return x.rows(); }, rows_);
  }
  std::size_t cols() const {
    return std::visit([](const auto& x) { return x.cols(); }, rows_);
  }
  /// Stored entries: rows × cols where dense.
  std::size_t size() const { return sparse() ? sparse_rows().size() : rows() * cols(); }
  /// Rows first, …, first + count − 1.
  FeaturesView block(std::size_t first, std::size_t count) const {
    return std::visit([&](const auto& x) { return FeaturesView(x.block(first, count)); }, rows_);
  }

 private:
  std::variant<MatrixView<const T>, CsrView<T>> rows_;
};

}  // namespace fenchel
