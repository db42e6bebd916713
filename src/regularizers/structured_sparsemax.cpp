// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/structured_sparsemax.hpp"

#include <algorithm>

#include "core/pooled.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {
namespace {

constexpr std::size_t first_k = 8;  // most predictions mix fewer; each failure doubles it

// Sparsemax of scores in decreasing order into p; the threshold τ.
double sparsemax_sorted(std::span<const double> scores, std::span<double> p) {
  // Relative to the best score, so that large scores cost no digits.
  double sum = 0, threshold = -1;
  std::size_t support = 0;
  while (support < scores.size() && scores[support] - scores[0] > threshold) {
    sum += scores[support] - scores[0];
    ++support;
    threshold = (sum - 1) / static_cast<double>(support);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) p[i] = std::max(scores[i] - scores[0] - threshold, 0.0);
  return threshold + scores[0];
}

}  // namespace

std::vector<StructuredSparsemax> StructuredSparsemax::examples() {
  return {{Sequence{3, 2}}, {Arborescence{3}}, {Alignment{3, 3}}, {KSubsets{5, 2}}};
}

void StructuredSparsemax::check() const {
  structured::check_polytope(traits.name, polytope);
  check_at_least("k_max", static_cast<double>(k_max), 1);
  if (!polytope.offers(Oracle::k_best)) {
    std::vector<Structure> none;
    polytope.k_best({}, 1, none, thread_workspace());  // throws
  }
}

Report StructuredSparsemax::mixture(std::span<const double> theta, Mixture& mixture,
                                    Workspace& scratch) const {
  std::size_t wanted = k > 0 ? k : std::min(first_k, k_max);
  while (true) {
    // One more than is used: its score says whether any structure is missing.
    polytope.k_best(theta, wanted + 1, mixture.structures, scratch);
    const Workspace::Frame frame(scratch);
    const std::size_t found = mixture.structures.size();
    if (found == 0) polytope.reject_masked();
    const auto scores = scratch.take<double>(found);
    for (std::size_t i = 0; i < found; ++i) scores[i] = dot(mixture.structures[i], theta);
    const std::size_t used = std::min(found, wanted);
    mixture.weights.resize(used);
    const double threshold = sparsemax_sorted(scores.first(used), mixture.weights);
    const double excess = found > wanted ? scores[wanted] - threshold : -infinity;
    const bool exact = excess <= 0;
    if (!exact && k == 0 && wanted < k_max) {
      wanted = std::min(2 * wanted, k_max);
      continue;
    }
    const auto support =
        static_cast<std::size_t>(std::ranges::count_if(mixture.weights, [](double p) { return p > 0; }));
    mixture.weights.resize(support);  // scores decrease, so the zeros are at the end
    mixture.structures.resize(support);
    return {exact || k > 0 ? Status::converged : Status::max_iterations, static_cast<int>(used),
            std::max(excess, 0.0)};
  }
}

Report StructuredSparsemax::predict(std::span<const double> theta, std::span<double> out,
                                    Workspace& scratch) const {
  const Pooled<Mixture> distribution;
  const Report report = mixture(theta, *distribution, scratch);
  write(*distribution, out);
  return report;
}

double StructuredSparsemax::predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                                                  Workspace& scratch) const {
  const Pooled<Mixture> distribution;
  mixture(theta, *distribution, scratch);
  write(*distribution, out);
  double total = 0.5;
  for (std::size_t i = 0; i < distribution->size(); ++i) {
    const double p = distribution->weights[i];
    total += p * (dot(distribution->structures[i], theta) - 0.5 * p);
  }
  return total;
}

double StructuredSparsemax::conjugate(std::span<const double> theta, std::span<const double>) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  return predict_and_conjugate(theta, scratch.take<double>(theta.size()), scratch);
}

operations::SolvedValue StructuredSparsemax::solve_value(std::span<const double> mu) const {
  return structured::solve_value_of(*this, 0, mu);
}

Report StructuredSparsemax::prox(std::span<const double> eta, double tau, std::span<double> out,
                                 Workspace& scratch) const {
  return structured::prox_of(*this, eta, tau, out, scratch);
}

void StructuredSparsemax::jvp(std::span<const double> theta, std::span<const double>,
                              std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  // On the support, p moves with the scores, less their mean.
  const Pooled<Mixture> distribution;
  mixture(theta, *distribution, scratch);
  double mean = 0;
  for (const Structure& y : distribution->structures) mean += dot(y, v);
  mean /= static_cast<double>(distribution->size());
  for (std::size_t i = 0; i < distribution->size(); ++i) {
    distribution->weights[i] = dot(distribution->structures[i], v) - mean;
  }
  write(*distribution, out);
}

std::optional<double> StructuredSparsemax::margin(std::size_t) const {
  return structured::margin_of(*this, {});
}

}  // namespace fenchel
