// SPDX-License-Identifier: Apache-2.0
#include "polytopes/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "fenchel/core/numeric.hpp"
#include "fenchel/solvers/sinkhorn.hpp"
#include "fenchel/solvers/transport_projection.hpp"
#include "solvers/bipartite_laplacian.hpp"

namespace fenchel::plans {
namespace {

constexpr double kl_tolerance = 1e-12;  // of the mass; what sums of a thousand entries can promise

void check_sum(std::string_view name, std::string_view line, std::size_t index, double sum, double wanted,
               double tolerance) {
  if (std::abs(sum - wanted) <= tolerance) return;
  throw std::invalid_argument(
      fmt::format("{}: {} {} sums to {}; expected {}", name, line, index, sum, wanted));
}

}  // namespace

Report project(std::span<const double> theta, const Sums& sums, std::span<double> out, Workspace& scratch) {
  return TransportProjection{}.solve(theta, sums.a, sums.b, out, scratch);
}

void project_jvp(std::span<const double> mu, const Sums& sums, std::span<const double> v,
                 std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto support = scratch.take<double>(mu.size());
  for (std::size_t k = 0; k < mu.size(); ++k) support[k] = mu[k] > 0 ? 1 : 0;
  tangent_part({support.data(), sums.a.size(), sums.b.size()}, v, out, scratch);
}

Report project_kl(std::span<const double> theta, const Sums& sums, std::span<double> out,
                  Workspace& scratch) {
  return Sinkhorn{.tolerance = kl_tolerance}.solve(theta, sums.a, sums.b, out, scratch);
}

void project_kl_jvp(std::span<const double> mu, const Sums& sums, std::span<const double> v,
                    std::span<double> out, Workspace& scratch) {
  tangent_part({mu.data(), sums.a.size(), sums.b.size()}, v, out, scratch);
}

void check_point(std::string_view name, std::span<const double> mu, const Sums& sums) {
  const std::size_t columns = sums.b.size();
  const double tolerance = point_tolerance * std::max(max_of(sums.a), max_of(sums.b));
  for (std::size_t k = 0; k < mu.size(); ++k) {
    if (mu[k] >= -tolerance && mu[k] < infinity) continue;
    throw std::invalid_argument(fmt::format("{}[{}, {}] is {}; entries of a plan must be at least 0", name,
                                            k / columns, k % columns, mu[k]));
  }
  for (std::size_t i = 0; i < sums.a.size(); ++i) {
    check_sum(name, "row", i, sum_of(mu.subspan(i * columns, columns)), sums.a[i], tolerance);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < sums.a.size(); ++i) sum += mu[i * columns + j];
    check_sum(name, "column", j, sum, sums.b[j], tolerance);
  }
}

}  // namespace fenchel::plans
