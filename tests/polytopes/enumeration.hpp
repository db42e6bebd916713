// SPDX-License-Identifier: Apache-2.0
// The oracles of a polytope against the list of its vertices: everything from the definitions, by sums and
// comparisons over all of Y.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"
#include "polytopes/chi_squared.hpp"

namespace fenchel::test::enumeration {

using Numbers = std::vector<double>;
using Vertices = std::vector<Numbers>;

inline constexpr double masked = -std::numeric_limits<double>::infinity();

inline Numbers random_scores(Random& random, std::size_t d, double scale) {
  Numbers theta(d);
  for (double& entry : theta) entry = scale * random.normal();
  return theta;
}

/// ⟨θ, y⟩ where a mask meets nothing unless y uses it.
inline double product(const Numbers& theta, const Numbers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] == 0 ? 0 : theta[i] * y[i];
  return sum;
}

inline Numbers dense(const Structure& y, std::size_t d) {
  Numbers out(d);
  write(y, out);
  return out;
}

inline double largest(const Numbers& values) {
  double top = 0;
  for (const double value : values) top = std::isfinite(value) ? std::max(top, std::abs(value)) : top;
  return top;
}

inline Numbers moved(Numbers a, double t, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += t * b[i];
  return a;
}

inline void expect_close(const Numbers& got, const Numbers& expected, double tolerance,
                         const std::string& what) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << what << " entry " << i;
  }
}

/// argmin over conv(Y) of ½‖μ − θ‖², which has to converge.
template <class P>
Numbers project(const P& set, const Numbers& theta) {
  Numbers out(theta.size());
  EXPECT_TRUE(set.project(theta, out, thread_workspace()).converged());
  return out;
}

/// argmax over conv(Y) of ⟨θ, μ⟩ − Σ μ log μ, which has to converge.
template <class P>
Numbers project_kl(const P& set, const Numbers& theta) {
  Numbers out(theta.size());
  EXPECT_TRUE(set.project_kl(theta, out, thread_workspace()).converged());
  return out;
}

/// The structure is in canonical form: increasing indices, no zeros, no values where all are one.
inline void expect_canonical(const Structure& y) {
  EXPECT_TRUE(std::is_sorted(y.indices.begin(), y.indices.end()));
  EXPECT_EQ(std::adjacent_find(y.indices.begin(), y.indices.end()), y.indices.end());
  if (y.values.empty()) return;
  EXPECT_EQ(y.values.size(), y.indices.size());
  EXPECT_FALSE(std::ranges::all_of(y.values, [](double value) { return value == 1; }));
  EXPECT_EQ(std::ranges::count(y.values, 0.0), 0);
}

template <class P>
void expect_map(const P& set, const Vertices& all, const Numbers& theta) {
  double best = masked;
  for (const Numbers& y : all) best = std::max(best, product(theta, y));
  Structure y;
  const double got = set.map(theta, y, thread_workspace());
  if (best == masked) {
    EXPECT_EQ(got, masked);
    return;
  }
  expect_canonical(y);
  EXPECT_NEAR(got, best, 1e-13 * (1 + largest(theta) * static_cast<double>(theta.size())));
  EXPECT_NEAR(product(theta, dense(y, theta.size())), best, 1e-13 * (1 + std::abs(best)));
  EXPECT_NE(std::ranges::find(all, dense(y, theta.size())), all.end());
}

/// log Z and E[Y] by summing over Y.
struct Sums {
  double log_z;
  Numbers mean;
  Numbers probabilities;

  Sums(const Vertices& all, const Numbers& theta) : mean(theta.size()) {
    double top = masked;
    for (const Numbers& y : all) top = std::max(top, product(theta, y));
    double total = 0;
    for (const Numbers& y : all) {
      probabilities.push_back(top == masked ? 0 : std::exp(product(theta, y) - top));
      total += probabilities.back();
    }
    log_z = top == masked ? masked : top + std::log(total);
    for (std::size_t i = 0; i < all.size() && top != masked; ++i) {
      probabilities[i] /= total;
      mean = moved(mean, probabilities[i], all[i]);
    }
  }

  /// Cov[Y] v.
  Numbers covariance(const Vertices& all, const Numbers& v) const {
    Numbers out(mean.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Numbers difference = moved(all[i], -1, mean);
      out = moved(out, probabilities[i] * product(v, difference), difference);
    }
    return out;
  }
};

