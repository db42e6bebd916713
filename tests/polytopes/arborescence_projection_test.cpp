// SPDX-License-Identifier: Apache-2.0
// The projection onto the arborescence polytope against the active set method, which only uses trees: flat
// and steep scores, one root or more, masks, ties, shifts; membership by maximum flow; the Jacobian.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "solvers/root_cut.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

constexpr double accuracy = 1e-10;

Vector projected(const Arborescence& set, const Vector& theta) {
  Vector mu(theta.size(), 7);
  const Report report = set.project(theta, mu, thread_workspace());
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.residual, 1e-11);
  return mu;
}

// By the active set method.
Vector mixed(const Arborescence& set, const Vector& theta) {
  Mixture mixture;
  Vector mu(theta.size());
  AnyPolytope(set).project(theta, mixture, mu, thread_workspace());
  return mu;
}

void expect_inside(const Arborescence& set, const Vector& mu) {
  EXPECT_NO_THROW(set.check_point("mu", mu));
  const std::size_t n = set.n;
  Vector into(n * n);
  for (std::size_t j = 0; j < n * n; ++j) into[j % n * n + j / n] = mu[j];
  Workspace scratch;
  RootCut({into.data(), n, n}, scratch).find(accuracy, [](std::span<const std::uint32_t>, double inflow) {
    ADD_FAILURE() << "only " << inflow << " flows into some set";
  });
}

void expect_projection(const Arborescence& set, const Vector& theta) {
  const Vector mu = projected(set, theta);
  expect_inside(set, mu);
  EXPECT_LE(max_difference(mu, mixed(set, theta)), accuracy);
}

TEST(ArborescenceProjection, IsThatOfTheActiveSet) {
  Random random(17);
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {1, 2, 3, 4, 6, 9, 14, 20}) {
      for (const double scale : {0.01, 0.05, 0.3, 1.0, 1.5, 2.0, 3.0, 30.0}) {
        SCOPED_TRACE(testing::Message() << n << " words, scale " << scale << ", single root " << single_root);
        expect_projection({n, single_root}, normal_vector(random, n * n, scale));
      }
    }
  }
}

TEST(ArborescenceProjection, OfLongSentences) {
  Random random(18);
  for (const bool single_root : {false, true}) {
    for (const double scale : {0.5, 1.0, 2.0}) {
      expect_projection({40, single_root}, normal_vector(random, 1600, scale));
    }
    // Here the active set would need minutes: a point inside conv(Y) without a gap is proof enough.
    const Arborescence set{120, single_root};
    for (const double scale : {0.05, 0.4}) {
      expect_inside(set, projected(set, normal_vector(random, set.dimension(), scale)));
    }
  }
}

TEST(ArborescenceProjection, KeepsMasksAtZero) {
  Random random(19);
  int allowed = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(trial % 13);
    const Arborescence set{n, trial % 2 == 0};
    Vector theta = normal_vector(random, n * n, trial % 3 == 0 ? 0.1 : 0.8);
    for (double& score : theta) score = random.uniform() < 0.5 ? mask : score;
    Structure best;
    if (set.map(theta, best, thread_workspace()) == mask) {
      Vector mu(n * n);
      EXPECT_THROW(AnyPolytope(set).project(theta, mu, thread_workspace()), std::invalid_argument);
      continue;
    }
    ++allowed;
    expect_projection(set, theta);
    const Vector mu = projected(set, theta);
    for (std::size_t j = 0; j < mu.size(); ++j) EXPECT_TRUE(theta[j] > mask || mu[j] == 0);
  }
  EXPECT_GT(allowed, 40);
}

TEST(ArborescenceProjection, OfTiesAndEqualScores) {
  Random random(20);
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {1, 2, 3, 5, 8, 12}) {
      const Arborescence set{n, single_root};
      expect_projection(set, Vector(n * n, 0.0));
      expect_projection(set, Vector(n * n, -3.0));
      for (int trial = 0; trial < 10; ++trial) {
        Vector theta(n * n);
        for (double& score : theta) score = 0.5 * std::floor(3 * random.uniform());
        expect_projection(set, theta);
      }
    }
  }
}

TEST(ArborescenceProjection, OfLargeScores) {
  Random random(21);
  for (const bool single_root : {false, true}) {
    const Arborescence set{12, single_root};
    const Vector flat = normal_vector(random, set.dimension(), 0.2);
    // A shift of all scores, and of the root's alone, far beyond the size of the shares.
    EXPECT_LE(max_difference(projected(set, shifted(flat, 1024)), projected(set, flat)), 1e-12);
    Vector rooted = flat;
    for (std::size_t m = 0; m < set.n; ++m) rooted[m * set.n + m] -= 1024;
    expect_projection(set, rooted);
    for (const double scale : {1e6, 1e150}) expect_inside(set, projected(set, scaled(flat, scale)));
  }
}

