// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/k_subsets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/sort.hpp"
#include "polytopes/arrangements.hpp"
#include "polytopes/entries.hpp"
#include "polytopes/subset_distribution.hpp"
#include "solvers/bregman_projection.hpp"

namespace fenchel {
namespace {

// The items that are not masked, with their scores.
struct Items {
  std::span<std::uint32_t> indices;
  std::span<double> scores;

  Items(std::span<const double> theta, Workspace& scratch)
      : indices(scratch.take<std::uint32_t>(theta.size())), scores(scratch.take<double>(theta.size())) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      indices[size] = static_cast<std::uint32_t>(i);
      scores[size] = theta[i];
      size += theta[i] != -infinity ? 1 : 0;
    }
    indices = indices.first(size);
    scores = scores.first(size);
  }

  std::size_t size() const { return indices.size(); }

  /// Spreads values of the items over all entries; masked ones get 0.
  void scatter(std::span<const double> values, std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) out[indices[i]] = values[i];
  }
};

std::span<double> gather(const Items& items, std::span<const double> values, Workspace& scratch) {
  const auto out = scratch.take<double>(items.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[items.indices[i]];
  return out;
}

// The k-th largest of the values, which are reordered.
double kth_largest(std::span<double> values, std::size_t k) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), place, values.end(), std::greater<>());
  return *place;
}

// Σ min(max(x − τ, 0), 1) as a function of τ in (lower, upper): items that are 1 there, items whose share is
// linear, and items that have a breakpoint inside.
struct Shares {
  double lower;
  double upper;
  double ones = 0;
  double linear = 0;
  double linear_sum = 0;
  std::span<double> undecided;

  double at(double tau) const {
    double sum = ones + (linear_sum - linear * tau);
    for (const double x : undecided) sum += std::clamp(x - tau, 0.0, 1.0);
    return sum;
  }

  void narrow() {
    std::size_t size = 0;
    for (const double x : undecided) {
      if (x <= lower) continue;
      if (x - 1 >= upper) {
        ones += 1;
      } else if (x - 1 <= lower && x >= upper) {
        linear += 1;
        linear_sum += x;
      } else {
        undecided[size++] = x;
      }
    }
    undecided = undecided.first(size);
  }
};

// The τ with Σ min(max(x − τ, 0), 1) = k where the k-th largest x is 0: between −1 and 0. Halves the
// breakpoints that are left at every step.
double capped_threshold(std::span<double> x, double k, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  Shares shares{.lower = -1, .upper = 0, .undecided = x};
  shares.narrow();
  const auto breakpoints = scratch.take<double>(2 * shares.undecided.size());
  while (!shares.undecided.empty()) {
    std::size_t size = 0;
    for (const double value : shares.undecided) {
      if (value > shares.lower && value < shares.upper) breakpoints[size++] = value;
      if (value - 1 > shares.lower && value - 1 < shares.upper) breakpoints[size++] = value - 1;
    }
    const double pivot = kth_largest(breakpoints.first(size), size / 2 + 1);
    (shares.at(pivot) >= k ? shares.lower : shares.upper) = pivot;
    shares.narrow();
  }
  if (shares.linear == 0) return shares.lower;
  return std::clamp((shares.ones + shares.linear_sum - k) / shares.linear, shares.lower, shares.upper);
}

void add_ones(std::span<const std::uint32_t> indices, Structure& out) {
  out.clear();
  out.indices.assign(indices.begin(), indices.end());
}

}  // namespace

std::vector<KSubsets> KSubsets::examples() { return {{5, 2}, {1, 1}, {4, 4}, {6, 3}, {7, 5}, {3, 1}}; }

void KSubsets::check() const {
  entries::check_number(d);
  if (k < 1 || k > d) throw std::invalid_argument(fmt::format("k is {}; expected a number in 1..{}", k, d));
}

double KSubsets::map(std::span<const double> theta, Structure& out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  if (items.size() < k) return -infinity;
  const double least = kth_largest(items.scores, k);  // the scores are reordered, not needed after
  std::size_t above = 0;
  for (const std::uint32_t index : items.indices) above += theta[index] > least ? 1 : 0;
  std::size_t equal = k - above;  // how many of the items with the least score
  out.clear();
  double sum = 0;
  for (const std::uint32_t index : items.indices) {
    const bool tied = theta[index] == least && equal > 0;
    if (!tied && !(theta[index] > least)) continue;
    equal -= tied ? 1 : 0;
    out.indices.push_back(index);
    sum += theta[index];
  }
  return sum;
}

double KSubsets::log_partition(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  if (items.size() < k) return -infinity;
  if (items.size() == k) return sum_of(items.scores);
  return SubsetDistribution(items.scores, k, scratch).log_partition(scratch);
}

double KSubsets::marginals(std::span<const double> theta, std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  if (items.size() < k) return -infinity;
  const auto values = scratch.take<double>(items.size());
  std::ranges::fill(values, 1.0);
  const double log_z = items.size() == k
                           ? sum_of(items.scores)
                           : SubsetDistribution(items.scores, k, scratch).marginals(values, scratch);
  items.scatter(values, mu);
  return log_z;
}

