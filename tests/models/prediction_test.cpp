// SPDX-License-Identifier: Apache-2.0
// Predictions of models of any kind: the answers are those of the outputs, by name.
#include "fenchel/models/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "fenchel/models/evaluation.hpp"
#include "messages.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LinearModel three_outputs(std::string_view loss, Task task) {
  LinearModel model;
  model.weights = Matrix<double>(1, 3, {1, 0, -1});
  model.classes = {"a", "b", "c"};
  model.task = task;
  model.loss_name = loss;
  model.loss = resolve_loss(loss, task, 3).loss.omega();
  if (!has_classes(task)) model.classes.clear();
  return model;
}

Dataset two_rows() {
  Dataset data;
  data.x = Features(Matrix<double>(2, 1, {2, -1}));
  return data;
}

TEST(Prediction, AnswersByName) {
  const AnyModel classes = three_outputs("sparsemax", Task::classification);
  const Predictions found = predict(classes, two_rows());
  EXPECT_EQ(found.task, Task::classification);
  ASSERT_EQ(found.rows(), 2U);
  EXPECT_EQ(found.label(0), "a");
  EXPECT_EQ(found.label(1), "c");
  EXPECT_EQ(found.outputs(0, 0), 1);
  EXPECT_TRUE(found.report.converged());

  const Predictions sets = predict(AnyModel(three_outputs("logistic", Task::multilabel)), two_rows());
  EXPECT_THAT(sets.names(0), ElementsAre("a"));  // whose output is above ½
  EXPECT_THAT(sets.names(1), ElementsAre("c"));
  const Predictions orders = predict(AnyModel(three_outputs("sparsemap", Task::label_ranking)), two_rows());
  EXPECT_THAT(orders.names(1), ElementsAre("c", "b", "a"));
}

TEST(Prediction, WithoutClasses) {
  const Predictions numbers = predict(AnyModel(three_outputs("squared", Task::regression)), two_rows());
  EXPECT_THAT(numbers.outputs.row(0), ElementsAre(2, 0, -2));
  EXPECT_TRUE(numbers.labels.empty());
  EXPECT_TRUE(numbers.names(0).empty());
  EXPECT_THAT(message_of([&] { numbers.label(0); }),
              HasSubstr("row 0 has no label; the model is for regression"));

  LinearModel subsets = three_outputs("sparsemap:polytope=simplex:d=3", Task::structured);
  EXPECT_THAT(predict(AnyModel(subsets), two_rows()).structures.row(1), ElementsAre(0, 0, 1));

  LinearModel documents;
  documents.weights = Matrix<double>(1, 1, {1});
  documents.task = Task::ranking;
  documents.loss_name = "sparsemap";
  Dataset data = two_rows();
  data.queries = {0, 1, 2};
  const Predictions ranked = predict(documents, data);
  EXPECT_EQ(ranked.scores(0, 0), 2);
  EXPECT_EQ(ranked.outputs(0, 0), ranked.outputs(1, 0));  // each alone in its query, as the data have them
  EXPECT_NE(predict(documents, two_rows()).outputs(1, 0), ranked.outputs(1, 0));
}

TEST(Prediction, TemperatureOfTheOptions) {
  const LinearModel model = three_outputs("logistic", Task::classification);
  const double warm = predict(model, two_rows(), {.temperature = 100}).outputs(0, 0);
  EXPECT_NEAR(warm, 1.0 / 3, 0.01);
  EXPECT_GT(predict(model, two_rows()).outputs(0, 0), 0.8);
}

TEST(Prediction, OfTaggers) {
  const TaggerData data = random_tagging({}, 7);
  Tagger tagger;
  tagger.labels = data.label_names;
  tagger.attributes = data.attribute_names;
  tagger.features = tagger_features(data, {});
  tagger.parameters = random_weights(tagger.features.parameters(), 1, 17);
  const AnyModel model = tagger;
  const TagPredictions found = predict(model, data);
  EXPECT_EQ(found.tags, TagPredictor(tagger).tag(renumber(data, tagger)));
  EXPECT_EQ(found.sentences, data.sentences);
  EXPECT_EQ(found.tag(0), data.label_names[found.tags[0]]);
  EXPECT_EQ(found.outputs.rows(), 0U);
  const TagPredictions shares = predict(model, data, {.token_outputs = true});
  EXPECT_EQ(shares.outputs.rows(), data.tokens());
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    double sum = 0;
    for (const double share : shares.outputs.row(t)) sum += share;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Prediction, KindsMustFit) {
  EXPECT_THAT(message_of([] { predict(AnyModel(Tagger{}), Dataset{}); }),
              HasSubstr("the model is a tagger; expected sentences"));
  EXPECT_THAT(message_of([] { predict(AnyModel(LinearModel{}), TaggerData{}); }),
              HasSubstr("the model is not a tagger; expected rows"));
}

}  // namespace
}  // namespace fenchel::test
