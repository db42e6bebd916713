// SPDX-License-Identifier: Apache-2.0
// The matrix-tree theorem at hard scores: Arborescence's marginals against determinants and inverses of the
// Laplacian in thousands of digits, and against a plain elimination in long double for many words. Every
// marginal, however small, must be right relative to itself.
#include "kernels/matrix_tree.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "fenchel/polytopes/arborescence.hpp"
#include "kernels/reference.hpp"
#include "polytopes/arborescence_reference.hpp"

namespace fenchel::test {
namespace {

namespace mp = boost::multiprecision;
// At gaps of ±500 nearly 900 digits cancel.
using Wide = mp::number<mp::cpp_bin_float<1000>, mp::et_off>;

constexpr double tolerance = 1e-12;  // bounds the rounding of n additions and of exp

struct WideResult {
  double log_z;
  std::vector<Wide> marginals;
};

struct Inverse {
  Wide determinant;
  std::vector<Wide> entries;
};

/// Gauss-Jordan with row pivoting.
Inverse invert(std::vector<Wide> a, std::size_t n) {
  Inverse result{Wide(1), std::vector<Wide>(n * n)};
  for (std::size_t i = 0; i < n; ++i) result.entries[i * n + i] = 1;
  auto& b = result.entries;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (abs(a[i * n + k]) > abs(a[pivot * n + k])) pivot = i;
    }
    if (pivot != k) {
      result.determinant = -result.determinant;
      for (std::size_t j = 0; j < n; ++j) {
        std::swap(a[k * n + j], a[pivot * n + j]);
        std::swap(b[k * n + j], b[pivot * n + j]);
      }
    }
    result.determinant *= a[k * n + k];
    const Wide inverse = 1 / a[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k * n + j] *= inverse;
      b[k * n + j] *= inverse;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Wide factor = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) {
        if (j > k) a[i * n + j] -= factor * a[k * n + j];
        b[i * n + j] -= factor * b[k * n + j];
      }
    }
  }
  return result;
}

// Scores are multiples of 1/grid, so that their exponentials are powers of one number.
constexpr int grid = 256;

Scores on_grid(Scores theta) {
  for (double& score : theta) score = std::round(score * grid) / grid;
  return theta;
}

std::vector<Wide> weights_of(const Scores& theta) {
  static const Wide base = exp(Wide(1) / grid);
  static const Wide inverse = 1 / base;
  std::vector<Wide> weights;
  for (const double score : theta) {
    const int power = static_cast<int>(score * grid);
    weights.push_back(pow(power < 0 ? inverse : base, std::abs(power)));
  }
  return weights;
}

double log_of(const Wide& x) {
  int exponent = 0;
  const auto mantissa = static_cast<double>(frexp(x, &exponent));
  return std::log(mantissa) + exponent * std::log(2.0);
}

/// Z = det L and its derivatives. For a single root the first row of L is replaced by the root's weights (Koo
/// et al.).
WideResult wide_marginals(const Arborescence& set, const std::vector<Wide>& w) {
  const std::size_t n = set.n;
  std::vector<Wide> laplacian(n * n);
  for (std::size_t m = 0; m < n; ++m) {
    Wide sum = set.single_root ? Wide(0) : w[m * n + m];
    for (std::size_t h = 0; h < n; ++h) {
      if (h == m) continue;
      sum += w[h * n + m];
      laplacian[h * n + m] = -w[h * n + m];
    }
    laplacian[m * n + m] = sum;
  }
  if (set.single_root) {
    for (std::size_t m = 0; m < n; ++m) laplacian[m] = w[m * n + m];
  }
  const Inverse inverse = invert(laplacian, n);
  WideResult result{log_of(inverse.determinant), std::vector<Wide>(n * n)};
  const auto g = [&](std::size_t m, std::size_t h) { return inverse.entries[m * n + h]; };
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      Wide slope;  // ∂ log det/∂w(h, m): the entries of L that hold it
      if (h == m) {
        slope = set.single_root ? g(m, 0) : g(m, m);
      } else {
        const bool diagonal = !set.single_root || m != 0;
        const bool arc = !set.single_root || h != 0;
        slope = (diagonal ? g(m, m) : Wide(0)) - (arc ? g(m, h) : Wide(0));
      }
      result.marginals[h * n + m] = w[h * n + m] * slope;
    }
  }
  return result;
}

