// SPDX-License-Identifier: Apache-2.0
// What the tests of sequences and chains compare with: every tag sequence with its vector, built from the
// definition of the layout, and expectations over all of them in long double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "polytopes/chi_squared.hpp"

namespace fenchel::test {

using Numbers = std::vector<double>;
using Tags = std::vector<int>;

inline constexpr double masked = -std::numeric_limits<double>::infinity();

inline std::vector<Tags> all_tags(std::size_t n, std::size_t m) {
  std::vector<Tags> all{{}};
  for (std::size_t t = 0; t < n; ++t) {
    std::vector<Tags> longer;
    for (const Tags& tags : all) {
      for (std::size_t i = 0; i < m; ++i) {
        longer.push_back(tags);
        longer.back().push_back(static_cast<int>(i));
      }
    }
    all = longer;
  }
  return all;
}

inline Numbers vector_of(const Sequence& set, const Tags& tags) {
  Numbers y(set.n * set.m * set.m);
  for (std::size_t t = 0; t < set.n; ++t) {
    const auto i = static_cast<std::size_t>(tags[t]);
    const auto j = t == 0 ? 0 : static_cast<std::size_t>(tags[t - 1]);
    y[t * set.m * set.m + i * set.m + j] = 1;
  }
  return y;
}

inline Numbers vector_of(const Chain& set, const Tags& tags) {
  Numbers y(set.n * set.m + set.m * set.m + (set.boundary ? 2 * set.m : 0));
  for (std::size_t t = 0; t < set.n; ++t) {
    const auto i = static_cast<std::size_t>(tags[t]);
    y[t * set.m + i] = 1;
    if (t > 0) y[set.n * set.m + static_cast<std::size_t>(tags[t - 1]) * set.m + i] += 1;
  }
  if (set.boundary) {
    const std::size_t start = set.n * set.m + set.m * set.m;
    y[start + static_cast<std::size_t>(tags.front())] = 1;
    y[start + set.m + static_cast<std::size_t>(tags.back())] = 1;
  }
  return y;
}

/// Every structure with its score and probability, and what follows from them.
struct Enumeration {
  std::vector<Numbers> vertices;
  std::vector<long double> scores;
  std::vector<long double> probabilities;
  long double log_partition = 0;
  Numbers mean;

  template <class Set>
  Enumeration(const Set& set, const Numbers& theta) {
    for (const Tags& tags : all_tags(set.n, set.m)) vertices.push_back(vector_of(set, tags));
    for (const Numbers& y : vertices) {
      long double score = 0;
      for (std::size_t k = 0; k < y.size(); ++k) {
        if (y[k] != 0) score += static_cast<long double>(theta[k]) * y[k];
      }
      scores.push_back(score);
    }
    const long double top = *std::max_element(scores.begin(), scores.end());
    long double sum = 0;
    for (const long double score : scores) sum += std::exp(score - top);
    log_partition = top + std::log(sum);
    std::vector<long double> expectation(theta.size());
    for (std::size_t s = 0; s < scores.size(); ++s) {
      probabilities.push_back(std::exp(scores[s] - top) / sum);
      for (std::size_t k = 0; k < theta.size(); ++k) expectation[k] += probabilities[s] * vertices[s][k];
    }
    mean.assign(expectation.begin(), expectation.end());
  }

  double best() const { return static_cast<double>(*std::max_element(scores.begin(), scores.end())); }

  Numbers covariance_times(const Numbers& v) const {
    std::vector<long double> out(mean.size());
    for (std::size_t s = 0; s < scores.size(); ++s) {
      long double along = 0;
      for (std::size_t k = 0; k < v.size(); ++k) {
        along += (static_cast<long double>(vertices[s][k]) - mean[k]) * v[k];
      }
      for (std::size_t k = 0; k < v.size(); ++k) {
        out[k] += probabilities[s] * along * (static_cast<long double>(vertices[s][k]) - mean[k]);
      }
    }
    return {out.begin(), out.end()};
  }
};

inline Numbers random_numbers(Random& random, std::size_t count, double scale, double shift = 0) {
  Numbers values(count);
  for (double& value : values) value = shift + scale * random.normal();
  return values;
}

/// Some entries masked.
inline Numbers with_masks(Random& random, Numbers theta, double share) {
  for (double& entry : theta) entry = random.uniform() < share ? masked : entry;
  return theta;
}

inline double largest_difference(const Numbers& a, const Numbers& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(a[k] - b[k]);
    largest = difference <= largest ? largest : difference;  // keeps a NaN
  }
  return largest;
}

