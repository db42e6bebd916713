// SPDX-License-Identifier: Apache-2.0
// The kernels of chains on every instruction set of this CPU against plain sums in long double.
#include "kernels/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "kernels/reference.hpp"

namespace fenchel::test {
namespace {

using Numbers = std::vector<double>;
constexpr double masked = -std::numeric_limits<double>::infinity();

Numbers scores(std::size_t count, double scale, std::uint64_t seed) {
  Random random(seed);
  Numbers theta(count);
  for (double& entry : theta) entry = scale * random.normal();
  return theta;
}

/// The forward and backward recursions, straight from their definition.
struct Reference {
  Numbers mu;
  double log_partition;

  Reference(const Numbers& theta, std::size_t m) : mu(theta.size()) {
    const std::size_t n = theta.size() / (m * m);
    std::vector<long double> alpha(n * m, 0);
    std::vector<long double> beta(n * m, 1);
    const auto weight = [&](std::size_t t, std::size_t i, std::size_t j) {
      return t == 0 && j > 0 ? 0 : std::exp(static_cast<long double>(theta[(t * m + i) * m + j]));
    };
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j)
          alpha[t * m + i] += weight(t, i, j) * (t == 0 ? 1 : alpha[(t - 1) * m + j]);
      }
    }
    for (std::size_t t = n - 1; t > 0; --t) {
      for (std::size_t j = 0; j < m; ++j) {
        long double sum = 0;
        for (std::size_t i = 0; i < m; ++i) sum += weight(t, i, j) * beta[t * m + i];
        beta[(t - 1) * m + j] = sum;
      }
    }
    long double z = 0;
    for (std::size_t i = 0; i < m; ++i) z += alpha[(n - 1) * m + i];
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          const long double before = t == 0 ? 1 : alpha[(t - 1) * m + j];
          mu[(t * m + i) * m + j] = static_cast<double>(before * weight(t, i, j) * beta[t * m + i] / z);
        }
      }
    }
    log_partition = static_cast<double>(std::log(z));
  }
};

void expect_near(const Numbers& actual, const Numbers& expected, double tolerance, const std::string& what) {
  for (std::size_t k = 0; k < actual.size(); ++k)
    ASSERT_NEAR(actual[k], expected[k], tolerance) << what << " at " << k;
}

TEST(ChainKernels, MarginalsOnEveryTarget) {
  Workspace scratch;
  for (std::size_t m = 2; m <= 19; ++m) {
    for (const double scale : {0.1, 5.0}) {
      Numbers theta = scores(4 * m * m, scale, m);
      theta[m * m + 1] = theta[2 * m * m + m] = masked;
      const Reference expected(theta, m);
      for_each_target([&](const std::string& target) {
        const std::string what = target + " m=" + std::to_string(m);
        Numbers mu(theta.size(), std::nan(""));  // what was there before must not matter
        const auto log_z = kernels::chain_marginals(theta, m, mu, scratch);
        ASSERT_TRUE(log_z.has_value()) << what;
        EXPECT_NEAR(*log_z, expected.log_partition, 1e-13) << what;
        EXPECT_EQ(kernels::chain_marginals(theta, m, {}, scratch), log_z) << what;
        expect_near(mu, expected.mu, 1e-14, what);
      });
    }
  }
}

/// The edge marginals of a shared chain, from its scores written out as edges.
TEST(ChainKernels, SharedMarginalsOnEveryTarget) {
  Workspace scratch;
  constexpr std::size_t n = 5;
  for (std::size_t m = 1; m <= 19; ++m) {
    const Numbers nodes = scores(n * m, 2, m);
    const Numbers transitions = scores(m * m, 2, 100 + m);
    Numbers theta(n * m * m);
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          theta[(t * m + i) * m + j] = nodes[t * m + i] + (t == 0 ? 0 : transitions[j * m + i]);
        }
      }
    }
    const Reference expected(theta, m);
    Numbers counts(m * m);
    for (std::size_t t = 1; t < n; ++t) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) counts[j * m + i] += expected.mu[(t * m + i) * m + j];
      }
    }
    for_each_target([&](const std::string& target) {
      const std::string what = target + " m=" + std::to_string(m);
      Numbers node_mu(n * m);
      Numbers transition_mu(m * m);
      const auto log_z =
          kernels::shared_chain_marginals({nodes, transitions, m}, {node_mu, transition_mu}, scratch);
      ASSERT_TRUE(log_z.has_value()) << what;
      EXPECT_NEAR(*log_z, expected.log_partition, 1e-13) << what;
      expect_near(transition_mu, counts, 1e-13, what);
    });
  }
}

/// Cov v for v = θ itself: a derivative of the reference along the scores.
TEST(ChainKernels, CovariancesOnEveryTarget) {
  Workspace scratch;
  constexpr double h = 1e-5;
  for (std::size_t m = 1; m <= 11; ++m) {
    const Numbers theta = scores(4 * m * m, 1, m);
    Numbers ahead = theta;
    Numbers behind = theta;
    for (double& entry : ahead) entry *= 1 + h;
    for (double& entry : behind) entry *= 1 - h;
    const Numbers mu = Reference(theta, m).mu;
    Numbers expected = Reference(ahead, m).mu;
    const Numbers other = Reference(behind, m).mu;
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = (expected[k] - other[k]) / (2 * h);
    for_each_target([&](const std::string& target) {
      Numbers out(theta.size(), std::nan(""));
      kernels::chain_covariance(mu, m, theta, out, scratch);
      expect_near(out, expected, 1e-8, target + " m=" + std::to_string(m));
    });
  }
}

TEST(ChainKernels, MaximaOnEveryTarget) {
  for (std::size_t m = 1; m <= 19; ++m) {
    Numbers edges = scores(m * m, 1, m);
    const Numbers previous = scores(m, 1, 50 + m);
    for (std::size_t j = 0; j < m; ++j) edges[j] = masked;  // a row without a way in
    Numbers expected(m, masked);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) expected[i] = std::max(expected[i], edges[i * m + j] + previous[j]);
    }
    for_each_target([&](const std::string& target) {
      Numbers out(m);
      kernels::chain_max(edges, previous, out);
      EXPECT_EQ(out, expected) << target << " m=" << m;
    });
  }
}

TEST(ChainKernels, SayWhereTheLinearDomainEnds) {
  Workspace scratch;
  constexpr std::size_t m = 4;
  Numbers theta(3 * m * m, 0.0);
  Numbers mu(theta.size());
  theta[m * m + 3] = -kernels::chain_spread;
  EXPECT_TRUE(kernels::chain_marginals(theta, m, mu, scratch).has_value());
  theta[m * m + 3] = -kernels::chain_spread - 1;
  EXPECT_FALSE(kernels::chain_marginals(theta, m, mu, scratch).has_value());
  theta[m * m + 3] = masked;
  EXPECT_TRUE(kernels::chain_marginals(theta, m, mu, scratch).has_value());
  std::fill(theta.begin() + 2 * m * m, theta.end(), masked);
  EXPECT_EQ(kernels::chain_marginals(theta, m, mu, scratch), masked);
}

}  // namespace
}  // namespace fenchel::test
