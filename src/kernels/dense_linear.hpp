// SPDX-License-Identifier: Apache-2.0
// Products of a block of feature rows X with few outputs, both ways, compiled for every instruction set. With
// so few outputs a general matrix product spends its time on packing; here X is read where it lies, the
// second time from the cache if the block fits: once for θ = X W + b and once for Xᵀ R.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/views.hpp"

namespace fenchel::kernels {

/// θ = X W + b. `transposed` is Wᵀ, a row of X.cols() entries for each output; b has an entry for each
/// output.
void linear_scores(MatrixView<const float> x, MatrixView<const float> transposed, std::span<const float> b,
                   MatrixView<float> theta);
void linear_scores(MatrixView<const double> x, MatrixView<const double> transposed, std::span<const double> b,
                   MatrixView<double> theta);

/// θ = Wᵀ x + b for one sparse row: the same bits as for the dense row with those entries. `w` is W itself, a
/// row of outputs for each feature; `scratch` has room for score_scratch(outputs) numbers.
void linear_scores(std::span<const std::int32_t> indices, std::span<const double> values,
                   MatrixView<const double> w, std::span<const double> b, std::span<double> theta,
                   std::span<double> scratch);
std::size_t score_scratch(std::size_t outputs);

/// sum += Rᵀ X, a row of X.cols() entries for each output. Meanwhile the `next` rows that lie after X in
/// memory are called into the cache.
void add_linear_gradient(MatrixView<const float> x, MatrixView<const float> r, std::size_t next,
                         MatrixView<float> sum);
void add_linear_gradient(MatrixView<const double> x, MatrixView<const double> r, std::size_t next,
                         MatrixView<double> sum);

}  // namespace fenchel::kernels
