// SPDX-License-Identifier: Apache-2.0
// The linear algebra of the active set method. For structures y_1 … y_k, an origin o and an offset c > 0 let
//   A_ij = ⟨y_i − o, y_j − o⟩ + c,
// which is positive definite if and only if the structures are affinely independent: on weights that sum to
// zero, A is the Gram matrix for any o and c, so these are chosen for accuracy (the part that all
// structures share cancels before it is squared). Rᵀ R = A is updated as structures come and go; R⁻ᵀ 1 and
// R⁻ᵀ r, r the residuals ⟨y_i, θ − μ⟩, are carried along as two more columns, so that a step costs one
// triangular solve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

/// The non-zero entries of a structure, in any order; `values` is null where all of them are 1.
struct Entries {
  const std::uint32_t* indices = nullptr;
  const double* values = nullptr;
  std::size_t size = 0;

  double value(std::size_t k) const { return values == nullptr ? 1 : values[k]; }
};

/// ⟨y, vector⟩.
double dot(const Entries& y, std::span<const double> vector);
/// vector += weight · y.
void add(const Entries& y, double weight, std::span<double> vector);

class AffineFactor {
 public:
  /// Takes its memory from the enclosing frame of `scratch`.
  AffineFactor(std::size_t dimension, Workspace& scratch);

  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

  /// Appends y with its residual; active_at(i) are the entries of the one at position i. False, and
  /// nothing happens, where y is an affine combination of the present ones, up to rounding.
  template <class ActiveAt>
  bool append(const Entries& y, double residual, ActiveAt active_at) {
    reserve(size_ + 1);
    prepare(y, size_ == 0 ? y : active_at(0));
    for (std::size_t i = 0; i < size_; ++i) column_[i] = dot(active_at(i), dense_) - shift_;
    return finish(y, residual);
  }

  /// The weights, summing to one, by which the structure that was just refused depends on the others.
  void dependence(std::span<double> weights) const;

  /// Takes a structure out by plane rotations.
  void remove(std::size_t position);

  /// Replaces the residuals (a constant added to all of them makes no difference).
  void set_residuals(std::span<const double> residuals);
  void scale_residuals(double factor);

  /// The change of weights, summing to zero, that makes all residuals equal.
  void direction(std::span<double> change);

  /// A dense vector of zeros to scatter structures into; leave it as you found it.
  std::span<double> zeros() { return dense_; }

 private:
  double* row(std::size_t i) { return rows_.data() + i * stride_; }
  MatrixView<const double> upper() const { return {rows_.data(), size_, size_, stride_}; }
  void reserve(std::size_t size);
  void prepare(const Entries& y, const Entries& first);
  bool finish(const Entries& y, double residual);
  void set_origin(const Entries& y);

  Workspace& scratch_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t stride_ = 0;
  std::size_t origin_size_ = 0;
  std::span<std::uint32_t> origin_indices_;
  std::span<double> origin_values_;
  std::span<double> dense_;      // y − o while a column is computed, else zero
  std::span<double> rows_;       // R, row after row, `stride_` apart
  std::span<double> ones_;       // R⁻ᵀ 1
  std::span<double> residuals_;  // R⁻ᵀ r
  std::span<double> column_;
  double offset_ = 1;
  double shift_ = 0;  // ⟨o, y − o⟩ − c
};

}  // namespace fenchel
