// SPDX-License-Identifier: Apache-2.0
// Penalties: values, proximity operators and conjugates against their definitions.
#include "fenchel/training/penalty.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace fenchel::test {
namespace {

const std::vector<Penalty>& penalties() {
  static const std::vector<Penalty> all{NoPenalty{},     L2(0.7),
                                        L1(0.4),         ElasticNet(0.5, 0.8),
                                        GroupLasso(0.6), Penalty{.l2 = 0.3, .l1 = 0.2, .group = 0.5}};
  return all;
}

TEST(Penalty, ValuesAreTheirFormulas) {
  const Vector w{3, -4, 0, 0, 1, 0};
  EXPECT_DOUBLE_EQ(L2(2).value(w, 2), 26);
  EXPECT_DOUBLE_EQ(L1(2).value(w, 2), 16);
  EXPECT_DOUBLE_EQ(ElasticNet(2, 0.5).value(w, 2), 26 + 8);
  EXPECT_DOUBLE_EQ(GroupLasso(2).value(w, 2), 2 * (5 + 0 + 1));
  EXPECT_DOUBLE_EQ(NoPenalty().value(w, 2), 0);
}

// prox minimises ½‖u − w‖² + step · G(u): nothing nearby is lower.
TEST(Penalty, ProxMinimises) {
  Random random(1);
  for (const Penalty& penalty : penalties()) {
    for (const double step : {0.1, 1.0, 3.0}) {
      const Vector w = normal_vector(random, 12, 1.5);
      Vector full = w, rest = w;
      penalty.full_prox(step, 3, full);
      penalty.prox(step, 3, rest);
      const auto objective = [&](const Vector& u, double smooth) {
        const Vector gap = moved(u, -1, w);
        return 0.5 * dot(gap, gap) + step * (penalty.value(u, 3) - smooth * penalty.smooth_value(u));
      };
      for (int trial = 0; trial < 50; ++trial) {
        const Vector v = normal_vector(random, 12, trial % 2 == 0 ? 0.1 : 1e-4);
        EXPECT_LE(objective(full, 0), objective(moved(full, 1, v), 0) + 1e-14);
        EXPECT_LE(objective(rest, 1), objective(moved(rest, 1, v), 1) + 1e-14);
      }
    }
  }
}

// G(w) + G*(v) ≥ ⟨w, v⟩, with equality at w = ∇G*(v).
TEST(Penalty, ConjugatesByFenchelYoung) {
  Random random(2);
  for (const Penalty& penalty : penalties()) {
    for (int trial = 0; trial < 20; ++trial) {
      const Vector v = normal_vector(random, 12, 0.8);
      const double conjugate = penalty.conjugate(v, 3);
      const Vector w = normal_vector(random, 12);
      EXPECT_GE(penalty.value(w, 3) + conjugate, dot(w, v) - 1e-12);
      if (penalty.l2 == 0) continue;
      Vector best(12);
      penalty.conjugate_gradient(v, 3, best);
      EXPECT_NEAR(penalty.value(best, 3) + conjugate, dot(best, v), 1e-12);
    }
  }
  EXPECT_EQ(L1(1).conjugate(Vector{0.9, -1}, 1), 0);
  EXPECT_EQ(L1(1).conjugate(Vector{0.9, -1.1}, 1), infinity);
  EXPECT_EQ(GroupLasso(1).conjugate(Vector{0.6, -0.8}, 2), 0);
  EXPECT_EQ(NoPenalty().conjugate(Vector{1e-9}, 1), infinity);
}

TEST(Penalty, StrengthsAreChecked) {
  EXPECT_THROW(L2(-1).check(), std::invalid_argument);
  EXPECT_THROW(L1(std::nan("")).check(), std::invalid_argument);
  EXPECT_THROW(GroupLasso(infinity).check(), std::invalid_argument);
  EXPECT_NO_THROW(ElasticNet(1, 0.5).check());
}

}  // namespace
}  // namespace fenchel::test
