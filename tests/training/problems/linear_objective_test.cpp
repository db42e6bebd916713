// SPDX-License-Identifier: Apache-2.0
// F and ∇F of linear models against the definition and its finite differences, for dense and sparse features
// in both precisions, and the same bits for any number of threads.
#include "training/problems/linear_objective.hpp"

#include <gtest/gtest.h>

#include <array>

#include "fenchel/training/problem.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

template <class T>
void compare_with_definition(const AnyRegularizer& omega, const LinearShape& shape) {
  const LinearData<T> data(omega, shape);
  Random random(shape.seed + 99);
  const auto objective = make_linear_objective(*data.problem, 1);
  const Vector w = normal_vector(random, objective->shape().size, 0.5);
  Vector gradient(w.size());
  const double value = objective->evaluate(w, gradient);
  const double exact = plain_objective(*data.problem, w);
  const bool single = std::same_as<T, float>;
  EXPECT_NEAR(value, exact, (single ? 1e-5 : 1e-12) * (1 + std::abs(exact))) << test_name(omega);
  for (int direction = 0; direction < 3; ++direction) {
    const Vector v = normal_vector(random, w.size());
    const double h = 1e-5;
    const double slope =
        (plain_objective(*data.problem, moved(w, h, v)) - plain_objective(*data.problem, moved(w, -h, v))) /
        (2 * h);
    EXPECT_NEAR(dot(gradient, v), slope, (single ? 2e-5 : 2e-7) * (1 + std::abs(slope)) * 10)
        << test_name(omega) << " sparse " << shape.sparse << " outputs " << shape.outputs;
  }
}

TEST(LinearObjective, EqualsTheDefinition) {
  std::uint64_t seed = 1;
  for (const AnyRegularizer& omega :
       std::vector<AnyRegularizer>{Shannon{}, Tsallis{1.5}, Tsallis{2}, Squared{}, Sigmoid{}, OneVsAll{}}) {
    for (const bool sparse : {false, true}) {
      for (const Intercept intercept : {Intercept::free, Intercept::penalised, Intercept::none}) {
        for (const int mode : {0, 1, 2, 3}) {
          const LinearShape shape{.sparse = sparse,
                                  .labels = mode != 3,
                                  .weighted = mode == 1,
                                  .centered = mode == 2,
                                  .intercept = intercept,
                                  .seed = ++seed};
          compare_with_definition<double>(omega, shape);
          compare_with_definition<float>(omega, shape);
        }
      }
    }
  }
}

TEST(LinearObjective, WideOutputsAndLongRows) {
  for (const bool sparse : {false, true}) {
    compare_with_definition<double>(Shannon{},
                                    {.examples = 1100, .features = 5, .outputs = 40, .sparse = sparse});
    compare_with_definition<float>(Shannon{},
                                   {.examples = 300, .features = 130, .outputs = 33, .sparse = sparse});
    compare_with_definition<double>(Tsallis{1.5},
                                    {.examples = 20, .features = 2100, .sparse = sparse, .centered = true});
    compare_with_definition<double>(Shannon{},
                                    {.examples = 1, .features = 1, .outputs = 1, .sparse = sparse});
  }
}

TEST(LinearObjective, CostsAreAdded) {
  const LinearShape shape{.intercept = Intercept::none};
  LinearData<double> data(Tsallis{2}, shape);
  data.problem->loss = data.problem->loss.with_cost(zero_one_cost());
  const auto objective = make_linear_objective(*data.problem, 1);
  Random random(5);
  const Vector w = normal_vector(random, objective->shape().size);
  Vector gradient(w.size());
  EXPECT_NEAR(objective->evaluate(w, gradient), plain_objective(*data.problem, w), 1e-10);
}

template <class T>
void compare_threads(const LinearShape& shape) {
  const LinearData<T> data(Shannon{}, shape);
  Random random(3);
  const auto one = make_linear_objective(*data.problem, 1);
  const Vector w = normal_vector(random, one->shape().size, 0.1);
  Vector expected(w.size()), gradient(w.size());
  const double value = one->evaluate(w, expected);
  for (const int threads : {2, 3, 5}) {
    const auto several = make_linear_objective(*data.problem, threads);
    EXPECT_EQ(several->evaluate(w, gradient), value);
    EXPECT_EQ(gradient, expected) << threads;
  }
}

TEST(LinearObjective, SameBitsForAnyNumberOfThreads) {
  for (const bool sparse : {false, true}) {
    compare_threads<double>({.examples = 1500, .features = 37, .sparse = sparse, .centered = true});
    compare_threads<float>(
        {.examples = 1500, .features = 300, .outputs = 7, .sparse = sparse, .weighted = true});
    compare_threads<float>({.examples = 700, .features = 290, .outputs = 50, .sparse = sparse});
  }
}

