// SPDX-License-Identifier: Apache-2.0
#include "solvers/bipartite_laplacian.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solvers/blas.hpp"
#include "solvers/lapack.hpp"

namespace fenchel {
namespace {

constexpr double ridge_growth = 100;
constexpr double last_ridge = 1e6;

// Products of smaller weights would be denormal numbers, which are slow, and are far below rounding.
constexpr double smallest_weight = 1e-100;

// Entry by entry a sparse product is about this much slower than a dense one.
constexpr double dense_advantage = 12;

}  // namespace

BipartiteLaplacian::BipartiteLaplacian(MatrixView<const double> weights, double ridge, Workspace& scratch)
    : weights_(weights),
      scratch_(scratch),
      row_sums_(scratch.take<double>(weights.rows())),
      column_sums_(scratch.take<double>(weights.cols())) {
  std::ranges::fill(column_sums_, 0.0);
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    double sum = 0;
    const double* row = weights.row(i).data();
    for (std::size_t j = 0; j < weights.cols(); ++j) {
      sum += row[j];
      column_sums_[j] += row[j];
    }
    row_sums_[i] = sum;
  }
  const std::size_t order = std::min(weights.rows(), weights.cols());
  factor_ = scratch.take<double>(order * order);
  factorize(ridge);
}

double BipartiteLaplacian::cost(std::size_t rows, std::size_t columns) {
  const auto shorter = static_cast<double>(std::min(rows, columns));
  const auto longer = static_cast<double>(std::max(rows, columns));
  return shorter * shorter * (longer / 2 + shorter / 6);
}

void BipartiteLaplacian::form() {
  const std::size_t rows = weights_.rows();
  const std::size_t columns = weights_.cols();
  const Workspace::Frame frame(scratch_);
  const bool on_columns = by_columns();
  const std::span<const double> eliminated = on_columns ? row_sums_ : column_sums_;
  const auto inverse = scratch_.take<double>(eliminated.size());
  for (std::size_t k = 0; k < inverse.size(); ++k)
    inverse[k] = eliminated[k] > 0 ? 1 / std::sqrt(eliminated[k]) : 0;
  double pairs = 0;
  if (on_columns) {
    for (std::size_t i = 0; i < rows; ++i) {
      const auto count = static_cast<double>(
          std::ranges::count_if(weights_.row(i), [](double weight) { return weight != 0; }));
      pairs += count * count;
    }
    const auto order = static_cast<double>(columns);
    if (pairs * dense_advantage < static_cast<double>(rows) * order * order) {
      form_sparse(inverse);
      return;
    }
  }
  const auto scaled = scratch_.take<double>(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = weights_.row(i).data();
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = row[j] * inverse[on_columns ? i : j];
      scaled[i * columns + j] = weight > smallest_weight ? weight : 0;
    }
  }
  // A row-major rows × columns matrix is a column-major columns × rows one.
  const int order = static_cast<int>(on_columns ? columns : rows);
  const int inner = static_cast<int>(on_columns ? rows : columns);
  const int leading = static_cast<int>(columns);
  const double one = 1;
  const double zero = 0;
  dsyrk_("L", on_columns ? "N" : "T", &order, &inner, &one, scaled.data(), &leading, &zero, factor_.data(),
         &order);
}

void BipartiteLaplacian::form_sparse(std::span<const double> inverse) {
  const std::size_t columns = weights_.cols();
  const Workspace::Frame frame(scratch_);
  const auto support = scratch_.take<std::size_t>(columns);
  std::ranges::fill(factor_, 0.0);
  for (std::size_t i = 0; i < weights_.rows(); ++i) {
    const std::span<const double> row = weights_.row(i);
    std::size_t count = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      if (row[j] != 0) support[count++] = j;
    }
    const double scale = inverse[i] * inverse[i];
    for (std::size_t x = 0; x < count; ++x) {
      double* target = &factor_[support[x] * columns];
      for (std::size_t y = x; y < count; ++y) target[support[y]] += scale * row[support[x]] * row[support[y]];
    }
  }
}

// The Schur complement has zero row sums: its diagonal is the sum of what is off it, which does not cancel,
// while sums minus squares would.
void BipartiteLaplacian::factorize(double ridge) {
  const OneBlasThread alone;
  const std::size_t order = std::min(weights_.rows(), weights_.cols());
  const std::span<const double> kept = by_columns() ? column_sums_ : row_sums_;
  const int size = static_cast<int>(order);
  for (; ridge <= last_ridge; ridge *= ridge_growth) {
    form();
    const Workspace::Frame frame(scratch_);
    const auto diagonal = scratch_.take<double>(order);
    std::ranges::fill(diagonal, 0.0);
    for (std::size_t c = 0; c < order; ++c) {  // the lower triangle, column by column
      double* column = &factor_[c * order];
      double sum = 0;
      for (std::size_t r = c + 1; r < order; ++r) {
        diagonal[r] += column[r];
        sum += column[r];
        column[r] = -column[r];
      }
      diagonal[c] += sum;
    }
    for (std::size_t c = 0; c < order; ++c) {
      factor_[c * order + c] = kept[c] > 0 ? diagonal[c] + ridge * kept[c] : 1;
    }
    int info = 0;
    dpotrf_("L", &size, factor_.data(), &size, &info);
    if (info == 0) return;
  }
}

