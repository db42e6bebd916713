// SPDX-License-Identifier: Apache-2.0
// Scores against plain sums, scaling folded or applied first, temperature, documents of queries, labels.
#include "fenchel/models/linear_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fenchel/core/numeric.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/models/temperature.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/regularizers/all.hpp"
#include "messages.hpp"
#include "metrics/rows.hpp"
#include "support.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

Matrix<double> random_matrix(Random& random, std::size_t rows, std::size_t cols) {
  Matrix<double> result(rows, cols);
  for (double& entry : result.entries()) entry = random.below(3) == 0 ? 0 : random.normal();
  return result;
}

template <Real T>
CsrMatrix<T> sparse_of(const Matrix<double>& dense) {
  CsrMatrix<T> result;
  result.cols = dense.cols();
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      result.indices.push_back(static_cast<std::int32_t>(j));
      result.values.push_back(static_cast<T>(dense(i, j)));
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

LinearModel random_model(Random& random, std::size_t features, std::size_t outputs) {
  LinearModel model;
  model.weights = random_matrix(random, features, outputs);
  model.intercept = normal_vector(random, outputs);
  return model;
}

Matrix<double> scores_of(const LinearModel& model, const FeaturesView<double>& x, int threads = 1) {
  Matrix<double> theta(x.rows(), model.outputs());
  scores(model, x, theta.view(), threads);
  return theta;
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t e = 0; e < a.entries().size(); ++e) EXPECT_NEAR(a.entries()[e], b.entries()[e], tolerance);
}

/// Predictions of rows as they come: some at a time, dense or sparse.
Matrix<double> predicted_by(const LinearModel& model, const Matrix<double>& x, std::size_t count,
                            bool sparse) {
  Matrix<double> result(x.rows(), model.outputs());
  const CsrMatrix<double> entries = sparse_of<double>(x);
  const FeaturesView<double> rows = sparse ? FeaturesView<double>(entries) : FeaturesView<double>(x);
  for (std::size_t first = 0; first < x.rows(); first += count) {
    const ModelPredictions part =
        predict(model, rows.block(first, std::min(count, x.rows() - first)), {.threads = 2});
    std::ranges::copy(part.outputs.entries(), result.row(first).data());
  }
  return result;
}

// The prediction of a row depends on the row and the model alone: not on the rows that come with it, nor on
// whether its zeros are stored.
TEST(LinearModel, ARowHasTheSameBitsInAnyCompany) {
  Random random(8);
  for (const char* omega :
       {"logistic", "sparsemax", "tsallis:alpha=1.5", "tsallis:alpha=1.3", "hinge", "norm:q=2"}) {
    for (const Scaling scaling : {Scaling::none, Scaling::maxabs, Scaling::standard}) {
      for (const std::size_t features : {1U, 3U, 8U, 37U, 4100U}) {
        const std::size_t outputs = 2 + random.below(12);
        const Matrix<double> x = random_matrix(random, features > 100 ? 9 : 43, features);
        LinearModel model = random_model(random, features, outputs);
        model.loss = resolve_loss(omega, Task::classification, outputs).loss;
        model.scaler = Scaler::fit(Features(Matrix<double>(x)), scaling);
        const Matrix<double> all = predicted_by(model, x, x.rows(), false);
        for (const bool sparse : {false, true}) {
          for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}, x.rows()}) {
            const Matrix<double> parts = predicted_by(model, x, count, sparse);
            ASSERT_TRUE(std::ranges::equal(all.entries(), parts.entries()))
                << omega << " " << scaling_name(scaling) << " " << features << " " << outputs << " " << sparse
                << " " << count;
          }
        }
      }
    }
  }
}

TEST(LinearModel, ScoresAreSums) {
  Random random(1);
  const LinearModel model = random_model(random, 7, 3);
  const Matrix<double> x = random_matrix(random, 20, 7);
  Matrix<double> expected(20, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      expected(i, k) = model.intercept[k];
      for (std::size_t j = 0; j < 7; ++j) expected(i, k) += x(i, j) * model.weights(j, k);
    }
  }
  expect_near(scores_of(model, x), expected, 1e-13);
  expect_near(scores_of(model, sparse_of<double>(x)), expected, 1e-13);
  Matrix<double> single(20, 3);
  scores(model, FeaturesView<float>(sparse_of<float>(x)), single.view());
  expect_near(single, expected, 1e-5);
}

