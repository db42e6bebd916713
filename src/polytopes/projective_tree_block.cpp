// SPDX-License-Identifier: Apache-2.0
// Marginals of several sentences of one length: four at a time over plain numbers, one per lane. A sentence's
// bits do not depend on its neighbours.
#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/projective_tree.hpp"
#include "polytopes/eisner_chart.hpp"

namespace fenchel {
namespace {

using kernels::EisnerLanes;
constexpr std::size_t lanes = EisnerLanes::count;

// Longer ones: four tables leave the cache, and sums are long enough for vectors within one sentence.
constexpr std::size_t longest_lane = 150;

// weights(h, m) = exp(θ(h, m) − maximum of column m), and the sum of the maxima.
double fill_lane(std::span<const double> theta, std::span<double> top, std::size_t lane, double* weights) {
  const std::size_t n = top.size();
  const std::size_t row = kernels::eisner_lane_stride(n + 1) * lanes;
  if (!eisner::column_maxima(theta, top)) {
    for (double& entry : top) entry = entry == -infinity ? 0 : entry;  // no tree: the sum will be 0
  }
  double* root = weights + lanes + lane;
  for (std::size_t h = 0; h < n; ++h) {
    double* out = weights + (h + 1) * row + lanes + lane;
    const double* scores = theta.data() + h * n;
    for (std::size_t m = 0; m < n; ++m) out[m * lanes] = scores[m] - top[m];
    root[h * lanes] = out[h * lanes];
    out[h * lanes] = -infinity;
  }
  return eisner::total_of(top);
}

void read_lane(const double* table, std::size_t n, std::size_t lane, std::span<double> mu) {
  const std::size_t row = kernels::eisner_lane_stride(n + 1) * lanes;
  const double* root = table + lanes + lane;
  for (std::size_t h = 0; h < n; ++h) {
    const double* from = table + (h + 1) * row + lanes + lane;
    for (std::size_t m = 0; m < n; ++m) mu[h * n + m] = from[m * lanes];
    mu[h * n + h] = root[h * lanes];
  }
}

}  // namespace

void ProjectiveTree::marginals_block(MatrixView<const double> thetas, MatrixView<double> mus,
                                     std::span<double> log_partitions, Workspace& scratch) const {
  const std::size_t rows = thetas.rows();
  if (n > longest_lane) {
    for (std::size_t i = 0; i < rows; ++i) {
      log_partitions[i] = marginals(thetas.row(i), mus.row(i), scratch);
    }
    return;
  }
  const Workspace::Frame frame(scratch);
  const std::size_t stride = kernels::eisner_lane_stride(n + 1);
  const std::size_t size = (n + 1) * stride * lanes;
  const auto top = scratch.take<double>(n);
  const auto weights = scratch.take<double>(size);
  const EisnerLanes tables{n + 1,
                           stride,
                           single_root,
                           weights.data(),
                           scratch.take<double>(size).data(),
                           scratch.take<double>(size).data(),
                           scratch.take<double>(size).data(),
                           scratch.take<double>(size).data()};
  for (std::size_t first = 0; first < rows; first += lanes) {
    double shift[lanes];
    std::ranges::fill(weights, -infinity);  // no arc leads into the root
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      shift[lane] = fill_lane(thetas.row(std::min(first + lane, rows - 1)), top, lane, weights.data());
    }
    kernels::eisner_exponentials(weights.data(), size);
    kernels::eisner_inside(tables);
    kernels::eisner_marginals(tables);
    for (std::size_t lane = 0; lane < std::min(lanes, rows - first); ++lane) {
      const std::size_t i = first + lane;
      const double total = tables.complete[n * lanes + lane];
      if (eisner::range_suffices(total, n)) {
        log_partitions[i] = std::log(total) + shift[lane];
        read_lane(tables.weights, n, lane, mus.row(i));
      } else {
        log_partitions[i] = marginals(thetas.row(i), mus.row(i), scratch);
      }
    }
  }
}

}  // namespace fenchel
