// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/any.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/pooled.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/differences.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/solvers/active_set.hpp"
#include "polytopes/entries.hpp"
#include "solvers/entropic_active_set.hpp"

namespace fenchel {
namespace {

// Entries of a 0/1 vector may be this far from 0 or 1: single precision holds both exactly, so that only a
// value computed by the caller can be off.
constexpr double vertex_tolerance = 1e-9;

// Two scores up to this size can be added and subtracted in any order.
constexpr double largest_score = std::numeric_limits<double>::max() / 4;
// Sums of as many scores of this size as θ may have stay far below that limit, for any structure.
constexpr double harmless_score = 1e270;

double magnitude(double score) { return score == -infinity ? 0 : std::abs(score); }

bool is_binary(std::span<const double> mu) {
  return std::ranges::all_of(
      mu, [](double entry) { return std::min(std::abs(entry), std::abs(entry - 1)) <= vertex_tolerance; });
}

}  // namespace

void AnyPolytope::refuse(std::string_view oracle, std::string_view reason) const {
  throw std::invalid_argument(
      fmt::format("{} has no {}{}{}", traits().name, oracle, reason.empty() ? "" : ": ", reason));
}

void AnyPolytope::reject_masked() const {
  throw std::invalid_argument(
      fmt::format("theta masks every structure of {}; at least one must keep finite scores", traits().name));
}

Report AnyPolytope::feasible(const Report& report) const {
  if (report.residual == infinity) reject_masked();
  return report;
}

double AnyPolytope::marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const {
  if (!offers(Oracle::marginals)) refuse("marginals", traits().no_marginals);
  return model_->marginals(theta, mu, scratch);
}

double AnyPolytope::log_partition(std::span<const double> theta, Workspace& scratch) const {
  if (!offers(Oracle::marginals)) refuse("log-partition function", traits().no_marginals);
  return model_->log_partition(theta, scratch);
}

void AnyPolytope::marginals_block(MatrixView<const double> theta, MatrixView<double> mu,
                                  std::span<double> log_partitions, Workspace& scratch) const {
  if (!offers(Oracle::marginals)) refuse("marginals", traits().no_marginals);
  model_->marginals_block(theta, mu, log_partitions, scratch);
}

void AnyPolytope::marginals_jvp(std::span<const double> theta, std::span<const double> mu,
                                std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  if (offers(Oracle::marginals_jvp)) return model_->marginals_jvp(theta, mu, v, out, scratch);
  jvp_by_differences(
      [&](std::span<const double> at, std::span<double> moved) {
        marginals(at, moved, scratch);
        return Report{};
      },
      theta, v, out, scratch);
}

Report AnyPolytope::project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  if (offers(Oracle::project)) return feasible(model_->project(theta, out, scratch));
  const Pooled<Mixture> mixture;
  mixture->weights.clear();
  return project(theta, *mixture, out, scratch);
}

Report AnyPolytope::project(std::span<const double> theta, Mixture& mixture, std::span<double> out,
                            Workspace& scratch) const {
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    return map(scores, best, scratch);
  };
  return feasible(ActiveSet{}.minimize(theta, oracle, mixture, out, scratch));
}

void AnyPolytope::project_jvp(std::span<const double> theta, std::span<const double> mu,
                              std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  if (offers(Oracle::project_jvp)) return model_->project_jvp(theta, mu, v, out, scratch);
  const auto projected = [&](std::span<const double> at, std::span<double> moved) {
    return project(at, moved, scratch);
  };
  if (offers(Oracle::project)) return jvp_by_differences(projected, theta, v, out, scratch);
  const Workspace::Frame frame(scratch);
  const Pooled<Mixture> mixture;
  mixture->weights.clear();
  project(theta, *mixture, scratch.take<double>(theta.size()), scratch);
  active_set_jvp(*mixture, v, out, scratch);
}

namespace {

// The Kullback-Leibler projection by the active set method, as a mixture.
Report project_kl_by_map(const AnyPolytope& set, std::span<const double> theta, Mixture& mixture,
                         std::span<double> mu, Workspace& scratch) {
  mixture.weights.clear();
  const auto oracle = [&](std::span<const double> scores, Structure& best) {
    return set.map(scores, best, scratch);
  };
  return EntropicActiveSet{}.minimize(theta, oracle, mixture, mu, scratch);
}

}  // namespace

Report AnyPolytope::project_kl(std::span<const double> theta, std::span<double> out,
                               Workspace& scratch) const {
  if (offers(Oracle::project_kl)) return feasible(model_->project_kl(theta, out, scratch));
  const Pooled<Mixture> mixture;
  return feasible(project_kl_by_map(*this, theta, *mixture, out, scratch));
}

void AnyPolytope::project_kl_jvp(std::span<const double> theta, std::span<const double> mu,
                                 std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  if (offers(Oracle::project_kl_jvp)) return model_->project_kl_jvp(theta, mu, v, out, scratch);
  const auto projected = [&](std::span<const double> at, std::span<double> moved) {
    return project_kl(at, moved, scratch);
  };
  if (offers(Oracle::project_kl)) return jvp_by_differences(projected, theta, v, out, scratch);
  const Workspace::Frame frame(scratch);
  const Pooled<Mixture> mixture;
  feasible(project_kl_by_map(*this, theta, *mixture, scratch.take<double>(theta.size()), scratch));
  entropic_active_set_jvp(theta, *mixture, v, out, scratch);
}