TEST(LinearModel, ScalingIsAppliedFirst) {
  Random random(2);
  LinearModel model = random_model(random, 5, 2);
  const Matrix<double> x = random_matrix(random, 30, 5);
  for (const Scaling scaling : {Scaling::none, Scaling::standard, Scaling::maxabs}) {
    model.scaler = Scaler::fit(Features(x), scaling);
    Matrix<double> scaled = x;
    model.scaler.apply(scaled);
    LinearModel plain = model;
    plain.scaler = {};
    const Matrix<double> expected = scores_of(plain, scaled);
    expect_near(scores_of(model, x), expected, 1e-12);
    expect_near(scores_of(model, sparse_of<double>(x)), expected, 1e-12);
  }
}

TEST(LinearModel, FeaturesOutOfRangeAreIgnoredAndCounted) {
  Random random(3);
  const LinearModel model = random_model(random, 3, 2);
  const Matrix<double> wide = rows_of({{1, 2, 3, 0, 9}, {0, 1, 0, 4, 5}});
  const Matrix<double> same = rows_of({{1, 2, 3}, {0, 1, 0}});
  const Matrix<double> narrow = rows_of({{1, 2}});
  const Matrix<double> padded = rows_of({{1, 2, 0}});
  Matrix<double> theta(2, 2);
  EXPECT_EQ(scores(model, FeaturesView<double>(wide), theta.view()), 3u);
  EXPECT_EQ(theta.entries()[3], scores_of(model, same).entries()[3]);
  EXPECT_EQ(scores(model, FeaturesView<double>(sparse_of<double>(wide)), theta.view()), 3u);
  expect_near(scores_of(model, narrow), scores_of(model, padded), 0);
  EXPECT_EQ(predict(model, FeaturesView<double>(wide)).ignored, 3u);
}

TEST(LinearModel, SameBitsForAnyNumberOfThreads) {
  Random random(4);
  const LinearModel model = random_model(random, 40, 5);
  const Matrix<double> x = random_matrix(random, 5000, 40);
  const Matrix<double> one = predict(model, FeaturesView<double>(x), {.threads = 1}).outputs;
  const Matrix<double> three = predict(model, FeaturesView<double>(x), {.threads = 3}).outputs;
  EXPECT_TRUE(std::ranges::equal(one.entries(), three.entries()));
}

TEST(LinearModel, TemperatureDividesScores) {
  Random random(5);
  LinearModel model = random_model(random, 4, 6);
  model.loss = Tsallis{1.5};
  const Matrix<double> x = random_matrix(random, 10, 4);
  const auto half = predict(model, FeaturesView<double>(x), {.temperature = 0.5});
  for (std::size_t i = 0; i < 10; ++i) {
    Vector theta(half.scores.row(i).begin(), half.scores.row(i).end());
    for (double& score : theta) score *= 2;
    const Vector expected = test::predict(model.loss.omega(), theta);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(half.outputs(i, k), expected[k], 1e-15);
  }
  model.temperature = 0.5;
  EXPECT_TRUE(
      std::ranges::equal(predict(model, FeaturesView<double>(x)).outputs.entries(), half.outputs.entries()));
  EXPECT_THAT(message_of([&] { predict(model, FeaturesView<double>(x), {.temperature = 0.0}); }),
              HasSubstr("temperature is 0"));
}

TEST(LinearModel, SparsePredictions) {
  Random random(6);
  LinearModel model = random_model(random, 4, 6);
  model.loss = Tsallis{2};
  const Matrix<double> x = random_matrix(random, 50, 4);
  const Matrix<double> dense = predict(model, FeaturesView<double>(x)).outputs;
  const CsrMatrix<double> sparse = predict_csr(model, FeaturesView<double>(x));
  ASSERT_EQ(sparse.rows(), 50u);
  std::size_t support = 0;
  for (const double p : dense.entries()) support += p != 0 ? 1 : 0;
  EXPECT_EQ(sparse.values.size(), support);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto indices = sparse.view().indices(i);
    for (std::size_t e = 0; e < indices.size(); ++e) {
      EXPECT_EQ(sparse.view().values(i)[e], dense(i, static_cast<std::size_t>(indices[e])));
    }
  }
}

