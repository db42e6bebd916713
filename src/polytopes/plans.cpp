// SPDX-License-Identifier: Apache-2.0
#include "polytopes/plans.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "fenchel/core/numeric.hpp"
#include "polytopes/chain_checks.hpp"
#include "solvers/bipartite_laplacian.hpp"
#include "solvers/sinkhorn.hpp"
#include "solvers/transport_projection.hpp"

namespace fenchel::plans {
namespace {

constexpr double kl_tolerance = 1e-12;  // of the mass; what sums of a thousand entries can guarantee

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

Report project_bregman(const Generator& phi, std::span<const double> theta, const Sums& sums,
                       std::span<double> out, Workspace& scratch) {
  return BregmanTransport{.phi = phi.centred().within(0, infinity)}.solve(theta, sums.a, sums.b, out,
                                                                          scratch);
}

void project_bregman_jvp(const Generator& phi, std::span<const double> mu, const Sums& sums,
                         std::span<const double> v, std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const Generator positive = phi.within(0, infinity);
  const auto mobility = scratch.take<double>(mu.size());
  for (std::size_t k = 0; k < mu.size(); ++k) mobility[k] = positive.mobility(mu[k]);
  tangent_part({mobility.data(), sums.a.size(), sums.b.size()}, v, out, scratch);
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
    check_flow(name, "row", i, sum_of(mu.subspan(i * columns, columns)), sums.a[i], tolerance);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < sums.a.size(); ++i) sum += mu[i * columns + j];
    check_flow(name, "column", j, sum, sums.b[j], tolerance);
  }
}

}  // namespace fenchel::plans
