// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/cost.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "fenchel/core/check.hpp"

namespace fenchel {

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
    const auto label = std::ranges::find(y, 1.0);
    const auto others = std::ranges::count(y, 0.0);
    if (label == y.end() || static_cast<std::size_t>(others) + 1 != y.size()) {
      throw std::invalid_argument("y is not one-hot; a cost matrix by label needs labels or one-hot targets");
    }
    std::ranges::copy((*rows)[static_cast<std::size_t>(label - y.begin())], cost.begin());
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