TEST(LinearModel, DocumentsOfAQueryShareItsPlaces) {
  LinearModel model;
  model.task = Task::ranking;
  model.loss_name = "perceptron:w=full";
  model.weights = rows_of({{1}});
  const Matrix<double> x = rows_of({{3}, {5}, {4}, {-1}, {2}});
  const std::vector<std::int64_t> queries{0, 3, 3, 5};
  const auto result = predict(model, FeaturesView<double>(x), {.queries = queries});
  const Vector expected{1.0 / 6, 3.0 / 6, 2.0 / 6, 1.0 / 3, 2.0 / 3};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(result.outputs(i, 0), expected[i], 1e-15);
  EXPECT_EQ(result.scores(1, 0), 5);
  model.loss_name = "perceptron:w=top1";
  const CsrMatrix<double> sparse = predict_csr(model, FeaturesView<double>(x), {.queries = queries});
  EXPECT_EQ(sparse.offsets, (std::vector<std::int64_t>{0, 0, 1, 1, 1, 2}));
  const std::vector<std::int64_t> wrong{0, 4};
  EXPECT_THAT(message_of([&] { predict(model, FeaturesView<double>(x), {.queries = wrong}); }),
              HasSubstr("queries go from row 0 to 4; expected 0 to 5"));
}