Report AnyPolytope::project_bregman(const Generator& phi, std::span<const double> theta,
                                    std::span<double> out, Workspace& scratch) const {
  if (!offers(Oracle::project_bregman)) refuse("Bregman projection", {});
  if (traits().fixed_sum && phi.order() == 1.0) return project_kl(theta, out, scratch);
  if (traits().fixed_sum && phi.order() == 2.0) return project(theta, out, scratch);
  return feasible(model_->project_bregman(phi, theta, out, scratch));
}

void AnyPolytope::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                                      std::span<double> out, Workspace& scratch) const {
  if (!offers(Oracle::project_bregman)) refuse("Bregman projection", {});
  if (traits().fixed_sum && phi.order() == 1.0) return project_kl_jvp(at.theta, at.mu, v, out, scratch);
  if (traits().fixed_sum && phi.order() == 2.0) return project_jvp(at.theta, at.mu, v, out, scratch);
  model_->project_bregman_jvp(phi, at, v, out, scratch);
}

void AnyPolytope::k_best(std::span<const double> theta, std::size_t k, std::vector<Structure>& out,
                         Workspace& scratch) const {
  if (!offers(Oracle::k_best)) refuse("k-best oracle", {});
  model_->k_best(theta, k, out, scratch);
}

void AnyPolytope::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                         Workspace& scratch) const {
  if (!offers(Oracle::sample)) refuse("sampler", traits().no_marginals);
  model_->sample(theta, random, draws, scratch);
}

PathGraph AnyPolytope::paths() const {
  if (!offers(Oracle::paths)) refuse("paths", "");
  return model_->paths();
}

bool AnyPolytope::is_vertex(std::span<const double> mu) const {
  const int own = model_->is_vertex(mu);
  if (own >= 0) return own == 1;
  // Where Y is binary, 2μ − 1 scores z by −‖z − μ‖² + const for binary μ; on a sphere μ itself does. A
  // structure is then its own and only best one.
  const PolytopeTraits facts = traits();
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(mu.size());
  for (std::size_t j = 0; j < mu.size(); ++j) {
    if (facts.binary && std::min(std::abs(mu[j]), std::abs(mu[j] - 1)) > vertex_tolerance) return false;
    scores[j] = facts.binary ? 2 * mu[j] - 1 : mu[j];
  }
  const Pooled<Structure> best;
  map(scores, *best, scratch);
  const auto vertex = scores;  // no longer needed
  write(*best, vertex);
  const double scale = std::max(1.0, max_abs(vertex));
  for (std::size_t j = 0; j < mu.size(); ++j) {
    if (std::abs(mu[j] - vertex[j]) > vertex_tolerance * scale) return false;
  }
  return true;
}

void AnyPolytope::check_scores(std::string_view name, std::span<const double> theta) const {
  if (traits().masks) {
    fenchel::check_scores(name, theta, Domain::polytope);
  } else {
    fenchel::check_finite(name, theta);
  }
  if (!overflows(theta)) return;
  const auto largest = std::ranges::max_element(theta, {}, magnitude);
  throw std::invalid_argument(
      fmt::format("{} is {}: the scores of a structure of {} overflow; expected their absolute values to sum "
                  "to at most {:.2g}{}",
                  entry_name(name, -1, static_cast<std::size_t>(largest - theta.begin())), *largest,
                  traits().name, largest_score, traits().masks ? ", or -inf for a mask" : ""));
}

bool AnyPolytope::overflows(std::span<const double> theta) const {
  if (entries::within(theta, harmless_score)) return false;
  const double largest = magnitude(*std::ranges::max_element(theta, {}, magnitude));
  // The structure with the largest Σ |θ_j y_j| (entries of structures are seldom negative), scaled.
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(theta.size());
  std::ranges::transform(theta, scores.begin(), [largest](double score) {
    return score == -infinity ? score : std::abs(score) / largest;
  });
  const Pooled<Structure> best;
  return map(scores, *best, scratch) > largest_score / largest;
}

void AnyPolytope::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), dimension());
  fenchel::check_finite(name, mu);
  model_->check_point(name, mu);
  if (traits().binary && model_->is_vertex(mu) == 0 && is_binary(mu)) {
    throw OutsideDomain(name, fmt::format("has the entries of no structure of {}", traits().name));
  }
}

void AnyPolytope::hamming_cost(std::span<const double> y, std::span<double> cost) const {
  if (model_->hamming_cost(y, cost)) return;
  const PolytopeTraits facts = traits();
  if (!facts.binary && !facts.sphere) {
    refuse("Hamming cost", "the distance between its structures is not linear in one of them");
  }
  // ‖z − y‖² = ‖z‖² − 2⟨z, y⟩ + ‖y‖², where ‖z‖² is Σz for binary z and a constant on a sphere.
  for (std::size_t j = 0; j < y.size(); ++j) cost[j] = (facts.binary ? 1 : 0) - 2 * y[j];
}

}  // namespace fenchel
