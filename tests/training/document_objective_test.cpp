// SPDX-License-Identifier: Apache-2.0
// Rankers of documents: values from the definition, gradients by differences, the same bits for any number of
// threads, examples that add up to the objective, and training that finds the order behind the data.
#include "fenchel/training/document_objective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/metrics/ranking.hpp"
#include "fenchel/models/linear_model.hpp"
#include "fenchel/models/task.hpp"
#include "fenchel/training/document_examples.hpp"
#include "fenchel/training/primal.hpp"
#include "messages.hpp"
#include "support.hpp"

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
    return {.x = x, .relevance = relevance, .queries = queries, .loss = loss, .weights = weights};
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
      expected += data.weights[q] * FenchelYoungLoss(choice.omega).with_cost(choice.cost).value(theta, y);
    }
    DocumentObjective<double> objective(data.problem(loss), 1);
    Vector gradient(4);
    EXPECT_NEAR(objective.evaluate(w, gradient), expected, 1e-11 * std::max(1.0, expected)) << loss;
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
    DocumentObjective<double> objective(problem, 1);
    Vector gradient(4), unused(4);
    objective.evaluate(w, gradient);
    for (std::size_t j = 0; j < 4; ++j) {
      const double middle = w[j];
      w[j] = middle + step;
      const double above = objective.evaluate(w, unused);
      w[j] = middle - step;
      const double below = objective.evaluate(w, unused);
      w[j] = middle;
      EXPECT_NEAR(gradient[j], (above - below) / (2 * step), 1e-3 * std::max(1.0, std::abs(gradient[j])))
          << loss;
    }
  }
}

TEST(DocumentObjective, CenteringMovesNoRanking) {
  const Documents data(5);
  const Vector w{1, -1, 0.5, 2}, center{3, 1, -4, 2};
  DocumentProblem<double> problem = data.problem("sparsemap");
  Vector plain(4), centered(4);
  const double value = DocumentObjective<double>(problem).evaluate(w, plain);
  problem.center = center;
  EXPECT_NEAR(DocumentObjective<double>(problem).evaluate(w, centered), value, 1e-10);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(plain[j], centered[j], 1e-10);
}

TEST(DocumentObjective, SameBitsForAnyNumberOfThreads) {
  const Documents data(6, 300);
  const Vector w{1, -1, 0.5, 2};
  Vector one(4), three(4);
  const double value = DocumentObjective<double>(data.problem("entropic"), 1).evaluate(w, one);
  EXPECT_EQ(DocumentObjective<double>(data.problem("entropic"), 3).evaluate(w, three), value);
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
  const double value = DocumentObjective<double>(problem).evaluate(w, a);
  EXPECT_NEAR(DocumentObjective<float>(single).evaluate(w, b), value, 1e-4);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(a[j], b[j], 1e-3);
}

TEST(DocumentExamples, AddUpToTheObjective) {
  const Documents data(8);
  const Vector w{1, -1, 0.5, 2}, center{0.3, 0, 0, 1};
  DocumentProblem<double> problem = data.problem("hinge:w=ranking");
  problem.center = center;
  const DocumentExamples<double> examples(problem);
  Vector expected(4), gradient(4);
  const double value = DocumentObjective<double>(problem).evaluate(w, expected);
  double sum = 0;
  Workspace scratch;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    Vector theta(examples.scores_size(i)), residual(theta.size());
    examples.scores(i, w, theta);
    sum += examples.loss(i, theta, residual, scratch);
    examples.add(i, residual, 1, gradient);
  }
  EXPECT_NEAR(sum, value, 1e-10);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-9);
  EXPECT_EQ(examples.shape().size, 4u);
}

TEST(DocumentObjective, TrainingFindsTheOrder) {
  const Documents train(9, 150), held_out(10, 100);
  for (const std::string loss : {"sparsemap:w=full", "entropic:w=full", "sparsemap:w=partial,k=3",
                                 "entropic:w=top1", "sparsemap:w=k-subsets,k=3", "sparsemap:w=ranking"}) {
    const auto algorithm = make_lbfgs(std::make_unique<DocumentObjective<double>>(train.problem(loss), 1),
                                      {.penalty = L2(1e-2), .max_iterations = 200});
    for (int step = 0; step < 200 && !algorithm->step().done; ++step) {
    }
    EXPECT_TRUE(algorithm->report().converged()) << loss;
    LinearModel model;
    model.task = Task::ranking;
    model.loss = loss;
    model.set_parameters(algorithm->parameters(), 4, 1);
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
}

}  // namespace
}  // namespace fenchel::test
