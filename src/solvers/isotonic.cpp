// SPDX-License-Identifier: Apache-2.0
#include "solvers/isotonic.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "kernels/pool.hpp"

namespace fenchel {
namespace {

// Every kind of block can `pool`: absorb the next block if that one has the larger value (values must
// descend), and say whether it did.

// Σ e^x = e^{top} · scaled: a sum of exponentials that neither overflows nor underflows.
struct ScaledSum {
  double top;
  double scaled;

  // `ratio` is e^{next.top − top}, known already.
  void merge(const ScaledSum& next, double ratio) {
    if (next.top <= top) {
      scaled += next.scaled * ratio;
    } else {
      scaled = next.scaled + scaled * std::exp(top - next.top);
      top = next.top;
    }
  }
};

// A block of the Kullback-Leibler fit with plain weights; its value is log Σ e^s − log Σ w. Without weight it
// is +inf, and two infinite ones are pooled as well. A comparison takes one exponential, which then serves
// the sum.
struct KlBlock {
  ScaledSum scores;
  double weight;

  bool pool(const KlBlock& next) {
    if (weight == 0 && next.weight != 0) return false;
    const double ratio = std::exp(next.scores.top - scores.top);
    if (next.weight != 0 && scores.scaled * next.weight >= next.scores.scaled * weight * ratio) return false;
    scores.merge(next.scores, ratio);
    weight += next.weight;
    return true;
  }
};

// The same with weights given by their logarithms.
struct LogKlBlock {
  ScaledSum scores;
  ScaledSum weights;

  bool below(const LogKlBlock& next) const {
    if (next.weights.top == -infinity) return true;
    if (weights.top == -infinity) return false;
    const double gap = (next.scores.top - scores.top) - (next.weights.top - weights.top);
    // The scaled sums are between 1 and n < 2^32, so beyond e^{±large_gap} the exponents decide.
    constexpr double large_gap = 100;
    if (std::abs(gap) > large_gap) return gap > 0;
    return scores.scaled * next.weights.scaled < next.scores.scaled * weights.scaled * std::exp(gap);
  }
  bool pool(const LogKlBlock& next) {
    if (!below(next)) return false;
    scores.merge(next.scores, std::exp(next.scores.top - scores.top));
    if (next.weights.top != -infinity) weights.merge(next.weights, std::exp(next.weights.top - weights.top));
    return true;
  }
};

// Pools adjacent violators: `entry(i)` is the block of entry i alone.
template <class Block, class Entry>
std::size_t pool(std::size_t n, Entry entry, Block* blocks, std::uint32_t* ends) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Block last = entry(i);
    while (count > 0 && blocks[count - 1].pool(last)) last = blocks[--count];
    blocks[count] = last;
    ends[count++] = static_cast<std::uint32_t>(i + 1);
  }
  return count;
}

// Writes the value of every block over its entries. Most blocks are short, and a loop of unknown length costs
// a mispredicted branch each, so a few entries are written at once; the next block overwrites any excess.
void write_means(std::span<const kernels::MeanBlock> blocks, const std::uint32_t* ends, std::span<double> v) {
  constexpr std::size_t width = 4;
  std::size_t i = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const double mean = blocks[b].sum / blocks[b].weight;
    if (i + width <= v.size()) {
      for (std::size_t k = 0; k < width; ++k) v[i + k] = mean;
      i += width;
    }
    for (; i < ends[b]; ++i) v[i] = mean;
    i = ends[b];
  }
}

std::size_t fit_means(std::span<const double> sums, std::span<const double> weights, std::span<double> v,
                      std::span<std::uint32_t> ends, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto blocks = scratch.take<kernels::MeanBlock>(sums.size() + kernels::pool_padding);
  const auto padded = scratch.take<std::uint32_t>(sums.size() + kernels::pool_padding);
  const std::size_t count = kernels::pool_means(sums, weights, blocks, padded);
  if (!v.empty()) write_means(blocks.first(count), padded.data(), v);
  std::ranges::copy(padded.first(count), ends.begin());
  return count;
}

}  // namespace

std::size_t isotonic_regression(std::span<const double> y, std::span<double> v, std::span<std::uint32_t> ends,
                                Workspace& scratch) {
  return fit_means(y, {}, v, ends, scratch);
}

std::size_t isotonic_regression(std::span<const double> y, std::span<const double> weights,
                                std::span<double> v, std::span<std::uint32_t> ends, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto sums = scratch.take<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) sums[i] = weights[i] * y[i];
  return fit_means(sums, weights, v, ends, scratch);
}

std::size_t isotonic_blocks(std::span<const double> sums, std::span<const double> weights,
                            std::span<std::uint32_t> ends, Workspace& scratch) {
  return fit_means(sums, weights, {}, ends, scratch);
}

std::size_t isotonic_kl_blocks(std::span<const double> s, std::span<const double> weights,
                               std::span<std::uint32_t> ends, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto blocks = scratch.take<KlBlock>(s.size());
  const auto entry = [&](std::size_t i) { return KlBlock{{s[i], 1}, weights[i]}; };
  return pool<KlBlock>(s.size(), entry, blocks.data(), ends.data());
}

std::size_t isotonic_log_kl_blocks(std::span<const double> s, std::span<const double> log_weights,
                                   std::span<std::uint32_t> ends, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto blocks = scratch.take<LogKlBlock>(s.size());
  const auto entry = [&](std::size_t i) { return LogKlBlock{{s[i], 1}, {log_weights[i], 1}}; };
  return pool<LogKlBlock>(s.size(), entry, blocks.data(), ends.data());
}

std::size_t isotonic_kl(std::span<const double> s, std::span<const double> log_weights, std::span<double> v,
                        std::span<std::uint32_t> ends, Workspace& scratch) {
  const std::size_t count = isotonic_log_kl_blocks(s, log_weights, ends, scratch);
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t size = ends[b] - first;
    const double value = log_sum_exp(s.subspan(first, size)) - log_sum_exp(log_weights.subspan(first, size));
    std::ranges::fill(v.subspan(first, size), value);
    first = ends[b];
  }
  return count;
}

void isotonic_regression(std::span<const double> y, std::span<double> v, std::span<const double> weights) {
  check_size("v", v.size(), y.size());
  check_finite("y", y);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto ends = scratch.take<std::uint32_t>(y.size());
  if (weights.empty()) {
    isotonic_regression(y, v, ends, scratch);
    return;
  }
  check_size("weights", weights.size(), y.size());
  check_finite("weights", weights);
  for (std::size_t i = 0; i < weights.size(); ++i) check_greater(entry_name("weights", -1, i), weights[i], 0);
  isotonic_regression(y, weights, v, ends, scratch);
}

void isotonic_kl(std::span<const double> s, std::span<const double> log_weights, std::span<double> v) {
  check_size("v", v.size(), s.size());
  check_size("log_weights", log_weights.size(), s.size());
  check_finite("s", s);
  check_scores("log_weights", log_weights, Domain::cube);
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  isotonic_kl(s, log_weights, v, scratch.take<std::uint32_t>(s.size()), scratch);
}

double log_sum_exp(std::span<const double> s) {
  const double top = max_of(s);
  if (top == -infinity) return -infinity;
  double sum = 0;
  for (const double entry : s) sum += std::exp(entry - top);
  return top + std::log(sum);
}

}  // namespace fenchel
