// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/simplex.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/k_subsets.hpp"
#include "kernels/rows.hpp"
#include "kernels/sort.hpp"
#include "polytopes/entries.hpp"
#include "solvers/isotonic.hpp"

namespace fenchel {
namespace {

MatrixView<const double> row_of(std::span<const double> theta) { return {theta.data(), 1, theta.size()}; }
MatrixView<double> row_of(std::span<double> out) { return {out.data(), 1, out.size()}; }

void assign_unit(std::size_t k, Structure& out) {
  out.clear();
  out.indices.push_back(static_cast<std::uint32_t>(k));
}

}  // namespace

std::vector<Simplex> Simplex::examples() { return {{1}, {2}, {3}, {7}}; }

void Simplex::check() const { entries::check_number(d); }

double Simplex::map(std::span<const double> theta, Structure& out, Workspace&) const {
  const auto top = std::ranges::max_element(theta);
  if (*top == -infinity) return -infinity;
  assign_unit(static_cast<std::size_t>(top - theta.begin()), out);
  return *top;
}

double Simplex::marginals(std::span<const double> theta, std::span<double> mu, Workspace&) const {
  double shift = 0;
  double conjugate = 0;
  if (kernels::softmax(row_of(theta), row_of(mu), {{&shift, 1}, {&conjugate, 1}}) == 0) return -infinity;
  return shift + conjugate;
}

double Simplex::log_partition(std::span<const double> theta, Workspace&) const { return log_sum_exp(theta); }

void Simplex::marginals_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                            std::span<double> out, Workspace&) const {
  const double mean = dot(mu, v);
  for (std::size_t j = 0; j < mu.size(); ++j) out[j] = mu[j] * (v[j] - mean);
}

Report Simplex::project(std::span<const double> theta, std::span<double> out, Workspace&) const {
  return kernels::sparsemax(row_of(theta), row_of(out), {}) == 0 ? entries::nothing_left : Report{};
}

void Simplex::project_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                          std::span<double> out, Workspace&) const {
  entries::move_together(
      v, [mu](std::size_t j) { return mu[j] > 0 ? 1.0 : 0.0; }, out);
}

Report Simplex::project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  return marginals(theta, out, scratch) == -infinity ? entries::nothing_left : Report{};
}

void Simplex::project_kl_jvp(std::span<const double> theta, std::span<const double> mu,
                             std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  marginals_jvp(theta, mu, v, out, scratch);
}

Report Simplex::project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                                Workspace& scratch) const {
  return KSubsets{d, 1}.project_bregman(phi, theta, out, scratch);
}

void Simplex::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                                  std::span<double> out, Workspace& scratch) const {
  KSubsets{d, 1}.project_bregman_jvp(phi, at, v, out, scratch);
}

void Simplex::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& structures,
                     Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto order = scratch.take<std::uint32_t>(theta.size());
  const auto sorted = scratch.take<double>(theta.size());
  kernels::argsort_descending(theta, order, sorted, scratch);
  std::size_t count = std::min(k, theta.size());
  while (count > 0 && sorted[count - 1] == -infinity) --count;
  structures.resize(count);
  for (std::size_t i = 0; i < count; ++i) assign_unit(order[i], structures[i]);
}

void Simplex::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                     Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto below = scratch.take<double>(theta.size());
  marginals(theta, below, scratch);
  double sum = 0;
  for (double& p : below) p = sum += p;
  for (Structure& draw : draws) {
    // The first class whose distribution function exceeds the draw; one without mass never does so first.
    const auto found = std::upper_bound(below.begin(), below.end(), sum * random.uniform());
    assign_unit(static_cast<std::size_t>(found - below.begin()), draw);
  }
}

void Simplex::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), d);
  check_within(name, mu, 0, 1);
  const double sum = sum_of(mu);
  if (!(std::abs(sum - 1) <= simplex_tolerance<double>)) {
    throw std::invalid_argument(fmt::format("{} sums to {}; expected 1", name, sum));
  }
}

}  // namespace fenchel