template <class P>
void expect_marginals(const P& set, const Vertices& all, const Numbers& theta, const Numbers& v) {
  const Sums sums(all, theta);
  Numbers mu(theta.size());
  const double log_z = set.marginals(theta, mu, thread_workspace());
  const double tolerance = 1e-13 * (1 + std::abs(sums.log_z));
  if (sums.log_z == masked) {
    EXPECT_EQ(log_z, masked);
    EXPECT_EQ(set.log_partition(theta, thread_workspace()), masked);
    return;
  }
  EXPECT_NEAR(log_z, sums.log_z, tolerance);
  EXPECT_NEAR(set.log_partition(theta, thread_workspace()), sums.log_z, tolerance);
  const double accuracy = 1e-13 * (1 + largest(theta));  // what rounding the exponents costs the sums above
  for (std::size_t i = 0; i < mu.size(); ++i) {
    EXPECT_NEAR(mu[i], sums.mean[i], accuracy * sums.mean[i] + 1e-300) << "marginal " << i;
  }
  Numbers product_with_v(theta.size());
  set.marginals_jvp(theta, mu, v, product_with_v, thread_workspace());
  expect_close(product_with_v, sums.covariance(all, v), 1e-12 * (1 + largest(theta)), "covariance");
}

/// No vertex improves ½‖μ − θ‖² to first order, and μ is in conv(Y).
template <class P>
void expect_projection(const P& set, const Vertices& all, const Numbers& theta) {
  Numbers mu(theta.size());
  const Report report = set.project(theta, mu, thread_workspace());
  ASSERT_TRUE(report.converged());
  EXPECT_NO_THROW(set.check_point("mu", mu));
  for (const Numbers& y : all) {
    double slope = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (theta[i] == masked) {
        EXPECT_EQ(mu[i], 0);
      } else {
        slope += (theta[i] - mu[i]) * (y[i] - mu[i]);
      }
    }
    if (product(theta, y) == masked) continue;
    EXPECT_LE(slope, 1e-13 * (1 + largest(theta)));
  }
}

/// The same for ⟨θ, μ⟩ − Σ μ log μ.
template <class P>
void expect_kl_projection(const P& set, const Vertices& all, const Numbers& theta) {
  Numbers mu(theta.size());
  const Report report = set.project_kl(theta, mu, thread_workspace());
  ASSERT_TRUE(report.converged());
  EXPECT_NO_THROW(set.check_point("mu", mu));
  for (const Numbers& y : all) {
    if (product(theta, y) == masked) continue;
    double slope = 0;
    bool vanishes = false;  // y uses an entry that has underflowed, where the slope is not known
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (theta[i] == masked) {
        EXPECT_EQ(mu[i], 0);
      } else if (mu[i] > 1e-290) {
        slope += (theta[i] - std::log(mu[i]) - 1) * (y[i] - mu[i]);
      } else {
        EXPECT_TRUE(y[i] == 0 || theta[i] < *std::ranges::max_element(theta) - 500) << "entry " << i;
        vanishes = vanishes || y[i] != 0;
      }
    }
    EXPECT_TRUE(vanishes || slope <= 1e-12 * (1 + largest(theta))) << slope;
  }
}

/// A Jacobian product against differences of the map, where the map has no kink.
template <class Map, class Product>
void expect_jacobian(Map map, Product times, const Numbers& theta, const Numbers& v) {
  constexpr double h = 1e-6;
  const Numbers mu = map(theta);
  const Numbers up = map(moved(theta, h, v));
  const Numbers down = map(moved(theta, -h, v));
  const Numbers got = times(theta, mu, v);
  double bend = 0;
  for (std::size_t i = 0; i < mu.size(); ++i)
    bend = std::max(bend, std::abs(up[i] - 2 * mu[i] + down[i]) / h);
  if (bend > 1e-4) return;
  for (std::size_t i = 0; i < mu.size(); ++i)
    EXPECT_NEAR(got[i], (up[i] - down[i]) / (2 * h), 1e-5 * (1 + std::abs(got[i])));
}

