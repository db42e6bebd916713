// SPDX-License-Identifier: Apache-2.0
// Rankers of documents: values from the definition, gradients by differences, the same bits for any number of
// threads, examples that add up to the objective, and training that finds the order behind the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/metrics/ranking.hpp"
#include "fenchel/models/linear_model.hpp"
#include "fenchel/models/task_targets.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "fenchel/regularizers/sparsemap.hpp"
#include "fenchel/training/fit.hpp"
#include "fenchel/training/problem.hpp"
#include "messages.hpp"
#include "support.hpp"
#include "training/solvers/lbfgs_starts.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;

// Queries of 0 to 12 documents whose relevance is a noisy, rounded linear function.
struct Documents {
  Matrix<double> x;
  Vector relevance;
  std::vector<std::int64_t> queries{0};
  Vector weights;

  explicit Documents(std::uint64_t seed, std::size_t count = 40, double noise = 0.3) {
    Random random(seed);
    std::vector<double> entries;
    for (std::size_t q = 0; q < count; ++q) {
      const std::size_t documents = q == 3 ? 0 : 1 + random.below(12);
      for (std::size_t i = 0; i < documents; ++i) {
        const Vector row = normal_vector(random, 4);
        entries.insert(entries.end(), row.begin(), row.end());
        const double score = 2 * row[0] - row[1] + 0.5 * row[2] + noise * random.normal();
        relevance.push_back(std::max(0.0, std::round(score)));
      }
      queries.push_back(static_cast<std::int64_t>(relevance.size()));
      weights.push_back(0.5 + random.uniform());
    }
    x = Matrix<double>(relevance.size(), 4, std::move(entries));
  }
  DocumentProblem<double> problem(const std::string& loss) const {
    return {
        .x = x, .relevance = relevance, .queries = queries, .loss = ranking_loss(loss), .weights = weights};
  }
};

std::vector<std::string> every_loss() {
  std::vector<std::string> losses;
  for (const std::string name : {"sparsemap", "entropic", "hinge", "perceptron", "squared"}) {
    for (const std::string w : {"top1", "k-subsets,k=3", "full", "partial,k=3", "ranking"}) {
      losses.push_back(name + ":w=" + w);
    }
  }
  return losses;
}

TEST(DocumentObjective, ValueFromTheDefinition) {
  const Documents data(1);
  Random random(2);
  const Vector w = normal_vector(random, 4);
  for (const std::string& loss : every_loss()) {
    double expected = 0;
    for (std::size_t q = 0; q + 1 < data.queries.size(); ++q) {
      const auto first = static_cast<std::size_t>(data.queries[q]);
      const std::size_t n = static_cast<std::size_t>(data.queries[q + 1]) - first;
      if (n == 0) continue;
      const LossChoice choice = resolve_loss(loss, Task::ranking, n);
      Vector theta(n), y(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < 4; ++j) theta[i] += data.x(first + i, j) * w[j];
      }
      worths_of_order(std::span(data.relevance).subspan(first, n), choice.worths, y);
      expected += data.weights[q] * choice.loss.value(theta, y);
    }
    const auto objective = make_objective(data.problem(loss), 1);
    Vector gradient(4);
    EXPECT_NEAR(objective->evaluate(w, gradient), expected, 1e-11 * std::max(1.0, expected)) << loss;
  }
}

TEST(DocumentObjective, GradientByDifferences) {
  const Documents data(3);
  Random random(4);
  Vector w = normal_vector(random, 4);
  const Vector center = normal_vector(random, 4);
  constexpr double step = 1e-5;
  for (const std::string& loss : every_loss()) {
    DocumentProblem<double> problem = data.problem(loss);
    problem.center = center;
    const auto objective = make_objective(problem, 1);
    Vector gradient(4), unused(4);
    objective->evaluate(w, gradient);
    for (std::size_t j = 0; j < 4; ++j) {
      const double middle = w[j];
      w[j] = middle + step;
      const double above = objective->evaluate(w, unused);
      w[j] = middle - step;
      const double below = objective->evaluate(w, unused);
      w[j] = middle;
      EXPECT_NEAR(gradient[j], (above - below) / (2 * step), 1e-3 * std::max(1.0, std::abs(gradient[j])))
          << loss;
    }
  }
}