struct HardCase {
  std::size_t n;
  double gap;
};

class HardScores : public testing::TestWithParam<HardCase> {};

TEST_P(HardScores, MarginalsAgreeWithManyDigits) {
  Workspace scratch;
  const std::size_t n = GetParam().n;
  for (const bool single_root : {false, true}) {
    const Arborescence set{n, single_root};
    const Scores theta = on_grid(cyclic_scores(n, GetParam().gap, n));
    const WideResult expected = wide_marginals(set, weights_of(theta));
    Scores mu(n * n);
    const double log_z = set.marginals(theta, mu, scratch);
    EXPECT_NEAR(log_z, expected.log_z, 1e-14 * std::abs(expected.log_z));
    EXPECT_NEAR(set.log_partition(theta, scratch), expected.log_z, 1e-14 * std::abs(expected.log_z));
    for (std::size_t i = 0; i < mu.size(); ++i) {
      const auto marginal = static_cast<double>(expected.marginals[i]);
      EXPECT_NEAR(mu[i], marginal, tolerance * marginal + 1e-300) << describe(set) << ' ' << i;
    }
  }
}

TEST_P(HardScores, CovarianceProductsAgreeWithManyDigits) {
  const std::size_t n = std::min<std::size_t>(GetParam().n, 8);
  Workspace scratch;
  for (const bool single_root : {false, true}) {
    const Arborescence set{n, single_root};
    const Scores theta = on_grid(cyclic_scores(n, GetParam().gap, n + 1));
    const Scores v = normal_scores(n, 1, 5);
    const Wide step = ldexp(Wide(1), -200);
    std::vector<Wide> up = weights_of(theta);
    std::vector<Wide> down = up;
    for (std::size_t i = 0; i < v.size(); ++i) {
      up[i] *= 1 + step * v[i];
      down[i] *= 1 - step * v[i];
    }
    const WideResult above = wide_marginals(set, up);
    const WideResult below = wide_marginals(set, down);
    Scores mu(n * n);
    Scores out(n * n);
    set.marginals(theta, mu, scratch);
    set.marginals_jvp(theta, mu, v, out, scratch);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto expected = static_cast<double>((above.marginals[i] - below.marginals[i]) / (2 * step));
      EXPECT_NEAR(out[i], expected, 10 * tolerance * mu[i] + 1e-290) << describe(set) << ' ' << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gaps, HardScores,
                         testing::Values(HardCase{9, 10}, HardCase{10, 100}, HardCase{12, 140},
                                         HardCase{8, 280}, HardCase{14, 500}, HardCase{22, 500}),
                         [](const auto& info) {
                           return std::to_string(info.param.n) + "Words" +
                                  std::to_string(static_cast<int>(info.param.gap));
                         });

/// The marginals of one word by elimination of all others, in an order of its own; long double holds
/// e^±11000.
std::vector<long double> heads_of_word(std::size_t n, const Scores& theta, std::size_t word,
                                       bool single_root) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < n; ++k) {
    if ((k * 77 + 5) % n != word) order.push_back((k * 77 + 5) % n);
  }
  order.push_back(word);
  std::vector<std::vector<long double>> w(n + 1, std::vector<long double>(n));
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t h = 0; h < n; ++h)
      w[h][m] = h == m ? 0 : std::exp(static_cast<long double>(theta[h * n + m]));
    // A root weight below all others by e^-4000: one child.
    w[n][m] = std::exp(static_cast<long double>(theta[m * n + m]) - (single_root ? 4000 : 0));
  }
  const auto original = w;
  std::vector<std::vector<long double>> f(n, std::vector<long double>(n + 1));
  for (std::size_t t = 0; t + 1 < n; ++t) {
    const std::size_t k = order[t];
    long double rate = w[n][k];
    for (std::size_t u = t + 1; u < n; ++u) rate += w[order[u]][k];
    for (std::size_t u = t + 1; u < n; ++u) f[k][order[u]] = w[order[u]][k] / rate;
    f[k][n] = w[n][k] / rate;
    for (std::size_t a = t + 1; a < n; ++a) {
      const std::size_t m = order[a];
      for (std::size_t b = t + 1; b < n; ++b) {
        if (a != b) w[order[b]][m] += f[k][order[b]] * w[k][m];
      }
      w[n][m] += f[k][n] * w[k][m];
    }
  }
  std::vector<long double> meeting(n, 0);
  for (std::size_t t = n - 1; t-- > 0;) {
    const std::size_t k = order[t];
    meeting[k] = f[k][n];
    for (std::size_t u = t + 1; u < n; ++u) meeting[k] += f[k][order[u]] * meeting[order[u]];
  }
  std::vector<long double> heads(n);
  for (std::size_t h = 0; h < n; ++h) {
    heads[h] = (h == word ? original[n][word] : original[h][word] * meeting[h]) / w[n][word];
  }
  return heads;
}

