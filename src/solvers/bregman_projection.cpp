// SPDX-License-Identifier: Apache-2.0
#include "solvers/bregman_projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fenchel/core/numeric.hpp"
#include "fenchel/solvers/root.hpp"
#include "solvers/threshold.hpp"

namespace fenchel {
namespace {

// Sums of w that are exceeded by no more than this share of Σ|w| are met, up to rounding.
constexpr double split_tolerance = 4 * machine_epsilon;

// What the sum of a row is rounded by; a search that closes in further only sees noise.
constexpr double sum_rounding = 4 * machine_epsilon;

// How near the ends of the interval a mean comes, relative to its length or size.
constexpr double nearest = 4 * machine_epsilon;

// The range and the number of the scores that are not masked.
struct ScoreRange {
  double lowest = infinity;
  double highest = -infinity;
  double count = 0;

  void take(double score) {
    if (score == -infinity) return;
    lowest = std::min(lowest, score);
    highest = std::max(highest, score);
    ++count;
  }
};

// Where τ is, given that the highest score is at 0: were all scores equal, it would be θ − φ'(mean), and if
// no entry can be negative, none holds more than everything.
std::pair<double, double> bracket(const Generator& phi, const ScoreRange& range, double total) {
  const double slope = phi.slope(total / range.count);
  double lower = (range.lowest - range.highest) - slope;
  if (phi.lower() >= 0 && total <= phi.upper()) lower = std::max(lower, -phi.slope(total));
  // A slope may underflow to that at 0, where every entry would be 0.
  return {std::min(lower, std::nextafter(-slope, -infinity)), -slope};
}

// The first k > 0 for which μ_1 + … + μ_k exceeds w_1 + … + w_k most; 0 where it does nowhere. `entry(i)` is
// μ_i.
template <class Entry>
std::size_t worst_prefix(std::span<const double> w, Entry entry) {
  double scale = 0;
  for (const double weight : w) scale += std::abs(weight);
  double worst = split_tolerance * scale;
  std::size_t place = 0;
  CompensatedSum excess;
  for (std::size_t i = 0; i < w.size(); ++i) {
    excess += entry(i);
    excess += -w[i];
    if (!(excess.value() > worst)) continue;
    worst = excess.value() + split_tolerance * scale;
    place = i + 1;
  }
  return place;
}

// A part of the sorted scores, its weights and its solution.
struct Part {
  std::span<const double> s, w;
  std::span<double> mu;

  std::size_t size() const { return s.size(); }

  // Where the entries with v ≥ γ end, for the median γ of what v would be were each entry alone: a split that
  // leaves parts of similar size where there are many blocks. 0 or the size where it does not split.
  std::size_t split_at_median(const Generator& phi, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto alone = scratch.take<double>(size());
    for (std::size_t i = 0; i < size(); ++i) alone[i] = (s[i] - s[0]) - phi.slope(w[i]);
    const auto middle = alone.begin() + static_cast<std::ptrdiff_t>(size() / 2);
    std::nth_element(alone.begin(), middle, alone.end());
    const double gamma = *middle;
    if (!std::isfinite(gamma)) return 0;
    // No entry exceeds the largest weight, so that the problem is the same with φ infinite above.
    return worst_prefix(w, [&](std::size_t i) { return std::min(phi.inverse((s[i] - s[0]) - gamma), w[0]); });
  }

  // Solves the part as one block; where that violates sums of w most, or 0 if it violates none.
  std::size_t solve(const Generator& phi) const {
    CompensatedSum total;
    for (const double weight : w) total += weight;
    share_sum(phi, s, total.value(), mu);
    const std::size_t place = worst_prefix(w, [&](std::size_t i) { return mu[i]; });
    return place < size() ? place : 0;
  }
};

}  // namespace

void share_sum(const Generator& phi, std::span<const double> theta, double total, std::span<double> mu) {
  ScoreRange range;
  for (const double score : theta) range.take(score);
  const double mean = total / range.count;
  if (mean <= phi.lower() || mean >= phi.upper()) {  // no threshold leads to an end of the interval
    const double end = mean >= phi.upper() ? phi.upper() : phi.lower();
    for (std::size_t j = 0; j < theta.size(); ++j) mu[j] = theta[j] == -infinity ? 0 : end;
    return;
  }
  // From the largest score, so that a shift of all scores costs no accuracy.
  for (std::size_t j = 0; j < theta.size(); ++j) mu[j] = theta[j] - range.highest;
  const auto curve = [&](double x) {
    const double t = phi.inverse(x);
    return RootSample{t, phi.mobility(t)};
  };
  const auto [lower, upper] = bracket(phi, range, total);
  const double tau = solve_threshold(mu, curve, lower, upper, mu, {.method = RootMethod::newton}, total).x;
  if (phi.upper() == infinity) return;
  // An entry at the upper end is there exactly, whatever rounding did to it.
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if ((theta[j] - range.highest) - tau >= phi.highest_slope()) mu[j] = phi.upper();
  }
}

double shift_for_sum(const Generator& phi, std::span<const double> theta, std::span<const double> offsets,
                     double total) {
  ScoreRange range;
  for (std::size_t j = 0; j < theta.size(); ++j) range.take(theta[j] + offsets[j]);
  const double reachable = std::min(total, range.count * phi.upper() * (1 - nearest));
  const auto excess = [&](double tau) {
    RootSample sum{-reachable, 0};
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const double t = phi.inverse(((theta[j] + offsets[j]) - range.highest) - tau);
      sum.value += t;
      sum.slope -= phi.mobility(t);
    }
    return sum;
  };
  const auto [lower, upper] = bracket(phi, range, reachable);
  const RootOptions options{.method = RootMethod::newton, .residual = sum_rounding * reachable};
  return -range.highest - find_root(excess, lower, upper, options).x;
}

std::size_t isotonic_bregman(const Generator& phi, std::span<const double> s, std::span<const double> w,
                             std::span<double> mu, std::span<std::uint32_t> ends, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  // Ends of the parts that are still to be tried, the first on top.
  const auto pending = scratch.take<std::uint32_t>(s.size() + 1);
  std::size_t depth = 0;
  std::size_t count = 0;
  std::size_t first = 0;
  if (!s.empty()) pending[depth++] = static_cast<std::uint32_t>(s.size());
  while (depth > 0) {
    const std::uint32_t end = pending[depth - 1];
    const std::size_t size = end - first;
    const Part part{s.subspan(first, size), w.subspan(first, size), mu.subspan(first, size)};
    std::size_t split = 0;
    if (part.w.front() == part.w.back()) {  // every entry has the only weight there is
      std::ranges::copy(part.w, part.mu.begin());
      for (std::size_t i = first + 1; i < end; ++i) ends[count++] = static_cast<std::uint32_t>(i);
    } else {
      split = part.split_at_median(phi, scratch);
      if (split == 0 || split == size) split = part.solve(phi);
    }
    if (split > 0) {
      pending[depth++] = static_cast<std::uint32_t>(first + split);
      continue;
    }
    ends[count++] = end;
    first = end;
    --depth;
  }
  return count;
}

}  // namespace fenchel
