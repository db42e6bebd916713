// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/soft_dtw.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/soft_dtw.hpp"
#include "polytopes/alignment_grid.hpp"

namespace fenchel {
namespace {

void check_costs(MatrixView<const double> cost) {
  for (std::size_t i = 0; i < cost.rows(); ++i) {
    const std::span<const double> row = cost.row(i);
    std::size_t bad_entries = 0;  // a count, because that loop vectorises
    for (const double entry : row) bad_entries += entry > -infinity ? 0 : 1;
    if (bad_entries == 0) continue;
    const auto bad = std::find_if(row.begin(), row.end(), [](double entry) { return !(entry > -infinity); });
    throw std::invalid_argument(
        fmt::format("cost[{}, {}] is {}; costs must be finite or +inf", i, bad - row.begin(), *bad));
  }
}

Alignment alignment_of(MatrixView<const double> cost, std::size_t band) {
  check_not_empty("cost", cost.rows());
  check_not_empty("a row of cost", cost.cols());
  check_costs(cost);
  const Alignment set{.m = cost.rows(), .n = cost.cols(), .band = band};
  set.check();
  return set;
}

void check_shape(std::string_view name, MatrixView<const double> matrix, std::size_t rows, std::size_t cols) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  throw std::invalid_argument(
      fmt::format("{} is {} x {}; expected {} x {}", name, matrix.rows(), matrix.cols(), rows, cols));
}

/// The entries of a matrix in contiguous memory; copied only if they are not.
std::span<const double> packed(MatrixView<const double> matrix, Workspace& scratch) {
  const std::size_t size = matrix.rows() * matrix.cols();
  if (matrix.stride() == matrix.cols()) return {matrix.data(), size};
  const std::span<double> copy = scratch.take<double>(size);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    std::copy_n(matrix.row(i).begin(), matrix.cols(), copy.data() + i * matrix.cols());
  }
  return copy;
}

/// The soft minimum, and the expected alignment unless `expected` is empty.
double soft_minimum(const Alignment& set, std::span<const double> cost, double gamma,
                    std::span<double> expected, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const kernels::DiagonalGrid grid = diagonal_grid(set, scratch);
  const auto moves = expected.empty() ? kernels::MoveProbabilities{} : take_moves(grid, scratch);
  const double log_z = kernels::soft_dtw_forward(grid, cost, -1 / gamma, moves, scratch);
  if (!expected.empty()) {
    if (log_z == -infinity) {
      std::fill(expected.begin(), expected.end(), 0.0);
    } else {
      kernels::soft_dtw_backward(grid, moves, expected, scratch);
    }
  }
  return -gamma * log_z;
}

void check_gamma(double gamma) {
  check_finite("gamma", gamma);
  check_greater("gamma", gamma, 0);
  check_at_least("gamma", gamma, 1e-150);  // costs are divided by it
}

}  // namespace

WarpingPath dtw(MatrixView<const double> cost, std::size_t band) {
  const Alignment set = alignment_of(cost, band);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::span<double> theta = scratch.take<double>(set.dimension());
  for (std::size_t i = 0; i < set.m; ++i) {
    std::transform(cost.row(i).begin(), cost.row(i).end(), theta.data() + i * set.n,
                   [](double entry) { return -entry; });
  }
  Structure best;
  WarpingPath result{.value = -set.map(theta, best, scratch), .path = {}};
  if (best.size() > 0) result.path = set.cells(best);
  return result;
}

double soft_dtw(MatrixView<const double> cost, const SoftDtwOptions& options) {
  check_gamma(options.gamma);
  const Alignment set = alignment_of(cost, options.band);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  return soft_minimum(set, packed(cost, scratch), options.gamma, {}, scratch);
}

double soft_dtw(MatrixView<const double> cost, MatrixView<double> gradient, const SoftDtwOptions& options) {
  check_gamma(options.gamma);
  const Alignment set = alignment_of(cost, options.band);
  check_shape("gradient", gradient, cost.rows(), cost.cols());
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const bool direct = gradient.stride() == gradient.cols();
  const std::span<double> expected =
      direct ? std::span<double>(gradient.data(), set.dimension()) : scratch.take<double>(set.dimension());
  const double value = soft_minimum(set, packed(cost, scratch), options.gamma, expected, scratch);
  for (std::size_t i = 0; i < set.m && !direct; ++i) {
    std::copy_n(expected.data() + i * set.n, set.n, gradient.row(i).begin());
  }
  return value;
}

void squared_euclidean_cost(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> cost) {
  check_shape("cost", cost, a.rows(), b.rows());
  check_size("a step of b", b.cols(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const std::span<double> row = cost.row(i);
    for (std::size_t j = 0; j < b.rows(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.cols(); ++k) {
        const double difference = a.row(i)[k] - b.row(j)[k];
        sum += difference * difference;
      }
      row[j] = sum;
    }
  }
}

double soft_dtw_series(MatrixView<const double> a, MatrixView<const double> b,
                       const SeriesGradients& gradients, const SoftDtwOptions& options) {
  const bool for_a = !gradients.a.empty();
  const bool for_b = !gradients.b.empty();
  if (for_a) check_shape("gradient of a", gradients.a, a.rows(), a.cols());
  if (for_b) check_shape("gradient of b", gradients.b, b.rows(), b.cols());
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::size_t n = b.rows();
  const MatrixView<double> cost(scratch.take<double>(a.rows() * n).data(), a.rows(), n);
  squared_euclidean_cost(a, b, cost);
  if (!for_a && !for_b) return soft_dtw(cost, options);
  const MatrixView<double> expected(scratch.take<double>(a.rows() * n).data(), a.rows(), n);
  const double value = soft_dtw(cost, expected, options);
  for (std::size_t i = 0; for_a && i < a.rows(); ++i) std::fill_n(gradients.a.row(i).begin(), a.cols(), 0.0);
  for (std::size_t j = 0; for_b && j < n; ++j) std::fill_n(gradients.b.row(j).begin(), b.cols(), 0.0);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double weight = 2 * expected.row(i)[j];
      if (weight == 0) continue;
      for (std::size_t k = 0; k < a.cols(); ++k) {
        const double term = weight * (a.row(i)[k] - b.row(j)[k]);
        if (for_a) gradients.a.row(i)[k] += term;
        if (for_b) gradients.b.row(j)[k] -= term;
      }
    }
  }
  return value;
}

}  // namespace fenchel