template <class Set>
Numbers dense(const Set& set, const Structure& y) {
  Numbers out(set.dimension());
  write(y, out);
  return out;
}

template <class Set>
Numbers marginals_of(const Set& set, const Numbers& theta) {
  Numbers mu(set.dimension());
  set.marginals(theta, mu, thread_workspace());
  return mu;
}

/// Scores of the same spread as the entries round to: an error of a few roundings of them is an error of p.
inline double tolerance_of(double scale) { return 1e-13 * std::max(1.0, scale); }

template <class Set>
void expect_inference(const Set& set, const Numbers& theta, double tolerance, const std::string& what) {
  Workspace& scratch = thread_workspace();
  const Enumeration all(set, theta);
  Structure best;
  const double score = set.map(theta, best, scratch);
  if (all.best() == masked) {
    EXPECT_EQ(score, masked) << what;
    EXPECT_TRUE(best.indices.empty()) << what;
    Numbers mu(set.dimension());
    EXPECT_EQ(set.marginals(theta, mu, scratch), masked) << what;
    EXPECT_EQ(set.log_partition(theta, scratch), masked) << what;
    return;
  }
  const double size = std::max(1.0, std::abs(all.best()));
  EXPECT_NEAR(score, all.best(), 1e-14 * size) << what;
  EXPECT_NEAR(dot(best, theta), all.best(), 1e-14 * size) << what;
  EXPECT_EQ(dense(set, best), vector_of(set, set.tags(best))) << what;
  Numbers mu(set.dimension());
  const double log_z = set.marginals(theta, mu, scratch);
  const auto expected = static_cast<double>(all.log_partition);
  EXPECT_NEAR(log_z, expected, 1e-13 * std::max(1.0, std::abs(expected))) << what;
  EXPECT_NEAR(set.log_partition(theta, scratch), log_z, 1e-14 * std::max(1.0, std::abs(log_z))) << what;
  EXPECT_LE(largest_difference(mu, all.mean), tolerance) << what;
  for (std::size_t k = 0; k < mu.size(); ++k) {
    if (theta[k] == masked) {
      EXPECT_EQ(mu[k], 0) << what;
    }
  }
  set.check_point("mu", mu);
  Random random(7);
  const Numbers v = random_numbers(random, set.dimension(), 1);
  Numbers product(set.dimension());
  set.marginals_jvp(theta, mu, v, product, scratch);
  const double size_of_product = static_cast<double>(set.n * set.n);
  EXPECT_LE(largest_difference(product, all.covariance_times(v)), tolerance * size_of_product) << what;
}

template <class Set>
void expect_k_best(const Set& set, const Numbers& theta, std::size_t k, const std::string& what) {
  const Enumeration all(set, theta);
  std::vector<long double> sorted;
  for (const long double score : all.scores) {
    if (score != masked) sorted.push_back(score);
  }
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  sorted.resize(std::min(k, sorted.size()));
  std::vector<Structure> found(1);
  set.k_best(theta, k, found, thread_workspace());
  ASSERT_EQ(found.size(), sorted.size()) << what;
  std::map<Tags, int> seen;
  for (std::size_t r = 0; r < found.size(); ++r) {
    const auto expected = static_cast<double>(sorted[r]);
    EXPECT_NEAR(dot(found[r], theta), expected, 1e-13 * std::max(1.0, std::abs(expected)))
        << what << " rank " << r;
    EXPECT_EQ(++seen[set.tags(found[r])], 1) << what << ": a structure twice";
  }
}

