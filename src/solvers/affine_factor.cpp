// SPDX-License-Identifier: Apache-2.0
#include "solvers/affine_factor.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "kernels/triangular.hpp"

namespace fenchel {
namespace {

// A pivot below this share of its diagonal entry is rounding: the structures of the library's sets have
// integer entries, whose pivots are far larger, and the square root of it still leaves six digits to the
// solve.
constexpr double dependent_share = 1e-12;
constexpr std::size_t first_capacity = 32;
constexpr std::size_t padding = 8;  // between rows: a stride that is a power of two would thrash the cache

double dot_first(std::size_t count, std::span<const double> a, std::span<const double> b) {
  return dot_by_four(a.first(count), b.first(count));
}

// Rotates two rows of R; the upper one moves one place to the left, over the removed column.
void rotate(double cosine, double sine, double* upper, double* __restrict lower, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) {
    const double a = upper[j + 1];
    const double b = lower[j];
    upper[j] = cosine * a + sine * b;
    lower[j] = cosine * b - sine * a;
  }
}

}  // namespace

// Four partial sums, so that slow gathers at least do not wait for each other.
double dot(const Entries& y, std::span<const double> vector) {
  const std::uint32_t* index = y.indices;
  const double* from = vector.data();
  double sums[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  if (y.values == nullptr) {
    for (; k + 4 <= y.size; k += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += from[index[k + lane]];
    }
  }
  for (; k < y.size; ++k) sums[0] += y.value(k) * from[index[k]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void add(const Entries& y, double weight, std::span<double> vector) {
  double* to = vector.data();
  for (std::size_t k = 0; k < y.size; ++k) to[y.indices[k]] += weight * y.value(k);
}

AffineFactor::AffineFactor(std::size_t dimension, Workspace& scratch)
    : scratch_(scratch), dense_(scratch.take<double>(dimension)) {
  std::ranges::fill(dense_, 0.0);
}

void AffineFactor::reserve(std::size_t size) {
  if (size <= capacity_) return;
  const std::size_t capacity = std::max(first_capacity, 2 * capacity_);
  const std::size_t stride = capacity + padding;
  const auto rows = scratch_.take<double>(capacity * stride);
  for (std::size_t i = 0; i < size_; ++i) {
    std::copy(row(i) + i, row(i) + size_, rows.data() + i * stride + i);
  }
  const auto grow = [&](std::span<double>& vector) {
    const auto larger = scratch_.take<double>(capacity);
    std::copy_n(vector.begin(), size_, larger.begin());
    vector = larger;
  };
  grow(ones_);
  grow(residuals_);
  grow(column_);
  rows_ = rows;
  stride_ = stride;
  capacity_ = capacity;
}

void AffineFactor::set_origin(const Entries& y) {
  if (y.size > origin_indices_.size()) {
    origin_indices_ = scratch_.take<std::uint32_t>(2 * y.size);
    origin_values_ = scratch_.take<double>(2 * y.size);
  }
  origin_size_ = y.size;
  std::copy_n(y.indices, y.size, origin_indices_.begin());
  for (std::size_t k = 0; k < y.size; ++k) origin_values_[k] = y.value(k);
}

// Scatters y − o. While there is no more than one structure, that one becomes the origin, and the offset the
// squared distance of the second: both parts of A then have the same size.
void AffineFactor::prepare(const Entries& y, const Entries& first) {
  if (size_ <= 1) set_origin(size_ == 0 ? y : first);
  for (std::size_t k = 0; k < origin_size_; ++k) dense_[origin_indices_[k]] = -origin_values_[k];
  add(y, 1, dense_);
  shift_ = 0;
  for (std::size_t k = 0; k < origin_size_; ++k) shift_ += origin_values_[k] * dense_[origin_indices_[k]];
  if (size_ <= 1) {
    const double distance = fenchel::dot(y, dense_) - shift_;
    const double residual = size_ == 0 ? 0 : residuals_[0] * row(0)[0];
    offset_ = distance > 0 ? distance : 1;
    if (size_ == 1) {
      row(0)[0] = std::sqrt(offset_);
      ones_[0] = 1 / row(0)[0];
      residuals_[0] = residual / row(0)[0];
    }
  }
  shift_ -= offset_;
}

bool AffineFactor::finish(const Entries& y, double residual) {
  const double diagonal = fenchel::dot(y, dense_) - shift_;
  for (std::size_t k = 0; k < y.size; ++k) dense_[y.indices[k]] = 0;
  for (std::size_t k = 0; k < origin_size_; ++k) dense_[origin_indices_[k]] = 0;
  kernels::solve_upper_transposed(upper(), column_.first(size_));
  const double pivot = diagonal - dot_first(size_, column_, column_);
  if (!(pivot > dependent_share * diagonal)) return false;
  const double root = std::sqrt(pivot);
  for (std::size_t i = 0; i < size_; ++i) row(i)[size_] = column_[i];
  row(size_)[size_] = root;
  ones_[size_] = (1 - dot_first(size_, column_, ones_)) / root;
  residuals_[size_] = (residual - dot_first(size_, column_, residuals_)) / root;
  ++size_;
  return true;
}

void AffineFactor::dependence(std::span<double> weights) const {
  std::ranges::copy(column_.first(size_), weights.begin());
  kernels::solve_upper(upper(), weights.first(size_));
  const double total = sum_of(weights.first(size_));
  for (double& weight : weights.first(size_)) weight /= total;
}

void AffineFactor::remove(std::size_t position) {
  for (std::size_t i = 0; i < position; ++i) {
    std::copy(row(i) + position + 1, row(i) + size_, row(i) + position);
  }
  for (std::size_t i = position; i + 1 < size_; ++i) {
    const double a = row(i)[i + 1];
    const double b = row(i + 1)[i + 1];
    const double length = std::sqrt(a * a + b * b);
    const double cosine = a / length;
    const double sine = b / length;
    rotate(cosine, sine, row(i) + i, row(i + 1) + i + 1, size_ - i - 1);
    for (const std::span<double> column : {ones_, residuals_}) {
      const double upper = column[i];
      column[i] = cosine * upper + sine * column[i + 1];
      column[i + 1] = cosine * column[i + 1] - sine * upper;
    }
  }
  --size_;
}

void AffineFactor::set_residuals(std::span<const double> residuals) {
  std::ranges::copy(residuals.first(size_), residuals_.begin());
  kernels::solve_upper_transposed(upper(), residuals_.first(size_));
}

void AffineFactor::scale_residuals(double factor) {
  for (std::size_t i = 0; i < size_; ++i) residuals_[i] *= factor;
}

// A change = r + λ1, that is change = R⁻¹(R⁻ᵀr + λR⁻ᵀ1), with λ such that it sums to zero.
void AffineFactor::direction(std::span<double> change) {
  const double lambda = -dot_first(size_, ones_, residuals_) / dot_first(size_, ones_, ones_);
  for (std::size_t i = 0; i < size_; ++i) change[i] = residuals_[i] + lambda * ones_[i];
  kernels::solve_upper(upper(), change.first(size_));
}

}  // namespace fenchel
