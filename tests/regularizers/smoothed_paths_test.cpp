// SPDX-License-Identifier: Apache-2.0
// Smoothed dynamic programmes: the exact cases, derivatives as differences, and Ω as the sum over a chain of
// choices. Properties of every Ω are in tests/properties.
#include "fenchel/regularizers/smoothed_paths.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fenchel/polytopes/alignment.hpp"
#include "fenchel/polytopes/birkhoff.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"
#include "fenchel/regularizers/combinators.hpp"
#include "fenchel/regularizers/marginal.hpp"
#include "fenchel/regularizers/renyi.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/regularizers/sigmoid.hpp"
#include "polytopes/chain_reference.hpp"

namespace fenchel::test {
namespace {

const std::vector<AnyRegularizer>& entropies() {
  static const std::vector<AnyRegularizer> list{Shannon{}, Tsallis{2}, Tsallis{1.5}, Tsallis{1.2}};
  return list;
}

struct Found {
  double value;
  Numbers mu;
};

Found found(const AnyRegularizer& omega, const Numbers& theta) {
  Found result{0, Numbers(theta.size())};
  omega.predict(theta, result.mu, thread_workspace());
  result.value = omega.conjugate(theta, result.mu);
  return result;
}

Numbers product(const AnyRegularizer& omega, const Numbers& theta, const Numbers& v) {
  Numbers out(theta.size());
  omega.jvp(theta, found(omega, theta).mu, v, out, thread_workspace());
  return out;
}

Numbers moved(Numbers theta, double step, const Numbers& v) {
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += step * v[k];
  return theta;
}

std::vector<AnyPolytope> sets() {
  return {Sequence{.n = 6, .m = 4}, Sequence{.n = 1, .m = 3}, Chain{.n = 5, .m = 3, .boundary = true},
          Alignment{.m = 4, .n = 5}, Alignment{.m = 5, .n = 5, .band = 1}};
}

TEST(SmoothedPaths, ShannonIsTheRandomField) {
  Random random(1);
  for (const AnyPolytope& set : sets()) {
    const AnyRegularizer paths = SmoothedPaths{set, Shannon{}}, field = Marginal{set};
    for (const double scale : {0.1, 1.0, 30.0, 1e3}) {
      const Numbers theta = random_numbers(random, set.dimension(), scale);
      const Found a = found(paths, theta), b = found(field, theta);
      EXPECT_NEAR(a.value, b.value, 1e-13 * std::max(1.0, std::abs(b.value)));
      EXPECT_LE(largest_difference(a.mu, b.mu), 1e-13 * std::max(1.0, scale));
      const Numbers v = random_numbers(random, set.dimension(), 1);
      EXPECT_LE(largest_difference(product(paths, theta, v), product(field, theta, v)),
                1e-12 * std::max(1.0, scale));
    }
  }
}

TEST(SmoothedPaths, TemperatureIsThatOfTheMaxima) {
  Random random(2);
  const AnyPolytope set = Alignment{.m = 4, .n = 4};
  const Numbers cost = random_numbers(random, set.dimension(), 1);
  Numbers theta = cost;
  for (double& entry : theta) entry = -entry;
  const AnyRegularizer omega = Temperature{SmoothedPaths{set, Shannon{}}, 0.3};
  EXPECT_NEAR(found(omega, theta).value, -soft_dtw({cost.data(), 4, 4}, {.gamma = 0.3}), 1e-13);
}

// One step is a single maximum: sparsemax of the start scores, ½‖p‖² + τ + ½.
TEST(SmoothedPaths, GiniOfOneStepIsSparsemax) {
  const Numbers theta{1.0, 9, 9, 0.5, 9, 9, -2.0, 9, 9};
  const Found one = found(SmoothedPaths{Sequence{.n = 1, .m = 3}}, theta);
  EXPECT_EQ(one.mu, (Numbers{0.75, 0, 0, 0.25, 0, 0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(one.value, 0.75 * 1 + 0.25 * 0.5 - 0.5 * (0.75 * 0.75 + 0.25 * 0.25) + 0.5);
}

TEST(SmoothedPaths, DerivativesAreDifferences) {
  Random random(3);
  constexpr double h = 1e-6;
  for (const AnyPolytope& set : sets()) {
    for (const AnyRegularizer& entropy : entropies()) {
      const AnyRegularizer omega = SmoothedPaths{set, entropy};
      const Numbers theta = random_numbers(random, set.dimension(), 1);
      const Numbers v = random_numbers(random, set.dimension(), 1);
      const Found ahead = found(omega, moved(theta, h, v)), behind = found(omega, moved(theta, -h, v));
      const Numbers mu = found(omega, theta).mu;
      EXPECT_NEAR(std::inner_product(v.begin(), v.end(), mu.begin(), 0.0),
                  (ahead.value - behind.value) / (2 * h), 1e-7);
      Numbers differences = moved(ahead.mu, -1, behind.mu);
      for (double& entry : differences) entry /= 2 * h;
      EXPECT_LE(largest_difference(product(omega, theta, v), differences), 1e-6);
    }
  }
}

// Ω(μ) of a sequence is Σ over states of how often they are met times Ψ of the choice made there.
TEST(SmoothedPaths, ValueIsASumOfChoices) {
  Random random(4);
  const Sequence set{.n = 4, .m = 3};
  for (const AnyRegularizer& entropy : entropies()) {
    const AnyRegularizer omega = SmoothedPaths{set, entropy};
    const Numbers theta = random_numbers(random, set.dimension(), 1);
    const Found at = found(omega, theta);
    double expected = 0;
    Numbers last(set.m);
    for (std::size_t t = 0; t < set.n; ++t) {
      for (std::size_t i = 0; i < set.m; ++i) {
        Numbers row(at.mu.begin() + static_cast<std::ptrdiff_t>((t * set.m + i) * set.m),
                    at.mu.begin() + static_cast<std::ptrdiff_t>((t * set.m + i + 1) * set.m));
        const double weight = std::accumulate(row.begin(), row.end(), 0.0);
        if (t + 1 == set.n) last[i] = weight;
        if (t == 0 || weight == 0) continue;
        for (double& entry : row) entry /= weight;
        expected += weight * entropy.value(row);
      }
    }
    expected += entropy.value(last);
    // At a prediction, Ω(μ) = ⟨θ, μ⟩ − Ω*(θ).
    double score = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) score += theta[k] * at.mu[k];
    EXPECT_NEAR(score - at.value, expected, 1e-12);
  }
}

TEST(SmoothedPaths, PredictionsAreInThePolytopeAndSparse) {
  Random random(5);
  const Sequence set{.n = 8, .m = 6};
  for (const double scale : {0.05, 1.0, 1e3}) {
    for (const AnyRegularizer& entropy : entropies()) {
      const Numbers theta = with_masks(random, random_numbers(random, set.dimension(), scale), 0.1);
      const Numbers mu = found(SmoothedPaths{set, entropy}, theta).mu;
      EXPECT_NO_THROW(set.check_point("mu", mu));
      const auto zeros = std::count(mu.begin(), mu.end(), 0.0);
      if (entropy.refined_traits().entmax_order == 2 && scale == 1) {
        EXPECT_GT(zeros, 200);
      }
      for (std::size_t k = 0; k < mu.size(); ++k) {
        if (theta[k] == masked) {
          EXPECT_EQ(mu[k], 0);
        }
      }
    }
  }
}

TEST(SmoothedPaths, ColdIsViterbi) {
  Random random(6);
  for (const AnyPolytope& set : sets()) {
    const Numbers theta = random_numbers(random, set.dimension(), 1);
    Structure best;
    const double score = set.map(theta, best, thread_workspace());
    Numbers vertex(theta.size());
    write(best, vertex);
    for (const AnyRegularizer& entropy : entropies()) {
      const Found cold = found(Temperature{SmoothedPaths{set, entropy}, 1e-4}, theta);
      EXPECT_NEAR(cold.value, score, 1e-11);
      EXPECT_LE(largest_difference(cold.mu, vertex), 1e-11);
    }
  }
}

TEST(SmoothedPaths, LargeShiftsKeepTheDigits) {
  Random random(7);
  const AnyPolytope set = Sequence{.n = 50, .m = 3};
  const AnyRegularizer omega = SmoothedPaths{set};
  const Numbers theta = random_numbers(random, set.dimension(), 1);
  Numbers shifted = theta;
  for (double& entry : shifted) entry = (entry + 1e6) - 1e6;  // what the shift leaves of the scores
  const Numbers expected = found(omega, shifted).mu;
  for (double& entry : shifted) entry += 1e6;
  EXPECT_LE(largest_difference(found(omega, shifted).mu, expected), 1e-11);
}

TEST(SmoothedPaths, RefusesWhatItCannotTake) {
  EXPECT_THROW((AnyRegularizer(SmoothedPaths{Birkhoff{3}})), std::invalid_argument);
  EXPECT_THROW((AnyRegularizer(SmoothedPaths{Sequence{2, 2}, Sigmoid{}})), std::invalid_argument);
  EXPECT_THROW((AnyRegularizer(SmoothedPaths{Sequence{2, 2}, Renyi{2}})), std::invalid_argument);
  const AnyRegularizer omega = SmoothedPaths{Sequence{2, 2}};
  const Numbers none(8, masked);
  EXPECT_THROW(found(omega, none), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
