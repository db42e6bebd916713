// SPDX-License-Identifier: Apache-2.0
// One row x of features against parameters W, a row of `width` entries for each feature: the two products
// that stochastic and dual algorithms make for every example, and two searches in rows of scores. Compiled
// for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fenchel::kernels {

/// θ += Wᵀ x for a dense row; θ has `width` entries.
void add_scores(std::span<const float> x, const double* w, std::span<double> theta);
void add_scores(std::span<const double> x, const double* w, std::span<double> theta);
/// The same for a sparse row with the entries `values` at `indices`.
void add_scores(std::span<const std::int32_t> indices, std::span<const float> values, const double* w,
                std::span<double> theta);
void add_scores(std::span<const std::int32_t> indices, std::span<const double> values, const double* w,
                std::span<double> theta);

/// W += x rᵀ for a dense row; r has `width` entries.
void add_outer(std::span<const float> x, std::span<const double> r, double* w);
void add_outer(std::span<const double> x, std::span<const double> r, double* w);
/// The same for a sparse row.
void add_outer(std::span<const std::int32_t> indices, std::span<const float> values,
               std::span<const double> r, double* w);
void add_outer(std::span<const std::int32_t> indices, std::span<const double> values,
               std::span<const double> r, double* w);

/// The largest entry of a row that is not empty.
double largest(std::span<const double> row);
/// Writes the indices of the entries above `bound`, in order, and returns how many there are; `indices` has
/// room for all.
std::size_t entries_above(std::span<const double> row, double bound, std::int32_t* indices);

}  // namespace fenchel::kernels