// Sparse scores over orders of which nobody knows but this file.
struct OwnOrders {
  AnyPolytope polytope;
  static constexpr Traits traits{.name = "own_orders", .domain = Domain::polytope};
  double value(std::span<const double> mu) const { return SparseMap{polytope}.value(mu); }
  Report predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
    return SparseMap{polytope}.predict(theta, out, scratch);
  }
};

TEST(DocumentObjective, OmegaOfOnesOwnFromFitToPredictions) {
  const Documents documents(17);
  Dataset data;
  data.x = Features(documents.x);
  data.queries = documents.queries;
  data.values = Matrix<double>(documents.relevance.size(), 1, Vector(documents.relevance));
  const LossOfSize own = [](std::size_t places) -> LossChoice {
    LossChoice choice = resolve_loss("sparsemap", Task::ranking, places);
    choice.loss = OwnOrders{*choice.loss.omega().polytope()};
    choice.text.clear();
    return choice;
  };
  const FitOptions options{.task = Task::ranking, .lambda = 0.1, .tolerance = 1e-8};
  const auto prepared = prepare(data, options);
  const auto mine = make_fit(prepared, own, options);
  const auto named = make_fit(prepared, options);
  run(mine->algorithm());
  run(named->algorithm());
  const PredictOptions queries{.queries = data.queries};
  const auto outputs = [&](Fit& fit) {
    return predict(std::get<LinearModel>(fit.model()), FeaturesView<double>(documents.x), queries).outputs;
  };
  const Matrix<double> a = outputs(*mine), b = outputs(*named);
  for (std::size_t i = 0; i < a.rows(); ++i) EXPECT_NEAR(a.row(i)[0], b.row(i)[0], 1e-3);
}

TEST(DocumentObjective, CenteringMovesNoRanking) {
  const Documents data(5);
  const Vector w{1, -1, 0.5, 2}, center{3, 1, -4, 2};
  DocumentProblem<double> problem = data.problem("sparsemap");
  Vector plain(4), centered(4);
  const double value = make_objective(problem)->evaluate(w, plain);
  problem.center = center;
  EXPECT_NEAR(make_objective(problem)->evaluate(w, centered), value, 1e-10);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(plain[j], centered[j], 1e-10);
}

TEST(DocumentObjective, SameBitsForAnyNumberOfThreads) {
  const Documents data(6, 300);
  const Vector w{1, -1, 0.5, 2};
  Vector one(4), three(4);
  const double value = make_objective(data.problem("entropic"), 1)->evaluate(w, one);
  EXPECT_EQ(make_objective(data.problem("entropic"), 3)->evaluate(w, three), value);
  EXPECT_EQ(one, three);
}

TEST(DocumentObjective, SparseAndSingleFeatures) {
  const Documents data(7);
  CsrMatrix<float> sparse;
  sparse.cols = 4;
  for (std::size_t i = 0; i < data.x.rows(); ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      sparse.indices.push_back(static_cast<std::int32_t>(j));
      sparse.values.push_back(static_cast<float>(data.x(i, j)));
    }
    sparse.offsets.push_back(static_cast<std::int64_t>(sparse.values.size()));
  }
  const DocumentProblem<float> single{.x = sparse, .relevance = data.relevance, .queries = data.queries};
  DocumentProblem<double> problem = data.problem("sparsemap");
  problem.weights = {};
  const Vector w{1, -1, 0.5, 2};
  Vector a(4), b(4);
  const double value = make_objective(problem)->evaluate(w, a);
  EXPECT_NEAR(make_objective(single)->evaluate(w, b), value, 1e-4);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(a[j], b[j], 1e-3);
}

TEST(DocumentExamples, AddUpToTheObjective) {
  const Documents data(8);
  const Vector w{1, -1, 0.5, 2}, center{0.3, 0, 0, 1};
  DocumentProblem<double> problem = data.problem("hinge:w=ranking");
  problem.center = center;
  const auto examples = make_examples(problem);
  Vector expected(4), gradient(4);
  const double value = make_objective(problem)->evaluate(w, expected);
  double sum = 0;
  Workspace scratch;
  for (std::size_t i = 0; i < examples->size(); ++i) {
    Vector theta(examples->scores_size(i)), residual(theta.size());
    examples->scores(i, w, theta);
    sum += examples->loss(i, theta, residual, scratch);
    examples->add(i, residual, 1, gradient);
  }
  EXPECT_NEAR(sum, value, 1e-10);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-9);
  EXPECT_EQ(examples->shape().size, 4u);
}