void BipartiteLaplacian::solve_once(std::span<const double> rho, std::span<const double> gamma,
                                    std::span<double> alpha, std::span<double> beta) const {
  const OneBlasThread alone;
  const std::size_t columns = weights_.cols();
  const int order = static_cast<int>(std::min(weights_.rows(), columns));
  const int one = 1;
  int info = 0;
  const auto quotient = [](double value, double sum) { return sum > 0 ? value / sum : 0; };
  if (by_columns()) {
    std::ranges::copy(gamma, beta.begin());
    for (std::size_t i = 0; i < rho.size(); ++i) {
      const double share = quotient(rho[i], row_sums_[i]);
      const double* row = weights_.row(i).data();
      for (std::size_t j = 0; j < columns; ++j) beta[j] -= share * row[j];
    }
    for (std::size_t j = 0; j < columns; ++j) beta[j] = column_sums_[j] > 0 ? beta[j] : 0;
    dpotrs_("L", &order, &one, factor_.data(), &order, beta.data(), &order, &info);
    for (std::size_t i = 0; i < rho.size(); ++i) {
      double sum = rho[i];
      const double* row = weights_.row(i).data();
      for (std::size_t j = 0; j < columns; ++j) sum -= row[j] * beta[j];
      alpha[i] = quotient(sum, row_sums_[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < rho.size(); ++i) {
    double sum = rho[i];
    const double* row = weights_.row(i).data();
    for (std::size_t j = 0; j < columns; ++j) sum -= row[j] * quotient(gamma[j], column_sums_[j]);
    alpha[i] = row_sums_[i] > 0 ? sum : 0;
  }
  dpotrs_("L", &order, &one, factor_.data(), &order, alpha.data(), &order, &info);
  std::ranges::copy(gamma, beta.begin());
  for (std::size_t i = 0; i < rho.size(); ++i) {
    const double* row = weights_.row(i).data();
    for (std::size_t j = 0; j < columns; ++j) beta[j] -= alpha[i] * row[j];
  }
  for (std::size_t j = 0; j < columns; ++j) beta[j] = quotient(beta[j], column_sums_[j]);
}

void BipartiteLaplacian::solve(std::span<const double> rho, std::span<const double> gamma,
                               std::span<double> alpha, std::span<double> beta) const {
  solve_once(rho, gamma, alpha, beta);
  // One step of refinement removes the error of the ridge and of the factor's rounding.
  const Workspace::Frame frame(scratch_);
  const auto rho_left = scratch_.take<double>(rho.size());
  const auto gamma_left = scratch_.take<double>(gamma.size());
  const auto alpha_step = scratch_.take<double>(rho.size());
  const auto beta_step = scratch_.take<double>(gamma.size());
  std::ranges::copy(gamma, gamma_left.begin());
  for (std::size_t i = 0; i < rho.size(); ++i) {
    double sum = 0;
    const double* row = weights_.row(i).data();
    for (std::size_t j = 0; j < gamma.size(); ++j) {
      const double term = row[j] * (alpha[i] + beta[j]);
      sum += term;
      gamma_left[j] -= term;
    }
    rho_left[i] = rho[i] - sum;
  }
  solve_once(rho_left, gamma_left, alpha_step, beta_step);
  for (std::size_t i = 0; i < rho.size(); ++i) alpha[i] += alpha_step[i];
  for (std::size_t j = 0; j < gamma.size(); ++j) beta[j] += beta_step[j];
}

void tangent_part(MatrixView<const double> weights, std::span<const double> v, std::span<double> out,
                  Workspace& scratch) {
  const std::size_t rows = weights.rows();
  const std::size_t columns = weights.cols();
  const Workspace::Frame frame(scratch);
  const auto rho = scratch.take<double>(rows);
  const auto gamma = scratch.take<double>(columns);
  const auto alpha = scratch.take<double>(rows);
  const auto beta = scratch.take<double>(columns);
  std::ranges::fill(gamma, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = weights.row(i)[j];
      const double term = weight != 0 ? weight * v[i * columns + j] : 0;
      sum -= term;
      gamma[j] -= term;
    }
    rho[i] = sum;
  }
  const BipartiteLaplacian laplacian(weights, smallest_ridge, scratch);
  laplacian.solve(rho, gamma, alpha, beta);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = weights.row(i)[j];
      out[i * columns + j] = weight != 0 ? weight * (v[i * columns + j] + alpha[i] + beta[j]) : 0;
    }
  }
}

}  // namespace fenchel
