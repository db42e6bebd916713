// SPDX-License-Identifier: Apache-2.0
#include "training/row_omega.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "fenchel/kernels/feature_rows.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/combinators.hpp"
#include "fenchel/regularizers/squared_norm.hpp"
#include "fenchel/regularizers/tsallis.hpp"

namespace fenchel {
namespace {

// Below it prox_{Ω/σ}(v/σ) and ŷ_Ω(v) differ by less than rounding, and v/σ would lose its digits.
constexpr double smallest_sigma = 1e-14;

std::optional<double> ridge_of(const AnyRegularizer& omega) {
  if (omega.get_if<Argmax>()) return 0.0;
  if (const auto* tsallis = omega.get_if<Tsallis>()) {
    if (tsallis->alpha == 2) return 1.0;
    if (tsallis->alpha == infinity) return 0.0;
  }
  if (const auto* norm = omega.get_if<SquaredNorm>(); norm && norm->q == 2) return 1.0;
  if (const auto* scaled = omega.get_if<Temperature>()) {
    if (const auto inner = ridge_of(scaled->omega)) return *inner * scaled->temperature;
  }
  return std::nullopt;
}

// The scores as Ω expects them: on the simplex their maximum is 0.
std::span<const double> shifted(std::span<const double> u, bool simplex, Workspace& scratch) {
  if (!simplex) return u;
  const double top = max_of(u);
  const auto copy = scratch.take<double>(u.size());
  std::ranges::transform(u, copy.begin(), [top](double score) { return score - top; });
  return copy;
}

}  // namespace

RowOmega::RowOmega(const AnyRegularizer& omega)
    : omega_(omega), simplex_(omega.refined_traits().domain == Domain::simplex), ridge_(ridge_of(omega)) {}

Report RowOmega::update(std::span<const double> v, double sigma, std::span<double> mu,
                        Workspace& scratch) const {
  if (sigma < smallest_sigma) return predict(v, mu, scratch);
  const Workspace::Frame frame(scratch);
  const auto eta = scratch.take<double>(v.size());
  // On the simplex a shift changes nothing, and keeps v/σ small where it matters.
  const double top = simplex_ ? max_of(v) : 0;
  for (std::size_t k = 0; k < v.size(); ++k) eta[k] = (v[k] - top) / sigma;
  return omega_.prox(eta, 1 / sigma, mu, scratch);
}

void RowOmega::project(std::span<const double> v, double sigma, SparseRow& mu) const {
  const double scale = sigma + *ridge_;
  const double top = kernels::largest(v);
  mu.indices.resize(v.size());
  mu.values.resize(v.size());
  // Σ [v − τ]₊ = scale has τ ≥ max v − scale: only larger entries can be in the support.
  std::size_t count = kernels::entries_above(v, top - scale, mu.indices.data());
  if (count <= 1) {  // none where scale is lost beside max v: then the first of the largest has it all
    const auto first = std::ranges::find(v, top) - v.begin();
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

double RowOmega::conjugate_below_top(std::span<const double> u, double top, SparseRow& scratch) const {
  if (*ridge_ == 0) return 0;
  project(u, 0, scratch);
  double sum = 0;
  for (std::size_t e = 0; e < scratch.values.size(); ++e) {
    const double p = scratch.values[e];
    sum += p * (u[static_cast<std::size_t>(scratch.indices[e])] - top - 0.5 * *ridge_ * p);
  }
  return sum;
}

Report RowOmega::predict(std::span<const double> u, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return omega_.predict(shifted(u, simplex_, scratch), mu, scratch);
}

double RowOmega::loss(std::span<const double> u, std::span<const double> y, std::span<double> prediction,
                      Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto theta = shifted(u, simplex_, scratch);
  omega_.predict(theta, prediction, scratch);
  return omega_.loss(theta, y, prediction);
}

RowLosses RowOmega::losses(std::span<const double> u, std::span<const double> y, std::span<const double> mu,
                           Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto theta = shifted(u, simplex_, scratch);
  const auto prediction = scratch.take<double>(u.size());
  omega_.predict(theta, prediction, scratch);
  return {omega_.loss(theta, y, prediction), omega_.loss(theta, mu, prediction)};
}

}  // namespace fenchel