TEST(MatrixTree, TwoHundredWords) {
  constexpr std::size_t n = 200;
  Workspace scratch;
  for (const double gap : {50.0, 500.0}) {
    for (const bool single_root : {false, true}) {
      const Scores theta = cyclic_scores(n, gap, 1);
      Scores mu(n * n);
      Arborescence{n, single_root}.marginals(theta, mu, scratch);
      const auto expected = heads_of_word(n, theta, 123, single_root);
      for (std::size_t h = 0; h < n; ++h) {
        const auto marginal = static_cast<double>(expected[h]);
        EXPECT_NEAR(mu[h * n + 123], marginal, tolerance * marginal + 1e-300)
            << gap << ' ' << single_root << ' ' << h;
      }
      double largest = 0;
      for (std::size_t m = 0; m < n; ++m) {
        double sum = 0;
        for (std::size_t h = 0; h < n; ++h) sum += mu[h * n + m];
        largest = std::max(largest, std::abs(sum - 1));
      }
      EXPECT_LT(largest, tolerance);
    }
  }
}

TEST(MatrixTree, EveryInstructionSetAgrees) {
  Workspace scratch;
  for (const std::size_t n : {2, 5, 13, 30}) {
    constexpr std::size_t rows = 5;
    Scores thetas;
    std::vector<std::vector<long double>> expected;
    for (std::size_t i = 0; i < rows; ++i) {
      const Scores theta = cyclic_scores(n, 40, i);
      thetas.insert(thetas.end(), theta.begin(), theta.end());
      expected.push_back(heads_of_word(n, theta, n / 2, false));
    }
    for_each_target([&](const std::string& target) {
      Scores mus(thetas.size());
      Scores log_z(rows);
      kernels::matrix_tree_marginals({n, false}, {thetas.data(), rows, n * n}, {mus.data(), rows, n * n},
                                     log_z, scratch);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t h = 0; h < n; ++h) {
          const auto marginal = static_cast<double>(expected[i][h]);
          EXPECT_NEAR(mus[i * n * n + h * n + n / 2], marginal, tolerance * marginal)
              << target << ' ' << i << ' ' << h;
        }
      }
    });
  }
}

TEST(MatrixTree, KernelLeavesWhatDoublesCannotHold) {
  Workspace scratch;
  Scores mu(16);
  const auto log_z = [&](const Scores& theta, bool single_root) {
    double result = 0;
    kernels::matrix_tree_marginals({4, single_root}, {theta.data(), 1, 16}, {mu.data(), 1, 16}, {&result, 1},
                                   scratch);
    return result;
  };
  const Scores theta = normal_scores(4, 1, 2);
  EXPECT_FALSE(std::isnan(log_z(theta, false)));
  EXPECT_FALSE(std::isnan(log_z(theta, true)));
  Scores wide = theta;
  wide[5] -= 400;
  EXPECT_TRUE(std::isnan(log_z(wide, false)));
  EXPECT_TRUE(std::isnan(log_z(wide, true)));
  Scores masked = theta;
  masked[1] = -std::numeric_limits<double>::infinity();
  EXPECT_FALSE(std::isnan(log_z(masked, false)));
  EXPECT_TRUE(std::isnan(log_z(masked, true)));
  for (const std::size_t i : {0, 5, 10, 15}) masked[i] = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(log_z(masked, false)));
}

}  // namespace
}  // namespace fenchel::test
