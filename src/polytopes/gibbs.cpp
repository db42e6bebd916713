// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/gibbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/domain.hpp"
#include "fenchel/core/not_converged.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel {

GibbsDistribution::GibbsDistribution(AnyPolytope polytope, std::vector<double> theta)
    : polytope_(std::move(polytope)), theta_(std::move(theta)) {
  if (polytope_.empty()) throw std::invalid_argument("polytope is empty; expected a set of structures");
  check_size("theta", theta_.size(), polytope_.dimension());
  polytope_.check_scores("theta", theta_);
}

Structure GibbsDistribution::map() const {
  Structure best;
  if (polytope_.map(theta_, best, thread_workspace()) == -infinity) polytope_.reject_masked();
  return best;
}

std::vector<double> GibbsDistribution::marginals() const {
  std::vector<double> mu(theta_.size());
  if (polytope_.marginals(theta_, mu, thread_workspace()) == -infinity) polytope_.reject_masked();
  return mu;
}

double GibbsDistribution::log_partition() const {
  const double result = polytope_.log_partition(theta_, thread_workspace());
  if (result == -infinity) polytope_.reject_masked();
  return result;
}

double GibbsDistribution::entropy() const {
  std::vector<double> mu(theta_.size());
  const double log_partition = polytope_.marginals(theta_, mu, thread_workspace());
  if (log_partition == -infinity) polytope_.reject_masked();
  return std::max(log_partition - dot_masked(theta_, mu), 0.0);
}

double GibbsDistribution::log_probability(const Structure& y) const {
  for (const std::uint32_t index : y.indices) {
    if (index >= theta_.size()) {
      throw std::invalid_argument(
          fmt::format("y has an entry {}; expected fewer than {} entries", index, theta_.size()));
    }
  }
  std::vector<double> dense(theta_.size());
  write(y, dense);
  return log_probability(dense);
}

double GibbsDistribution::log_probability(std::span<const double> y) const {
  polytope_.check_point("y", y);
  if (!polytope_.is_vertex(y)) {
    throw std::invalid_argument(fmt::format("y is not a structure of {}", polytope_.traits().name));
  }
  return std::min(dot_masked(theta_, y) - log_partition(), 0.0);
}

std::vector<double> GibbsDistribution::covariance_product(std::span<const double> v) const {
  check_size("v", v.size(), theta_.size());
  check_finite("v", v);
  const std::vector<double> mu = marginals();
  std::vector<double> out(theta_.size());
  polytope_.marginals_jvp(theta_, mu, v, out, thread_workspace());
  return out;
}

std::vector<Structure> GibbsDistribution::k_best(std::size_t k) const {
  check_at_least("k", static_cast<double>(k), 1);
  std::vector<Structure> best;
  polytope_.k_best(theta_, k, best, thread_workspace());
  if (best.empty()) polytope_.reject_masked();
  return best;
}

std::vector<Structure> GibbsDistribution::sample(std::size_t count, std::uint64_t seed) const {
  if (polytope_.offers(Oracle::sample) && log_partition() == -infinity) polytope_.reject_masked();
  std::vector<Structure> draws(count);
  Random random(seed);
  polytope_.sample(theta_, random, draws, thread_workspace());
  return draws;
}

std::vector<double> GibbsDistribution::project() const {
  std::vector<double> mu(theta_.size());
  require_converged("the projection", project(mu));
  return mu;
}

std::vector<double> GibbsDistribution::project_kl() const {
  std::vector<double> mu(theta_.size());
  require_converged("the projection", project_kl(mu));
  return mu;
}

Report GibbsDistribution::project(std::span<double> mu) const {
  check_size("mu", mu.size(), theta_.size());
  return polytope_.project(theta_, mu, thread_workspace());
}

Report GibbsDistribution::project_kl(std::span<double> mu) const {
  check_size("mu", mu.size(), theta_.size());
  return polytope_.project_kl(theta_, mu, thread_workspace());
}

GibbsDistribution::Sparse GibbsDistribution::sparsemap() const {
  Sparse result;
  result.mean.resize(theta_.size());
  result.report = polytope_.project(theta_, result.mixture, result.mean, thread_workspace());
  result.mixture.structures.resize(result.mixture.size());  // without the solver's spare ones
  return result;
}

}  // namespace fenchel
