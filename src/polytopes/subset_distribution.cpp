// SPDX-License-Identifier: Apache-2.0
#include "polytopes/subset_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

// The shift need not be exact: with a mean this close to k, k is still among the likeliest counts.
constexpr double mean_tolerance = 0.25;
constexpr int most_halvings = 2100;  // enough for any two numbers; a handful is usual

// τ such that Σ logistic(θ_i − τ) ≈ k.
double find_shift(std::span<const double> theta, std::size_t k, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto sorted = scratch.take<double>(theta.size());
  std::ranges::copy(theta, sorted.begin());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(sorted.begin(), middle, sorted.end(), std::greater<>());
  // This far above the k-th largest score, it and all smaller ones together add less than 1; this far below
  // the next, it and all larger ones together lack less than 1.
  const double reach = std::log(static_cast<double>(theta.size())) + 1;
  double lower = *middle - reach;
  double upper = *std::min_element(sorted.begin(), middle) + reach;
  double shift = lower / 2 + upper / 2;
  for (int i = 0; i < most_halvings && lower < shift && shift < upper; ++i) {
    double excess = -static_cast<double>(k);
    for (const double x : theta) excess += logistic(x - shift);
    if (std::abs(excess) <= mean_tolerance) break;
    (excess > 0 ? lower : upper) = shift;
    shift = lower / 2 + upper / 2;
  }
  return shift;
}

// Σ_j a_j b_{n−j} over the indices both have.
double convolution_at(std::span<const double> a, std::span<const double> b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j <= n; ++j) sum += a[j] * b[n - j];
  return sum;
}

}  // namespace

SubsetDistribution::SubsetDistribution(std::span<const double> theta, std::size_t k, Workspace& scratch)
    : theta_(theta),
      k_(k),
      counts_yes_(k <= theta.size() - k),
      target_(std::min(k, theta.size() - k)),
      shift_(find_shift(theta, k, scratch)),
      counted_(scratch.take<double>(theta.size())),
      uncounted_(scratch.take<double>(theta.size())) {
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double x = counts_yes_ ? theta[i] - shift_ : shift_ - theta[i];
    counted_[i] = logistic(x);
    uncounted_[i] = logistic(-x);
  }
}

SubsetDistribution::Counts SubsetDistribution::take_counts(bool moments, Workspace& scratch) const {
  Counts counts{scratch.take<double>(target_ + 1), {}};
  if (moments) counts.m = scratch.take<double>(target_ + 1);
  return counts;
}

// No items: a count of 0 is certain.
void SubsetDistribution::start(Counts counts) const {
  std::ranges::fill(counts.p, 0.0);
  std::ranges::fill(counts.m, 0.0);
  counts.p[0] = 1;
}

void SubsetDistribution::add(std::size_t item, Counts before, Counts after, std::span<const double> v) const {
  const double yes = counted_[item];
  const double no = uncounted_[item];
  after.p[0] = no * before.p[0];
  for (std::size_t j = 1; j <= target_; ++j) after.p[j] = no * before.p[j] + yes * before.p[j - 1];
  if (before.m.empty()) return;
  const double with_yes = counts_yes_ ? v[item] : 0;
  const double with_no = counts_yes_ ? 0 : v[item];
  after.m[0] = no * (before.m[0] + with_no * before.p[0]);
  for (std::size_t j = 1; j <= target_; ++j) {
    after.m[j] =
        no * (before.m[j] + with_no * before.p[j]) + yes * (before.m[j - 1] + with_yes * before.p[j - 1]);
  }
}