/// χ² of the frequencies of all structures; structures expected less than five times are pooled.
template <class Set>
void expect_samples(const Set& set, const Numbers& theta, std::uint64_t seed) {
  constexpr std::size_t count = 20000;
  const Enumeration all(set, theta);
  std::vector<Structure> draws(count);
  Random random(seed);
  set.sample(theta, random, draws, thread_workspace());
  std::map<Tags, std::size_t> counts;
  for (const Structure& draw : draws) ++counts[set.tags(draw)];
  const std::vector<Tags> tags = all_tags(set.n, set.m);
  double statistic = 0;
  double pooled_expected = 0;
  double pooled_seen = 0;
  int cells = 0;
  for (std::size_t s = 0; s < tags.size(); ++s) {
    const double expected = count * static_cast<double>(all.probabilities[s]);
    const auto seen = static_cast<double>(counts[tags[s]]);
    if (expected == 0) {
      EXPECT_EQ(seen, 0) << "a forbidden structure was drawn";
    }
    if (expected < 5) {
      pooled_expected += expected;
      pooled_seen += seen;
      continue;
    }
    statistic += (seen - expected) * (seen - expected) / expected;
    ++cells;
  }
  if (pooled_expected > 5) {
    statistic += (pooled_seen - pooled_expected) * (pooled_seen - pooled_expected) / pooled_expected;
    ++cells;
  }
  ASSERT_GT(cells, 1);
  EXPECT_GT(chi_squared_tail(statistic, cells - 1), 1e-4);
}

/// Everything above over the examples of a set: score scales, shifts, ties, masks.
template <class Set>
void expect_examples() {
  Random random(11);
  for (const Set& set : Set::examples()) {
    const std::size_t d = set.dimension();
    const std::string name = "n=" + std::to_string(set.n) + " m=" + std::to_string(set.m) + " ";
    set.check();
    for (const double scale : {0.05, 1.0, 8.0, 1e3}) {
      for (int seed = 0; seed < 3; ++seed) {
        const Numbers theta = random_numbers(random, d, scale);
        expect_inference(set, theta, tolerance_of(scale), name + "scale " + std::to_string(scale));
        for (const double share : {0.2, 0.5}) {
          expect_inference(set, with_masks(random, theta, share), tolerance_of(scale), name + "masks");
        }
        expect_k_best(set, theta, 5, name + "5 best");
        expect_k_best(set, with_masks(random, theta, 0.3), 7, name + "7 best of masked");
      }
    }
    expect_k_best(set, Numbers(d, 0.5), 100000, name + "all best of ties");
    expect_inference(set, Numbers(d, 0.0), 1e-15, name + "zeros");
    expect_inference(set, Numbers(d, masked), 1e-15, name + "all masked");
    // Multiples of 2^-20 near 1e6 are exact, so only the algorithm could lose digits here.
    Numbers far = random_numbers(random, d, 1);
    for (double& entry : far) entry = (entry < 0 ? -1e6 : 1e6) + std::round(entry * 1048576) / 1048576;
    expect_inference(set, far, 1e-9, name + "±1e6");
    for (double& entry : far) entry = std::abs(entry);
    expect_inference(set, far, 1e-13, name + "shift 1e6");
  }
}

/// marginals = differences of log Z, their product with the covariance = differences of the marginals, on a
/// set that is too large to enumerate.
template <class Set>
void expect_derivatives(const Set& set, double scale) {
  Random random(5);
  Workspace& scratch = thread_workspace();
  const Numbers theta = random_numbers(random, set.dimension(), scale);
  const Numbers v = random_numbers(random, set.dimension(), 1);
  // The cube root of the machine epsilon, roughly: the best for central differences.
  constexpr double h = 1e-5;
  Numbers ahead = theta;
  Numbers behind = theta;
  for (std::size_t k = 0; k < v.size(); ++k) {
    ahead[k] += h * v[k];
    behind[k] -= h * v[k];
  }
  const Numbers mu = marginals_of(set, theta);
  const double slope = (set.log_partition(ahead, scratch) - set.log_partition(behind, scratch)) / (2 * h);
  EXPECT_NEAR(std::inner_product(v.begin(), v.end(), mu.begin(), 0.0), slope, 1e-7);
  Numbers differences = marginals_of(set, ahead);
  const Numbers other = marginals_of(set, behind);
  for (std::size_t k = 0; k < v.size(); ++k) differences[k] = (differences[k] - other[k]) / (2 * h);
  Numbers product(v.size());
  set.marginals_jvp(theta, mu, v, product, scratch);
  EXPECT_LE(largest_difference(product, differences), 1e-7);
}

}  // namespace fenchel::test
