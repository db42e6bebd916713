// SPDX-License-Identifier: Apache-2.0
// How many structures structured sparsemax looks at, and what its report says of it.
#include "fenchel/regularizers/structured_sparsemax.hpp"

#include <gtest/gtest.h>

#include "fenchel/core/not_converged.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "structures.hpp"

namespace fenchel::test {
namespace {

constexpr std::size_t steps = 5, states = 3;

Report report_of(const StructuredSparsemax& omega, const Vector& theta) {
  Vector out(theta.size());
  return omega.predict(theta, out, thread_workspace());
}

TEST(StructuredSparsemax, RaisesKUntilExact) {
  Random random(1);
  const StructuredSparsemax omega{Sequence{steps, states}};
  // Small scores need many structures, large ones few.
  for (const double scale : {0.001, 0.05, 1.0, 8.0}) {
    const Vector theta = normal_vector(random, omega.polytope.dimension(), scale);
    const Report report = report_of(omega, theta);
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.residual, 0);
    const AnyRegularizer listed = MaximumEntropy{omega.polytope, Tsallis{2}};
    EXPECT_LE(max_difference(predict(omega, theta), predict(listed, theta)), 1e-12);
  }
}

TEST(StructuredSparsemax, WhatIsNotExactIsNotReturnedAlone) {
  const FenchelYoungLoss loss{StructuredSparsemax{Cube{40}}};
  const Vector equal(40, 0.0), y(40, 1.0);
  EXPECT_THROW(loss.predict(equal), NotConverged);
  EXPECT_THROW(loss.value(equal, y), NotConverged);
  EXPECT_THROW(loss.conjugate(equal), NotConverged);
  Vector out(40);
  EXPECT_EQ(loss.predict(equal, out).status, Status::max_iterations);
  EXPECT_NO_THROW(FenchelYoungLoss(StructuredSparsemax{Cube{40}, 3}).predict(equal)) << "as asked";
}

TEST(StructuredSparsemax, SaysWhenItIsAnApproximation) {
  const Vector equal(Sequence{steps, states}.dimension(), 0.0);  // all 243 sequences share the mass
  const Report fixed = report_of({Sequence{steps, states}, 4}, equal);
  EXPECT_EQ(fixed.status, Status::converged) << "as asked";
  EXPECT_EQ(fixed.iterations, 4);
  EXPECT_NEAR(fixed.residual, 0.25, 1e-12);  // the threshold is −1/4, the next score 0
  const Report capped = report_of({Sequence{steps, states}, 0, 100}, equal);
  EXPECT_EQ(capped.status, Status::max_iterations);
  EXPECT_EQ(capped.iterations, 100);
  EXPECT_TRUE(report_of({Sequence{steps, states}, 300}, equal).converged()) << "more than there are";
  EXPECT_TRUE(report_of({Sequence{steps, states}}, equal).converged());
}

TEST(StructuredSparsemax, ValueOffTheStructures) {
  // The mean of all four vertices of a square is that of two of them, but the entropy is that of all four.
  const StructuredSparsemax omega{Cube{2}};
  const auto solved = omega.solve_value(Vector{0.5, 0.5});
  EXPECT_TRUE(solved.report.converged());
  EXPECT_NEAR(solved.value, 0.5 * 0.25 - 0.5, 1e-9);
  EXPECT_EQ(omega.solve_value(Vector{1, 0}).value, 0);
}

}  // namespace
}  // namespace fenchel::test
