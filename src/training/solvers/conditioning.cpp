// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/conditioning.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "fenchel/core/workspace.hpp"
#include "solvers/lapack.hpp"
#include "training/problems/gemm.hpp"

namespace fenchel {
namespace {

constexpr std::size_t block_entries = 16384;
constexpr double least_share = 1e-10;  // added to a correlation matrix: features may depend on each other

}  // namespace

Conditioning::Conditioning(const ParameterShape& shape, int threads)
    : parameters_(shape.size),
      width_(std::max<std::size_t>(shape.width, 1)),
      penalised_rows_(shape.penalised / width_),
      threads_(threads) {}

Conditioning::Conditioning(const Curvature& curvature, const ParameterShape& shape, double l2, int threads)
    : Conditioning(shape, threads) {
  if (curvature.diagonal.empty()) {
    keep_all(curvature.mean);
    return;
  }
  for (std::size_t row = 0; row < curvature.diagonal.size(); ++row) {
    const double own = curvature.diagonal[row], all = own + (row < penalised_rows_ ? l2 : 0);
    const double mean = row < curvature.mean.size() ? curvature.mean[row] : 0;
    if (own == 0 && row < penalised_rows_) continue;
    rows_.push_back({row, all > 0 && std::isfinite(all) ? 1 / std::sqrt(all) : 1, mean});
  }
  moves_ = !curvature.mean.empty();
}

Conditioning Conditioning::centring(const Curvature& curvature, const ParameterShape& shape, int threads) {
  Conditioning out(shape, threads);
  out.keep_all(curvature.mean);
  return out;
}

void Conditioning::keep_all(std::span<const double> mean) {
  identity_ = mean.empty();
  for (std::size_t row = 0; row < parameters_ / width_; ++row) {
    rows_.push_back({row, 1, row < mean.size() ? mean[row] : 0});
  }
  moves_ = !mean.empty();
}

void Conditioning::join(std::span<const Matrix<double>> joint_curvature, double l2) {
  const std::size_t size = rows_.size();
  std::vector<Matrix<double>> factors;
  for (const Matrix<double>& curvature : joint_curvature) {
    Matrix<double>& factor = factors.emplace_back(size, size);
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c) {
        const double together = curvature(rows_[r].at, rows_[c].at);
        const double penalty = r == c && rows_[r].at < penalised_rows_ ? l2 : 0;
        factor(r, c) = rows_[r].scale * rows_[c].scale * (together + penalty) + (r == c ? least_share : 0);
      }
    }
    // Lower by rows is upper by columns, in which LAPACK thinks.
    const auto order = static_cast<int>(size);
    int info = 0;
    const OneBlasThread guard;
    dpotrf_("U", &order, factor.entries().data(), &order, &info);
    if (info != 0) return;  // not a number somewhere: the variables stay as they are
  }
  factors_ = std::move(factors);
}

// Rows ← op(L) rows, where op is L, Lᵀ or an inverse of one of them.
void Conditioning::apply_factors(Apply apply, bool transpose, std::span<double> rows) const {
  const auto size = static_cast<blasint>(rows_.size()), width = static_cast<blasint>(width_);
  const auto mode = transpose ? CblasTrans : CblasNoTrans;
  const OneBlasThread guard;
  if (factors_.size() == 1) {
    const double* factor = factors_[0].entries().data();
    const auto call = apply == Apply::product ? cblas_dtrmm : cblas_dtrsm;
    call(CblasRowMajor, CblasLeft, CblasLower, mode, CblasNonUnit, size, width, 1, factor, size, rows.data(),
         width);
    return;
  }
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const double* factor = factors_[k].entries().data();
    const auto call = apply == Apply::product ? cblas_dtrmv : cblas_dtrsv;
    call(CblasRowMajor, CblasLower, mode, CblasNonUnit, size, factor, size, rows.data() + k, width);
  }
}

// The same of rows that stay as they are: a copy in the caller's frame, if there are factors at all.
std::span<const double> Conditioning::applied(Apply apply, bool transpose,
                                              std::span<const double> rows) const {
  if (factors_.empty()) return rows;
  const auto copy = thread_workspace().take<double>(rows.size());
  std::ranges::copy(rows, copy.begin());
  apply_factors(apply, transpose, copy);
  return copy;
}

// Blocks of whole rows, whose weights lie together: body(row, where it is in parameters, where in variables).
template <class Body>
void Conditioning::for_each_row(Body body) const {
  const std::size_t block = std::max<std::size_t>(1, block_entries / width_);
  for_each_block(rows_.size(), block, threads_, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) body(rows_[r], rows_[r].at * width_, r * width_);
  });
}

// Wᵀ mean, in an order that does not depend on the threads.
std::vector<double> Conditioning::mean_product(std::span<const double> w) const {
  std::vector<double> sums(width_, 0.0);
  for (const Row& row : rows_) {
    if (row.mean == 0) continue;
    for (std::size_t k = 0; k < width_; ++k) sums[k] += row.mean * w[row.at * width_ + k];
  }
  return sums;
}

void Conditioning::clear_others(std::span<double> w) const {
  if (variables() < w.size()) std::ranges::fill(w, 0.0);
}

void Conditioning::to_parameters(std::span<const double> variables, std::span<double> w) const {
  const Workspace::Frame frame(thread_workspace());
  variables = applied(Apply::inverse, true, variables);
  clear_others(w);
  for_each_row([&](const Row& row, std::size_t to, std::size_t from) {
    for (std::size_t k = 0; k < width_; ++k) w[to + k] = row.scale * variables[from + k];
  });
  if (!moves_) return;
  const auto sums = mean_product(w);
  const auto intercept = w.last(width_);
  for (std::size_t k = 0; k < width_; ++k) intercept[k] -= sums[k];
}

void Conditioning::to_variables(std::span<const double> w, std::span<double> variables) const {
  for_each_row([&](const Row& row, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < width_; ++k) variables[to + k] = w[from + k] / row.scale;
  });
  if (moves_) {
    const auto sums = mean_product(w);
    const auto intercept = variables.last(width_);
    for (std::size_t k = 0; k < width_; ++k) intercept[k] += sums[k] / rows_.back().scale;
  }
  if (!factors_.empty()) apply_factors(Apply::product, true, variables);
}

void Conditioning::gradient_to_variables(std::span<const double> gradient,
                                         std::span<double> by_variables) const {
  const auto intercept = gradient.last(width_);
  for_each_row([&](const Row& row, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < width_; ++k) {
      const double moved = row.mean == 0 ? 0 : row.mean * intercept[k];
      by_variables[to + k] = row.scale * (gradient[from + k] - moved);
    }
  });
  if (!factors_.empty()) apply_factors(Apply::inverse, false, by_variables);
}

void Conditioning::gradient_to_parameters(std::span<const double> by_variables,
                                          std::span<double> gradient) const {
  const Workspace::Frame frame(thread_workspace());
  by_variables = applied(Apply::product, false, by_variables);
  clear_others(gradient);
  const auto intercept = by_variables.last(width_);
  for_each_row([&](const Row& row, std::size_t to, std::size_t from) {
    for (std::size_t k = 0; k < width_; ++k) {
      const double moved = row.mean == 0 ? 0 : row.mean * intercept[k] / rows_.back().scale;
      gradient[to + k] = by_variables[from + k] / row.scale + moved;
    }
  });
}

}  // namespace fenchel
