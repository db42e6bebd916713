// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/dual_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fenchel/core/numeric.hpp"
#include "kernels/feature_rows.hpp"

namespace fenchel {
namespace {

// Below it prox_{Ω/σ}(v/σ) and ŷ_Ω(v) differ by less than rounding, and v/σ would lose its digits.
constexpr double smallest_sigma = 1e-14;

}  // namespace

DualRow::DualRow(RowLoss row) : row_(std::move(row)) {
  if (row_.on_simplex()) ridge_ = row_.omega().ridge();
}

Report DualRow::update(std::span<const double> v, double sigma, std::span<double> mu,
                       Workspace& scratch) const {
  if (!usable_scores(v) || !std::isfinite(sigma)) {
    std::ranges::fill(mu, std::numeric_limits<double>::quiet_NaN());
    return overflow;
  }
  if (sigma < smallest_sigma) return row_.predict(v, mu, scratch);
  const Workspace::Frame frame(scratch);
  const auto eta = scratch.take<double>(v.size());
  // The shift keeps v/σ small where it matters.
  const std::span<const double> shifted = row_.shifted(v, scratch);
  for (std::size_t k = 0; k < v.size(); ++k) eta[k] = shifted[k] / sigma;
  return row_.omega().prox(eta, 1 / sigma, mu, scratch);
}

void DualRow::project(std::span<const double> v, double sigma, SparseRow& mu) const {
  const double scale = sigma + *ridge_;
  const double top = kernels::largest(v);
  if (!std::isfinite(top) || !std::isfinite(scale)) {
    mu.indices.assign(1, 0);
    mu.values.assign(1, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  mu.indices.resize(v.size());
  mu.values.resize(v.size());
  // Σ [v − τ]₊ = scale has τ ≥ max v − scale: only larger entries can be in the support.
  std::size_t count = kernels::entries_above(v, top - scale, mu.indices.data());
  if (count <= 1) {  // none where scale is lost beside max v: then the first of the largest has it all
    std::size_t first = 0;
    while (first + 1 < v.size() && v[first] != top) ++first;
    mu.indices.assign(1, static_cast<std::int32_t>(first));
    mu.values.assign(1, 1.0);
    return;
  }
  double sum = 0;
  for (std::size_t e = 0; e < count; ++e) {
    mu.values[e] = v[static_cast<std::size_t>(mu.indices[e])] - top;
    sum += mu.values[e];
  }
  double tau = (sum - scale) / static_cast<double>(count);
  // Michelot: drop what lies below the threshold until nothing does.
  for (;;) {
    std::size_t kept = 0;
    sum = 0;
    for (std::size_t e = 0; e < count; ++e) {
      if (mu.values[e] <= tau) continue;
      mu.indices[kept] = mu.indices[e];
      mu.values[kept++] = mu.values[e];
      sum += mu.values[kept - 1];
    }
    if (kept == count) break;
    count = kept;
    tau = (sum - scale) / static_cast<double>(count);
  }
  mu.indices.resize(count);
  mu.values.resize(count);
  for (double& value : mu.values) value = (value - tau) / scale;
}

RidgeScores DualRow::seen(std::span<const double> u, SparseRow& scratch) const {
  RidgeScores scores{*ridge_, kernels::largest(u), 0};
  if (*ridge_ == 0) return scores;
  project(u, 0, scratch);
  for (std::size_t e = 0; e < scratch.values.size(); ++e) {
    const double p = scratch.values[e];
    scores.conjugate +=
        p * (u[static_cast<std::size_t>(scratch.indices[e])] - scores.top - 0.5 * *ridge_ * p);
  }
  return scores;
}

}  // namespace fenchel