TEST(LinearModel, PredictedLabels) {
  const Vector theta{0.2, 3, 3, -1}, output{0.1, 0.9, 0.51, 0.5};
  ModelHead model;
  const auto labels = [&](Task task) {
    model.task = task;
    return predicted_labels(model, theta, output);
  };
  EXPECT_EQ(labels(Task::classification), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(labels(Task::multilabel), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(labels(Task::label_ranking), (std::vector<std::int32_t>{1, 2, 0, 3}));
  EXPECT_TRUE(labels(Task::regression).empty());
}

// Over sets of k labels the answer has k labels, whatever their outputs are.
TEST(LinearModel, PredictedSetsAreStructures) {
  Random random(3);
  for (const std::size_t k : {1, 2, 4}) {
    const AnyPolytope subsets = KSubsets{6, k};
    for (const AnyRegularizer& omega :
         std::vector<AnyRegularizer>{SparseMap{subsets}, Map{subsets}, MaximumEntropy{subsets, Shannon{}}}) {
      for (int run = 0; run < 20; ++run) {
        const Vector theta = normal_vector(random, 6);
        Vector output(6), set(6);
        omega.predict(theta, output, thread_workspace());
        predicted_set(omega, theta, output, set);
        EXPECT_EQ(sum_of(set), static_cast<double>(k));
        double taken = infinity, left = -infinity;
        for (std::size_t j = 0; j < 6; ++j) {
          if (set[j] > 0) taken = std::min(taken, theta[j]);
          if (set[j] == 0) left = std::max(left, theta[j]);
        }
        EXPECT_GE(taken, left) << "the labels with the largest scores";
      }
    }
  }
  // ½‖μ‖² over the cube is not 0 at its corners: scores above ½ count.
  Vector set(3);
  const Vector theta{0.4, 0.6, -1}, output{0.4, 0.6, 0};
  predicted_set(SparseMap{Cube{3}}, theta, output, set);
  EXPECT_EQ(set, (Vector{0, 1, 0}));
}

TEST(LinearModel, ParametersBothWays) {
  LinearModel model;
  const Vector parameters{1, 2, 3, 4, 5, 6};
  model.set_parameters(parameters, 2, 2);
  EXPECT_EQ(model.weights(1, 0), 3);
  EXPECT_EQ(model.intercept, (Vector{5, 6}));
  EXPECT_EQ(model.parameters(true), parameters);
  EXPECT_EQ(model.parameters(false), (Vector{1, 2, 3, 4}));
  model.set_parameters(parameters, 3, 2);
  EXPECT_TRUE(model.intercept.empty());
  EXPECT_EQ(model.parameters(true), (Vector{1, 2, 3, 4, 5, 6, 0, 0}));
  EXPECT_NE(message_of([&] { model.set_parameters(parameters, 4, 2); }), "");
}

TEST(LinearModel, CheckFindsPartsThatDoNotFit) {
  Random random(7);
  const LinearModel good = random_model(random, 3, 2);
  good.check();
  LinearModel model = good;
  model.intercept = {1};
  EXPECT_THAT(message_of([&] { model.check(); }), HasSubstr("intercept"));
  model = good;
  model.classes = {"only"};
  EXPECT_THAT(message_of([&] { model.check(); }), HasSubstr("classes"));
  model = good;
  model.weights(0, 0) = std::nan("");
  EXPECT_THAT(message_of([&] { model.check(); }), HasSubstr("weights"));
  model = good;
  model.temperature = -1;
  EXPECT_THAT(message_of([&] { model.check(); }), HasSubstr("temperature"));
  model = {};
  EXPECT_THAT(message_of([&] { model.check(); }), HasSubstr("weights"));
}

TEST(Temperature, FindsTheOneThatTheTruthHas) {
  // Truths are the predictions at temperature 2, so that 2 is the best of all for the divergence.
  Random random(8);
  LinearModel model;
  model.task = Task::proportions;
  model.loss = Tsallis{1.5};
  const Matrix<double> theta = random_matrix(random, 40, 5);
  Matrix<double> truth(40, 5);
  outputs_from_scores(model, theta.view(), truth.view(), {.temperature = 2});
  const Vector candidates{0.5, 1, 2, 4};
  const auto choice =
      choose_temperature(model, theta.view(), {.rows = std::as_const(truth).view()}, "js", candidates);
  EXPECT_EQ(choice.temperature, 2);
  EXPECT_NEAR(choice.value, 0, 1e-15);
  const auto sparsest = choose_temperature(model, theta.view(), {.rows = std::as_const(truth).view()},
                                           "mean_support", candidates);
  EXPECT_EQ(sparsest.temperature, 0.5) << "the smaller, the sparser";
}

TEST(Temperature, OfEquallyGoodOnesTheNearestToOne) {
  LinearModel model;
  const Matrix<double> theta = rows_of({{2, 0}, {0, 1}});
  const std::vector<std::int32_t> labels{0, 1};
  const auto candidates = default_temperatures();
  const auto choice =
      choose_temperature(model, theta.view(), {.labels = labels, .classes = 2}, "accuracy", candidates);
  EXPECT_EQ(choice.temperature, 1);
  EXPECT_EQ(choice.value, 1);
  EXPECT_THAT(message_of([&] {
                choose_temperature(model, theta.view(), {.labels = labels, .classes = 2}, "js", candidates);
              }),
              HasSubstr("'js', which is not one of this task"));
}

TEST(LinearModel, RescaledScoresAreTheSame) {
  Random random(5);
  const Matrix<double> x = random_matrix(random, 20, 4);
  LinearModel model;
  model.weights = random_matrix(random, 4, 3);
  model.intercept = {0.5, -1, 2};
  model.scaler = Scaler::fit(Features(x), Scaling::standard);
  const auto theta_of = [&](const LinearModel& any) {
    Matrix<double> theta(20, 3);
    scores(any, FeaturesView<double>(x), theta.view(), 1);
    return theta;
  };
  const Matrix<double> expected = theta_of(model);
  for (const Scaler& scaler : {Scaler{}, Scaler::fit(Features(x), Scaling::maxabs), model.scaler}) {
    const LinearModel other = rescaled(model, scaler);
    EXPECT_EQ(other.scaler, scaler);
    const Matrix<double> theta = theta_of(other);
    for (std::size_t i = 0; i < 20; ++i) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(theta(i, k), expected(i, k), 1e-12);
    }
  }
}

}  // namespace
}  // namespace fenchel::test