// A query without weight is as if it were not there, even where its scores overflow.
TEST(DocumentObjective, WithoutWeightNothingOverflows) {
  Documents data(12);
  data.weights[0] = 0;
  const Vector w{10, -10, 5, 20};
  Vector expected(4), gradient(4);
  const double value = make_objective(data.problem("sparsemap"), 1)->evaluate(w, expected);
  for (double& entry : data.x.row(0)) entry = 1e308;
  const auto objective = make_objective(data.problem("sparsemap"), 1);
  EXPECT_EQ(objective->evaluate(w, gradient), value);
  EXPECT_EQ(gradient, expected);
  EXPECT_TRUE(objective->predictions().converged());
  const auto examples = make_examples(data.problem("sparsemap"));
  Workspace scratch;
  Vector theta(examples->scores_size(0)), residual(theta.size(), 1.0);
  examples->scores(0, w, theta);
  ASSERT_FALSE(std::isfinite(theta[0]));
  EXPECT_EQ(examples->loss(0, theta, residual, scratch), 0);
  EXPECT_EQ(residual, Vector(theta.size(), 0.0));
}

TEST(DocumentObjective, TrainingFindsTheOrder) {
  const Documents train(9, 150), held_out(10, 100);
  for (const std::string loss : {"sparsemap:w=full", "entropic:w=full", "sparsemap:w=partial,k=3",
                                 "entropic:w=top1", "sparsemap:w=k-subsets,k=3", "sparsemap:w=ranking"}) {
    const TrainResult result =
        fenchel::train(train.problem(loss), {.penalty = L2(1e-2), .max_iterations = 200, .threads = 1});
    EXPECT_TRUE(result.report.converged()) << loss;
    LinearModel model;
    model.task = Task::ranking;
    model.loss_name = loss;
    model.set_parameters(result.parameters, 4, 1);
    const auto predicted = predict(model, FeaturesView<double>(held_out.x), {.queries = held_out.queries});
    const auto scores = predicted.scores.entries();
    EXPECT_GT(metrics::mean_ndcg(held_out.relevance, scores, held_out.queries, 10).mean, 0.95) << loss;
    EXPECT_GT(metrics::mean_kendall_tau(held_out.relevance, scores, held_out.queries).mean, 0.75) << loss;
  }
}

TEST(DocumentObjective, WrongInput) {
  const Documents data(11);
  const auto error_of = [](const DocumentProblem<double>& problem) {
    return message_of([&] { check_problem(problem); });
  };
  EXPECT_EQ(error_of(data.problem("sparsemap")), "");
  EXPECT_THAT(error_of(data.problem("sparsmap")), HasSubstr("did you mean 'sparsemap'?"));
  DocumentProblem<double> problem = data.problem("sparsemap");
  problem.relevance = problem.relevance.first(3);
  EXPECT_THAT(error_of(problem), HasSubstr("relevance has 3 entries"));
  problem = data.problem("sparsemap");
  const std::vector<std::int64_t> short_queries{0, 5},
      unordered{0, 9, 4, static_cast<std::int64_t>(data.x.rows())};
  problem.queries = short_queries;
  EXPECT_THAT(error_of(problem), HasSubstr("queries go from row 0 to 5"));
  problem.queries = unordered;
  problem.weights = {};
  EXPECT_THAT(error_of(problem), HasSubstr("queries[2] is 4, after 9"));
  problem = data.problem("sparsemap");
  Vector negative = data.weights;
  negative[0] = -1;
  problem.weights = negative;
  EXPECT_THAT(error_of(problem), HasSubstr("weights is -1"));
  Matrix<double> broken = data.x;
  broken(2, 1) = std::nan("");
  problem = data.problem("sparsemap");
  problem.x = broken;
  EXPECT_THAT(error_of(problem), HasSubstr("x[2, 1] is nan"));
  problem = data.problem("sparsemap");
  problem.loss = [](std::size_t documents) -> LossChoice {
    return {.loss = SparseMap{Permutahedron{.w = {3, 2, 1}}}, .worths = Vector(documents, 1.0)};
  };
  EXPECT_THAT(message_of([&] { make_objective(problem, 1); }),
              HasSubstr("documents takes 3 scores; expected"));
}

}  // namespace
}  // namespace fenchel::test