// Forward counts are kept at every √d-th item and made again in between, backward counts as they go: √d rows
// suffice for both. Returns the counts of all items.
SubsetDistribution::Counts SubsetDistribution::sweep(std::span<const double> v, Visit visit,
                                                     Workspace& scratch) const {
  const std::size_t d = theta_.size();
  const bool moments = !v.empty();
  const auto stretch = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(d))));
  const std::size_t stretches = (d + stretch - 1) / stretch;
  const auto kept = scratch.take<Counts>(stretches);
  const auto rows = scratch.take<Counts>(stretch + 1);
  for (Counts& counts : kept) counts = take_counts(moments, scratch);
  for (Counts& counts : rows) counts = take_counts(moments, scratch);
  const auto copy = [](Counts from, Counts to) {
    std::ranges::copy(from.p, to.p.begin());
    std::ranges::copy(from.m, to.m.begin());
  };
  Counts all = take_counts(moments, scratch);
  Counts next = take_counts(moments, scratch);
  start(all);
  for (std::size_t i = 0; i < d; ++i) {
    if (i % stretch == 0) copy(all, kept[i / stretch]);
    add(i, all, next, v);
    std::swap(all, next);
  }
  Counts after = take_counts(moments, scratch);
  start(after);
  for (std::size_t s = stretches; s-- > 0;) {
    const std::size_t first = s * stretch;
    const std::size_t last = std::min(first + stretch, d);
    copy(kept[s], rows[0]);
    for (std::size_t i = first; i + 1 < last; ++i) add(i, rows[i - first], rows[i - first + 1], v);
    for (std::size_t i = last; i-- > first;) {
      const Counts before = rows[i - first];
      // The item itself says yes: if yes is what is counted, one less is left to the others.
      const std::size_t others = counts_yes_ ? target_ - 1 : target_;
      const double m =
          moments ? convolution_at(before.m, after.p, others) + convolution_at(before.p, after.m, others) : 0;
      visit(i, convolution_at(before.p, after.p, others), m);
      add(i, after, next, v);
      std::swap(after, next);
    }
  }
  return all;
}

// Z = e^{kτ} Π (1 + e^{θ_i − τ}) · P(k), with the large terms of the exponent written as scores.
double SubsetDistribution::log_normalizer(double probability) const {
  double sum = 0;
  double above = 0;
  for (const double score : theta_) {
    if (score > shift_) {
      sum += score;
      above += 1;
    }
  }
  sum += (static_cast<double>(k_) - above) * shift_;
  for (const double score : theta_) sum += std::log1p(std::exp(-std::abs(score - shift_)));
  return sum + std::log(probability);
}

double SubsetDistribution::log_partition(Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  Counts all = take_counts(false, scratch);
  Counts next = take_counts(false, scratch);
  start(all);
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    add(i, all, next, {});
    std::swap(all, next);
  }
  return log_normalizer(all.p[target_]);
}

double SubsetDistribution::marginals(std::span<double> mu, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto yes = counts_yes_ ? counted_ : uncounted_;
  auto visit = [&](std::size_t i, double p, double) { mu[i] = yes[i] * p; };
  const double probability = sweep({}, visit, scratch).p[target_];
  for (double& entry : mu) entry = std::min(entry / probability, 1.0);
  return log_normalizer(probability);
}

void SubsetDistribution::covariance(std::span<const double> mu, std::span<const double> v,
                                    std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  // Σ y is constant, so v may be shifted: about its mean, nothing large cancels.
  double mean = 0;
  for (std::size_t i = 0; i < v.size(); ++i) mean += mu[i] * v[i] / static_cast<double>(k_);
  const auto centered = scratch.take<double>(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) centered[i] = v[i] - mean;
  auto visit = [&](std::size_t i, double p, double m) { out[i] = p > 0 ? m / p + centered[i] : 0; };
  const Counts all = sweep(centered, visit, scratch);
  const double expected = all.m[target_] / all.p[target_];
  for (std::size_t i = 0; i < v.size(); ++i) out[i] = mu[i] * (out[i] - expected);
}

void SubsetDistribution::sample(std::size_t draws, Random& random,
                                FunctionRef<void(std::span<const std::uint32_t>)> take,
                                Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const std::size_t d = theta_.size();
  const auto items = scratch.take<std::uint32_t>(k_);
  const auto table = scratch.take<double>((d + 1) * (target_ + 1));
  const auto row = [&](std::size_t i) {  // the counts of the items from i on
    return Counts{table.subspan(i * (target_ + 1), target_ + 1), {}};
  };
  start(row(d));
  for (std::size_t i = d; i-- > 0;) add(i, row(i + 1), row(i), {});
  for (std::size_t draw = 0; draw < draws; ++draw) {
    std::size_t left = target_;
    std::size_t size = 0;
    for (std::size_t i = 0; i < d; ++i) {
      // Where only the counted answer is possible, both sides are the same product: it is always drawn.
      const bool counted =
          left > 0 && random.uniform() * row(i).p[left] < counted_[i] * row(i + 1).p[left - 1];
      left -= counted ? 1 : 0;
      if (counted == counts_yes_) items[size++] = static_cast<std::uint32_t>(i);
    }
    take(items.first(size));
  }
}

}  // namespace fenchel
