// SPDX-License-Identifier: Apache-2.0
#include "solvers/entropic_newton.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

// The structures are affinely independent, but a tiny entry that two of them share can hide that: a pivot is
// then known to be above the rounding of its diagonal entry, not more.
constexpr double least_pivot = 2 * machine_epsilon;

// In lanes, unlike dot() of core/numeric.hpp, whose additions keep their order and wait for each other: the
// factorization is cubic in the number of structures, and a Newton step may be rounded in any order.
double dot_simd(const double* a, const double* b, std::size_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < count; ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

EntropicNewton::EntropicNewton(std::size_t capacity, Workspace& scratch)
    : scratch_(scratch),
      capacity_(capacity),
      rows_(scratch.take<double>(capacity * capacity)),
      ones_(scratch.take<double>(capacity)) {}

// Entry by entry of μ: the pairs of structures that share it.
void EntropicNewton::assemble(std::span<const Structure* const> structures,
                              std::span<const double> inverse_mu) {
  const Workspace::Frame frame(scratch_);
  const auto starts = scratch_.take<std::uint32_t>(inverse_mu.size() + 1);
  std::ranges::fill(starts, 0u);
  std::size_t total = 0;
  for (const Structure* y : structures) {
    for (const std::uint32_t j : y->indices) ++starts[j + 1];
    total += y->size();
  }
  for (std::size_t j = 0; j < inverse_mu.size(); ++j) starts[j + 1] += starts[j];
  const auto users = scratch_.take<std::uint32_t>(total);
  const auto values = scratch_.take<double>(total);
  const auto next = scratch_.take<std::uint32_t>(inverse_mu.size());
  std::copy_n(starts.begin(), inverse_mu.size(), next.begin());
  for (std::size_t i = 0; i < structures.size(); ++i) {
    const Structure& y = *structures[i];
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::uint32_t at = next[y.indices[k]]++;
      users[at] = static_cast<std::uint32_t>(i);
      values[at] = y.value(k);
    }
  }
  // A constant added to every entry makes no difference to a change with a given sum, and keeps H positive
  // where the zero vector is a structure.
  for (std::size_t i = 0; i < size_; ++i) std::fill_n(row(i), i + 1, 1.0);
  for (std::size_t j = 0; j < inverse_mu.size(); ++j) {
    for (std::size_t a = starts[j]; a < starts[j + 1]; ++a) {
      double* into = row(users[a]);
      const double factor = inverse_mu[j] * values[a];
      for (std::size_t b = starts[j]; b <= a; ++b) into[users[b]] += factor * values[b];
    }
  }
}

void EntropicNewton::factorize(std::span<const Structure* const> structures,
                               std::span<const double> inverse_mu) {
  size_ = structures.size();
  assemble(structures, inverse_mu);
  for (std::size_t i = 0; i < size_; ++i) {
    const double diagonal = row(i)[i];
    for (std::size_t k = 0; k < i; ++k) row(i)[k] = (row(i)[k] - dot_simd(row(i), row(k), k)) / row(k)[k];
    const double pivot = diagonal - dot_simd(row(i), row(i), i);
    row(i)[i] = std::sqrt(std::max(pivot, least_pivot * diagonal));
  }
  std::fill_n(ones_.begin(), size_, 1.0);
  triangular_solves(ones_.first(size_));
}

void EntropicNewton::triangular_solves(std::span<double> vector) {
  for (std::size_t i = 0; i < size_; ++i) {
    vector[i] = (vector[i] - dot_simd(row(i), vector.data(), i)) / row(i)[i];
  }
  for (std::size_t i = size_; i-- > 0;) {
    vector[i] /= row(i)[i];
    const double* coefficients = row(i);
    const double value = vector[i];
    for (std::size_t k = 0; k < i; ++k) vector[k] -= coefficients[k] * value;
  }
}

void EntropicNewton::solve(std::span<double> change, double total) {
  triangular_solves(change);
  double excess = -total, unit = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    excess += change[i];
    unit += ones_[i];
  }
  for (std::size_t i = 0; i < size_; ++i) change[i] -= excess / unit * ones_[i];
}

}  // namespace fenchel