void KSubsets::marginals_jvp(std::span<const double> theta, std::span<const double> mu,
                             std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  const auto values = scratch.take<double>(items.size());
  std::ranges::fill(values, 0.0);
  if (items.size() > k) {
    SubsetDistribution(items.scores, k, scratch)
        .covariance(gather(items, mu, scratch), gather(items, v, scratch), values, scratch);
  }
  items.scatter(values, out);
}

Report KSubsets::project(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  if (items.size() < k) return entries::nothing_left;
  const double least = kth_largest(items.scores, k);
  double tau = -1;  // with k items left, all of them are 1
  if (items.size() > k) {
    // From the k-th largest score: a shift of all scores costs no accuracy.
    for (double& score : items.scores) score -= least;
    tau = capped_threshold(items.scores, static_cast<double>(k), scratch);
  }
  for (std::size_t i = 0; i < theta.size(); ++i) {
    out[i] = theta[i] == -infinity ? 0 : std::clamp((theta[i] - least) - tau, 0.0, 1.0);
  }
  return {};
}

void KSubsets::project_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                           std::span<double> out, Workspace&) const {
  entries::move_together(
      v, [mu](std::size_t i) { return mu[i] > 0 && mu[i] < 1 ? 1.0 : 0.0; }, out);
}

Report KSubsets::project_kl(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  if (items.size() < k) return entries::nothing_left;
  const double least = kth_largest(items.scores, k);
  const auto tops = items.scores.first(k);
  std::sort(tops.begin(), tops.end(), std::greater<>());
  // The r largest are capped at 1 and the rest share k − r in proportion to e^θ: the smallest r for which
  // none of the rest exceeds 1, (k − r) e^{x_{r+1}} ≤ Σ_{i>r} e^{x_i}. `tail` is that sum over e^{x_{r+1}}.
  double tail = 1;
  for (const double score : items.scores.subspan(k)) tail += std::exp(score - least);
  std::size_t capped = k - 1;
  double share = tail;
  for (std::size_t r = k - 1; r-- > 0;) {
    tail = 1 + tail * std::exp(tops[r + 1] - tops[r]);
    if (static_cast<double>(k - r) > tail) continue;
    capped = r;
    share = tail;
  }
  const double start = tops[capped];
  const double scale = static_cast<double>(k - capped) / share;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    out[i] = theta[i] > start ? 1 : std::min(scale * std::exp(theta[i] - start), 1.0);
  }
  return {};
}

void KSubsets::project_kl_jvp(std::span<const double>, std::span<const double> mu, std::span<const double> v,
                              std::span<double> out, Workspace&) const {
  entries::move_together(
      v, [mu](std::size_t i) { return mu[i] < 1 ? mu[i] : 0; }, out);
}

Report KSubsets::project_bregman(const Generator& phi, std::span<const double> theta, std::span<double> out,
                                 Workspace&) const {
  const auto items = std::ranges::count_if(theta, [](double score) { return score != -infinity; });
  if (static_cast<std::size_t>(items) < k) return entries::nothing_left;
  share_sum(phi.centred().within(0, 1), theta, static_cast<double>(k), out);
  return {};
}

void KSubsets::project_bregman_jvp(const Generator& phi, const Projected& at, std::span<const double> v,
                                   std::span<double> out, Workspace&) const {
  const Generator share = phi.within(0, 1);
  entries::move_together(
      v, [&](std::size_t i) { return share.mobility(at.mu[i]); }, out);
}

void KSubsets::k_best(std::span<const double> theta, std::size_t count, std::vector<Structure>& structures,
                      Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  structures.clear();
  if (items.size() < k) return;
  const auto order = scratch.take<std::uint32_t>(items.size());
  const auto sorted = scratch.take<double>(items.size());
  kernels::argsort_descending(items.scores, order, sorted, scratch);
  const auto w = scratch.take<double>(items.size());
  std::ranges::fill(w, 0.0);
  std::fill_n(w.begin(), k, 1.0);
  structures.resize(arrangements::number(w, count));
  std::size_t rank = 0;
  auto take = [&](std::span<const double> arrangement) {
    Structure& out = structures[rank++];
    out.clear();
    for (std::size_t i = 0; i < arrangement.size(); ++i) {
      if (arrangement[i] != 0) out.indices.push_back(items.indices[order[i]]);
    }
    std::ranges::sort(out.indices);
  };
  arrangements::best(sorted, w, count, take, scratch);
}

void KSubsets::sample(std::span<const double> theta, Random& random, std::span<Structure> draws,
                      Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Items items(theta, scratch);
  if (items.size() < k) return;
  if (items.size() == k) {
    for (Structure& draw : draws) add_ones(items.indices, draw);
    return;
  }
  std::size_t drawn = 0;
  auto take = [&](std::span<const std::uint32_t> chosen) {
    Structure& draw = draws[drawn++];
    draw.clear();
    for (const std::uint32_t item : chosen) draw.indices.push_back(items.indices[item]);
  };
  SubsetDistribution(items.scores, k, scratch).sample(draws.size(), random, take, scratch);
}

void KSubsets::check_point(std::string_view name, std::span<const double> mu) const {
  check_size(name, mu.size(), d);
  check_within(name, mu, 0, 1);
  const double sum = sum_of(mu);
  if (!(std::abs(sum - static_cast<double>(k)) <= simplex_tolerance<double> * static_cast<double>(k))) {
    throw std::invalid_argument(fmt::format("{} sums to {}; expected {}", name, sum, k));
  }
}

}  // namespace fenchel