// Scores `within` for heads of the same group of `size` words, −depth more for the root, plus noise.
Vector grouped(Random& random, const Arborescence& set, std::size_t size, double within, double depth,
               double noise) {
  Vector theta = normal_vector(random, set.dimension(), noise);
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const std::size_t h = j / set.n, m = j % set.n;
    theta[j] += (h / size == m / size ? within : 0) - (h == m ? depth : 0);
  }
  return theta;
}

// Mutual pairs have one good head each, and yet must send their shares to hundreds of others.
TEST(ArborescenceProjection, OfPairsWithoutOtherGoodHeads) {
  Random random(23);
  for (const bool single_root : {false, true}) {
    for (const double within : {0.99, 1.0, 3.0}) {
      for (const double noise : {0.0, 0.01}) {
        SCOPED_TRACE(testing::Message() << within << ", noise " << noise << ", single root " << single_root);
        const Arborescence few{14, single_root}, many{80, single_root};
        expect_projection(few, grouped(random, few, 2, within, within + 1, noise));
        const Vector theta = grouped(random, many, 2, within, within + 1, noise);
        Vector mu(theta.size());
        const Report report = many.project(theta, mu, thread_workspace());
        EXPECT_TRUE(report.converged());
        EXPECT_LT(report.iterations, 300);  // the active set needs thousands
        expect_inside(many, mu);
      }
    }
  }
}

// All words are in one set whose multiplier is about `depth`: sums of n² shares.
TEST(ArborescenceProjection, OfGroupsFarFromTheRoot) {
  Random random(24);
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {160, 200}) {
      for (const double depth : {2.0, 5.0, 100.0, 1000.0}) {
        SCOPED_TRACE(testing::Message() << n << " words, depth " << depth << ", single root " << single_root);
        const Arborescence set{n, single_root};
        Vector mu(set.dimension());
        const Report report = set.project(grouped(random, set, 4, 1, depth, 0), mu, thread_workspace());
        EXPECT_TRUE(report.converged());
        EXPECT_LE(report.residual, accuracy * std::max(1.0, depth / 100));
        ASSERT_LT(report.iterations, 100);
        expect_inside(set, mu);
      }
    }
  }
}

// Terms that every tree has change nothing: a constant on a column and, with one root, on the root.
TEST(ArborescenceProjection, OfShiftedColumns) {
  Random random(25);
  for (const bool single_root : {false, true}) {
    for (const double scale : {0.2, 2.0, 5.0}) {
      const Arborescence set{12, single_root};
      Vector theta = normal_vector(random, set.dimension(), scale);
      for (double& score : theta) score = std::round(score * 1024) / 1024;  // so that shifts are exact
      const Vector v = normal_vector(random, theta.size());
      Vector far = theta;
      for (std::size_t j = 0; j < far.size(); ++j) {
        const std::size_t h = j / set.n, m = j % set.n;
        far[j] += 0x1p33 * static_cast<double>(m) - (single_root && h == m ? 0x1p35 : 0);
      }
      const Vector mu = projected(set, theta);
      EXPECT_LE(max_difference(projected(set, far), mu), 1e-14);
      Vector product(theta.size()), far_product(theta.size());
      set.project_jvp(theta, mu, v, product, thread_workspace());
      set.project_jvp(far, mu, v, far_product, thread_workspace());
      EXPECT_LE(max_difference(far_product, product), 1e-14);
    }
  }
}

// The trees of the active set, which stops at a small gap, need not span the face of μ: no reference here.
TEST(ArborescenceProjection, JacobianIsThatOfFiniteDifferences) {
  Random random(22);
  for (const bool single_root : {false, true}) {
    for (const std::size_t n : {1, 3, 7, 12}) {
      for (const double scale : {0.05, 0.5, 1.0, 5.0}) {
        SCOPED_TRACE(testing::Message() << n << " words, scale " << scale << ", single root " << single_root);
        const Arborescence set{n, single_root};
        const Vector theta = normal_vector(random, n * n, scale);
        const Vector v = normal_vector(random, n * n);
        Vector product(n * n, 7);
        set.project_jvp(theta, projected(set, theta), v, product, thread_workspace());
        const double step = 1e-7;
        const Vector ahead = projected(set, moved(theta, step, v));
        const Vector behind = projected(set, moved(theta, -step, v));
        for (std::size_t j = 0; j < n * n; ++j) {
          EXPECT_NEAR((ahead[j] - behind[j]) / (2 * step), product[j], 1e-5);
        }
      }
    }
  }
}

}  // namespace
}  // namespace fenchel::test
