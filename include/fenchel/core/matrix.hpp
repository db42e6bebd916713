// SPDX-License-Identifier: Apache-2.0
// Matrices that own their memory: dense rows, and sparse rows (compressed, CSR).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "fenchel/core/views.hpp"

namespace fenchel {

/// A row-major matrix that owns its entries.
template <Real T>
class Matrix {
 public:
  Matrix() = default;
  /// Zeros. Throws std::bad_alloc, also where rows × cols would overflow.
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(size_of(rows, cols)) {}
  /// Takes rows × cols entries, row by row.
  Matrix(std::size_t rows, std::size_t cols, std::vector<T> data)
      : rows_(rows), cols_(cols), data_(std::move(data)) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  bool empty() const { return data_.empty(); }
  std::span<T> row(std::size_t i) { return {data_.data() + i * cols_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {data_.data() + i * cols_, cols_}; }
  T& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  T operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
  std::span<T> entries() { return data_; }
  std::span<const T> entries() const { return data_; }
  MatrixView<T> view() { return {data_.data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data_.data(), rows_, cols_}; }

 private:
  static std::size_t size_of(std::size_t rows, std::size_t cols) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
    if (cols > 0 && rows > most / cols) throw std::bad_array_new_length();
    return rows * cols;
  }

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T> data_;
};

/// Sparse rows that belong to somebody else: row i has the columns indices[offsets[i] … offsets[i+1]), in
/// increasing order. Offsets need not start at 0, so that a block of rows is a view as well.
template <Real T>
class CsrView {
 public:
  CsrView() = default;
  CsrView(std::size_t cols, std::span<const std::int64_t> offsets, const std::int32_t* indices,
          const T* values)
      : cols_(cols), offsets_(offsets), indices_(indices), values_(values) {}

  std::size_t rows() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::size_t cols() const { return cols_; }
  /// Stored entries of all rows.
  std::size_t size() const {
    return offsets_.empty() ? 0 : static_cast<std::size_t>(offsets_.back() - offsets_.front());
  }
  std::span<const std::int64_t> offsets() const { return offsets_; }
  std::span<const std::int32_t> indices(std::size_t i) const { return {indices_ + offsets_[i], length(i)}; }
  std::span<const T> values(std::size_t i) const { return {values_ + offsets_[i], length(i)}; }

  /// Rows first, …, first + count − 1.
  CsrView block(std::size_t first, std::size_t count) const {
    return {cols_, offsets_.subspan(first, count + 1), indices_, values_};
  }

 private:
  std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]); }

  std::size_t cols_ = 0;
  std::span<const std::int64_t> offsets_;
  const std::int32_t* indices_ = nullptr;
  const T* values_ = nullptr;
};

/// Sparse rows that own their entries: row i has columns indices[offsets[i] … offsets[i+1]), in order.
template <Real T>
struct CsrMatrix {
  std::size_t cols = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  std::size_t rows() const { return offsets.size() - 1; }
  CsrView<T> view() const { return {cols, offsets, indices.data(), values.data()}; }
};

/// The transpose, its rows in order: O(entries + rows + columns).
CsrMatrix<float> transpose(const CsrView<float>& a);
CsrMatrix<double> transpose(const CsrView<double>& a);

}  // namespace fenchel