// Values by output add up, and are those of the outputs alone.
TEST(LinearObjective, OutputsApart) {
  for (const bool sparse : {false, true}) {
    for (const bool labels : {false, true}) {
      const LinearShape shape{.sparse = sparse, .labels = labels, .weighted = true};
      const LinearData<double> data(Sigmoid{}, shape);
      const auto objective = make_linear_objective(*data.problem, 2);
      ASSERT_TRUE(objective->separable());
      Random random(8);
      const Vector w = normal_vector(random, objective->shape().size);
      Vector joint(w.size()), apart(w.size()), values(shape.outputs);
      const double value = objective->evaluate(w, joint);
      EXPECT_NEAR(objective->evaluate_outputs(w, apart, values), value, 1e-12 * value);
      EXPECT_NEAR(sum_of_entries(values), value, 1e-12 * value);
      EXPECT_LE(max_difference(joint, apart), 1e-12);
      // Moving the parameters of one output changes its value only.
      Vector other = w, changed(shape.outputs);
      for (std::size_t j = 0; j < w.size(); j += shape.outputs) other[j + 1] += 1;
      objective->evaluate_outputs(other, apart, changed);
      for (std::size_t k = 0; k < shape.outputs; ++k) {
        if (k == 1) {
          EXPECT_GT(std::abs(changed[k] - values[k]), 1e-3);
        } else {
          EXPECT_EQ(changed[k], values[k]);
        }
      }
    }
  }
  const LinearData<double> coupled(Shannon{}, {});
  EXPECT_FALSE(make_linear_objective(*coupled.problem)->separable());
}

// The matrix of each output is the diagonal block of the Hessian: the lower triangle against differences of
// gradients, up to the small part of the mean slope that every example gets.
TEST(LinearObjective, JointCurvature) {
  for (const bool sparse : {false, true}) {
    const LinearData<double> data(Shannon{},
                                  {.sparse = sparse, .weighted = true, .intercept = Intercept::none});
    const auto objective = make_linear_objective(*data.problem, 1);
    EXPECT_TRUE(objective->joint_curvature_by_output())
        << "matrices of 7 x 7 are small beside 60 x 7 features";
    const ParameterShape shape = objective->shape();
    Random random(3);
    const Vector w = normal_vector(random, shape.size, 0.5);
    const std::vector<Matrix<double>> blocks = objective->joint_curvature(w);
    ASSERT_EQ(blocks.size(), shape.width);
    for (std::size_t j = 0; j < 7; ++j) {
      for (std::size_t k = 0; k < shape.width; ++k) {
        Vector direction(shape.size), before(shape.size), after(shape.size);
        direction[j * shape.width + k] = 1;
        const double h = 1e-5;
        objective->evaluate(moved(w, -h, direction), before);
        objective->evaluate(moved(w, h, direction), after);
        for (std::size_t i = j; i < 7; ++i) {
          const std::size_t entry = i * shape.width + k;
          EXPECT_NEAR(blocks[k](i, j), (after[entry] - before[entry]) / (2 * h), 0.02)
              << sparse << ' ' << k << ' ' << i << ' ' << j;
        }
      }
    }
  }
}

// A value beyond the range of the features' type is +inf, which no search takes for a decrease; not an error.
TEST(LinearObjective, OverflowIsInfinite) {
  const LinearData<float> data(Shannon{}, {});
  const auto objective = make_linear_objective(*data.problem, 1);
  Vector w(objective->shape().size, 1e38), gradient(w.size());
  for (std::size_t j = 0; j < w.size(); j += 2) w[j] = -1e38;
  EXPECT_EQ(objective->evaluate(w, gradient), infinity);
}

TEST(LinearExamples, AddUpToTheObjective) {
  for (const bool sparse : {false, true}) {
    for (const bool labels : {false, true}) {
      const LinearShape shape{.sparse = sparse, .labels = labels, .weighted = true, .centered = true};
      LinearData<double> data(Tsallis{1.5}, shape);
      data.problem->loss = data.problem->loss.with_cost(zero_one_cost());
      const auto objective = make_linear_objective(*data.problem, 1);
      const auto examples = make_examples(*data.problem);
      Random random(2);
      const Vector w = normal_vector(random, objective->shape().size);
      Vector expected(w.size()), gradient(w.size()), theta(shape.outputs), r(shape.outputs);
      const double value = objective->evaluate(w, expected);
      double total = 0;
      for (std::size_t i = 0; i < examples->size(); ++i) {
        examples->scores(i, w, theta);
        total += examples->loss(i, theta, r, thread_workspace());
        examples->add(i, r, 1, gradient);
      }
      EXPECT_NEAR(total, value, 1e-11 * value);
      EXPECT_LE(max_difference(gradient, expected), 1e-10);
    }
  }
}

}  // namespace
}  // namespace fenchel::test
