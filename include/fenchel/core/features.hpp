// SPDX-License-Identifier: Apache-2.0
// Features X: rows of numbers, dense or sparse, that belong to somebody else (a matrix, a NumPy array, a file
// mapped into memory).
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel {

/// X of one scalar type, one example per row.
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
  /// Calls body(column, value) for the entries of row i, in order; the zeros of dense rows are left out.
  template <class Body>
  void for_each(std::size_t i, Body body) const {
    if (sparse()) {
      const auto columns = sparse_rows().indices(i);
      const auto values = sparse_rows().values(i);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        body(static_cast<std::size_t>(columns[e]), static_cast<double>(values[e]));
      }
    } else {
      const auto row = dense_rows().row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) body(j, static_cast<double>(row[j]));
      }
    }
  }
  /// The stored entries of row i.
  std::span<const T> values(std::size_t i) const {
    return sparse() ? sparse_rows().values(i) : dense_rows().row(i);
  }
  /// Rows first, …, first + count − 1.
  FeaturesView block(std::size_t first, std::size_t count) const {
    return std::visit([&](const auto& x) { return FeaturesView(x.block(first, count)); }, rows_);
  }

 private:
  std::variant<MatrixView<const T>, CsrView<T>> rows_;
};

}  // namespace fenchel