template <class P>
void expect_projection_jacobians(const P& set, const Numbers& theta, const Numbers& v) {
  Workspace& scratch = thread_workspace();
  const auto project = [&](const Numbers& at) {
    Numbers out(at.size());
    set.project(at, out, scratch);
    return out;
  };
  const auto project_kl = [&](const Numbers& at) {
    Numbers out(at.size());
    set.project_kl(at, out, scratch);
    return out;
  };
  const auto times = [&](const Numbers& at, const Numbers& mu, const Numbers& direction) {
    Numbers out(at.size());
    set.project_jvp(at, mu, direction, out, scratch);
    return out;
  };
  const auto times_kl = [&](const Numbers& at, const Numbers& mu, const Numbers& direction) {
    Numbers out(at.size());
    set.project_kl_jvp(at, mu, direction, out, scratch);
    return out;
  };
  expect_jacobian(project, times, theta, v);
  expect_jacobian(project_kl, times_kl, theta, v);
}

/// The k best are different, and their values are the k largest.
template <class P>
void expect_k_best(const P& set, const Vertices& all, const Numbers& theta) {
  Numbers values;
  for (const Numbers& y : all) {
    if (product(theta, y) != masked) values.push_back(product(theta, y));
  }
  std::ranges::sort(values, std::greater<>());
  for (const std::size_t k :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, all.size() + 3}) {
    std::vector<Structure> structures(3);
    set.k_best(theta, k, structures, thread_workspace());
    ASSERT_EQ(structures.size(), std::min(k, values.size()));
    Vertices seen;
    for (std::size_t i = 0; i < structures.size(); ++i) {
      expect_canonical(structures[i]);
      const Numbers y = dense(structures[i], theta.size());
      EXPECT_NEAR(product(theta, y), values[i], 1e-12 * (1 + largest(theta)));
      EXPECT_NE(std::ranges::find(all, y), all.end());
      EXPECT_EQ(std::ranges::find(seen, y), seen.end()) << "twice";
      seen.push_back(y);
    }
  }
}

/// χ² of the frequencies; rare vertices are pooled.
template <class P>
void expect_samples(const P& set, const Vertices& all, const Numbers& theta, std::uint64_t seed) {
  constexpr std::size_t count = 20000;
  Random random(seed);
  std::vector<Structure> draws(count);
  set.sample(theta, random, draws, thread_workspace());
  std::map<Numbers, double> frequencies;
  for (const Structure& draw : draws) {
    expect_canonical(draw);
    frequencies[dense(draw, theta.size())] += 1;
  }
  const Sums sums(all, theta);
  double statistic = 0;
  double rare_expected = 0;
  double rare = count;
  int cells = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double expected = count * sums.probabilities[i];
    const double seen = frequencies[all[i]];
    EXPECT_TRUE(sums.probabilities[i] > 0 || seen == 0);
    if (expected < 10) {
      rare_expected += expected;
      continue;
    }
    statistic += (seen - expected) * (seen - expected) / expected;
    rare -= seen;
    ++cells;
  }
  if (rare_expected >= 1) {
    statistic += (rare - rare_expected) * (rare - rare_expected) / rare_expected;
    ++cells;
  }
  if (cells < 2) return;
  EXPECT_GT(chi_squared_tail(statistic, cells - 1), 1e-4);
}

/// Everything, over scales, ties and masks.
template <class P>
void expect_everything(const P& set, const Vertices& all) {
  Random random(all.size() + 11);
  const std::size_t d = set.dimension();
  for (const double scale : {0.0, 0.05, 1.0, 8.0, 1e3}) {
    for (int seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(std::string(P::traits.name) + " d " + std::to_string(d) + " scale " +
                   std::to_string(scale));
      Numbers theta = random_scores(random, d, scale);
      const Numbers v = random_scores(random, d, 1);
      if (seed == 1) {
        for (double& entry : theta) entry = std::round(2 * entry) / 2;  // ties
      }
      if (seed == 2) {
        for (double& entry : theta) entry += 1e6;
      }
      expect_map(set, all, theta);
      expect_projection(set, all, theta);
      expect_kl_projection(set, all, theta);
      expect_k_best(set, all, theta);
      if (seed == 0 && scale > 0 && scale < 100) expect_projection_jacobians(set, theta, v);
      if constexpr (requires { set.marginals(theta, theta, thread_workspace()); })
        expect_marginals(set, all, theta, v);
    }
  }
}

}  // namespace fenchel::test::enumeration
