// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/cost.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

// Σ_k y_k C_k. The first term is written, not added to 0, so that a label has the very bits of its row.
void mix_rows(const std::vector<std::vector<double>>& rows, std::span<const double> y,
              std::span<double> cost) {
  bool first = true;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (y[k] == 0) continue;
    for (std::size_t j = 0; j < cost.size(); ++j) {
      const double term = y[k] * rows[k][j];
      cost[j] = first ? term : cost[j] + term;
    }
    first = false;
  }
  if (first) std::ranges::fill(cost, 0.0);
}

}  // namespace

Cost::Cost(std::vector<double> fixed) : cost_(std::move(fixed)) {
  check_finite("cost", std::span<const double>(std::get<std::vector<double>>(cost_)));
}

Cost::Cost(std::vector<std::vector<double>> by_label) : cost_(std::move(by_label)) {
  const auto& rows = std::get<std::vector<std::vector<double>>>(cost_);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    check_size(fmt::format("cost[{}]", k), rows[k].size(), rows.size());
    check_finite("cost", std::span<const double>(rows[k]), static_cast<std::ptrdiff_t>(k));
  }
}

void Cost::write(std::span<const double> y, std::span<double> cost) const {
  if (const auto* fixed = std::get_if<std::vector<double>>(&cost_)) {
    check_size("cost", fixed->size(), cost.size());
    std::ranges::copy(*fixed, cost.begin());
  } else if (const auto* rows = std::get_if<std::vector<std::vector<double>>>(&cost_)) {
    check_size("cost", rows->size(), cost.size());
    check_size("y", y.size(), rows->size());
    mix_rows(*rows, y, cost);
  } else if (const auto* callable = std::get_if<Callable>(&cost_)) {
    (*callable)(y, cost);
    check_finite("cost", std::span<const double>(cost));
  } else {
    std::ranges::fill(cost, 0.0);
  }
}

Cost zero_one_cost() {
  return Cost::Callable([](std::span<const double> y, std::span<double> cost) {
    for (std::size_t j = 0; j < y.size(); ++j) cost[j] = 1 - y[j];
  });
}

Cost hamming_cost(const AnyPolytope& polytope, double scale) {
  check_at_least("scale", scale, 0);
  check_finite("scale", scale);
  return Cost([polytope, scale](std::span<const double> y, std::span<double> cost) {
    check_size("y", y.size(), polytope.dimension());
    polytope.hamming_cost(y, cost);
    for (double& entry : cost) entry *= scale;
  });
}

}  // namespace fenchel
