// SPDX-License-Identifier: Apache-2.0
// Non-owning views of row-major memory: rows are score vectors θ, targets y or predictions ŷ.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace fenchel {

/// The two scalar types every public entry point takes.
template <class T>
concept Real = (std::same_as<std::remove_const_t<T>, float>) ||
               (std::same_as<std::remove_const_t<T>, double>);

/// A row-major matrix that belongs to somebody else; consecutive rows are `stride` entries apart.
template <Real T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  /// A view of a single row.
  explicit MatrixView(std::span<T> row) : MatrixView(row.data(), 1, row.size()) {}

  /// A mutable view is also a read-only one.
  operator MatrixView<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data_, rows_, cols_, stride_};
  }

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }
  bool empty() const { return rows_ == 0; }
  std::span<T> row(std::size_t i) const { return {data_ + i * stride_, cols_}; }

  /// Rows first, …, first + count − 1.
  MatrixView block(std::size_t first, std::size_t count) const {
    return {data_ + first * stride_, count, cols_, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

/// Rows of different lengths, one after another, that belong to somebody else: row i is the entries
/// offsets[i] … offsets[i + 1] − 1. There is one offset more than rows; none at all means no rows.
template <Real T>
class RaggedView {
 public:
  RaggedView() = default;
  RaggedView(T* data, std::span<const std::size_t> offsets) : data_(data), offsets_(offsets) {}

  /// A mutable view is also a read-only one.
  operator RaggedView<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data_, offsets_};
  }

  T* data() const { return data_; }
  std::span<const std::size_t> offsets() const { return offsets_; }
  std::size_t rows() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::span<T> row(std::size_t i) const { return {data_ + offsets_[i], offsets_[i + 1] - offsets_[i]}; }

 private:
  T* data_ = nullptr;
  std::span<const std::size_t> offsets_;
};

}  // namespace fenchel
