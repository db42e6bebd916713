// SPDX-License-Identifier: Apache-2.0
// What labels and numbers mean under each task, which task is guessed, and class weights.
#include "fenchel/models/task_targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"

namespace fenchel::test {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::string>;

// Rows of labels by name, with one feature.
Dataset labelled(const Names& names, const std::vector<std::vector<std::int32_t>>& rows) {
  Dataset data;
  data.source = "train.svm";
  data.x = Features(Matrix<double>(rows.size(), 1));
  data.labels.names = names;
  for (const auto& row : rows) {
    data.labels.indices.insert(data.labels.indices.end(), row.begin(), row.end());
    data.labels.offsets.push_back(static_cast<std::int64_t>(data.labels.indices.size()));
  }
  return data;
}

Dataset numbered(const std::vector<double>& values) {
  Names names;
  std::vector<std::vector<std::int32_t>> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    names.push_back(std::to_string(values[i]));
    rows.push_back({static_cast<std::int32_t>(i)});
  }
  Dataset data = labelled(names, rows);
  data.values = Matrix<double>(values.size(), 1, values);
  return data;
}

std::vector<double> row_of(const TaskTargets& targets, std::size_t i) {
  const auto row = targets.rows.row(i);
  return {row.begin(), row.end()};
}

TEST(GuessTask, FromLabels) {
  EXPECT_EQ(guess_task(labelled({"a", "b"}, {{0}, {1}})).task, Task::classification);
  const TaskGuess several = guess_task(labelled({"a", "b", "c"}, {{0, 1}, {1}}));
  EXPECT_EQ(several.task, Task::multilabel);
  EXPECT_EQ(several.reason, "1 rows have several labels");
  EXPECT_EQ(guess_task(labelled({"a", "b"}, {{0}, {}})).task, Task::multilabel);
  EXPECT_EQ(guess_task(labelled({"a", "b"}, {{0, 1}, {1, 0}})).task, Task::label_ranking);
  Dataset weighted = labelled({"a", "b"}, {{0, 1}});
  weighted.labels.weights = {0.3, 0.7};
  EXPECT_EQ(guess_task(weighted).task, Task::proportions);
}

TEST(GuessTask, FromOrders) {
  Dataset orders = labelled({"a", "b", "c"}, {{0, 1}, {2}});
  orders.labels.places = {0, 0, 0};
  EXPECT_EQ(guess_task(orders).task, Task::label_ranking);
}

TEST(TaskTargets, OrdersWithTies) {
  Dataset data = labelled({"a", "b", "c"}, {{1, 0, 2}, {2, 1}});
  data.labels.places = {0, 1, 1, 0, 1};
  const TaskTargets targets = make_targets(data, Task::label_ranking);
  EXPECT_EQ(row_of(targets, 0), (std::vector<double>{2, 3, 2}));
  EXPECT_EQ(row_of(targets, 1), (std::vector<double>{0, 2, 3}));
}

TEST(GuessTask, FromNumbers) {
  EXPECT_EQ(guess_task(numbered({1, 2, 1})).task, Task::classification);
  EXPECT_EQ(guess_task(numbered({1, 2.5, 1})).task, Task::regression);
  std::vector<double> many;
  for (int i = 0; i < 150; ++i) many.push_back(i);
  EXPECT_EQ(guess_task(numbered(many)).task, Task::regression);
  EXPECT_EQ(guess_task(numbered({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})).task, Task::regression);
  for (const double value : std::vector<double>(many)) many.insert(many.end(), 2, value);
  EXPECT_EQ(guess_task(numbered(many)).task, Task::classification);
  EXPECT_THAT(guess_task(numbered(many)).doubt, testing::HasSubstr("give `task=regression`"));
  Dataset queries = numbered({0, 1, 2});
  queries.queries = {0, 3};
  EXPECT_EQ(guess_task(queries).task, Task::ranking);
  Dataset columns;
  columns.x = Features(Matrix<double>(2, 1));
  columns.values = Matrix<double>(2, 3);
  EXPECT_EQ(guess_task(columns).task, Task::regression);
}

TEST(TaskTargets, Classes) {
  const Dataset data = labelled({"a", "b", "c"}, {{1}, {}, {2}, {0}});
  const TaskTargets targets = make_targets(data, Task::classification);
  EXPECT_EQ(targets.classes, data.labels.names);
  EXPECT_EQ(targets.outputs, 3u);
  EXPECT_EQ(targets.labels, (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(targets.kept, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(targets.dropped, 1u);
  EXPECT_EQ(message_of([] {
              make_targets(labelled({"a", "b"}, {{0}, {0, 1}}), Task::classification);
            }),
            "train.svm: row 1 has 2 labels; classification needs one (other tasks: multilabel, proportions)");
}

TEST(TaskTargets, ClassesOfAModelKeepTheirOrderAndUnseenOnesComeAfter) {
  const Dataset data = labelled({"a", "new", "unused", "z"}, {{3}, {1}, {0}});
  const Names model{"z", "a"};
  const TaskTargets targets = make_targets(data, Task::classification, model);
  EXPECT_EQ(targets.outputs, 2u);
  EXPECT_EQ(targets.classes, (Names{"z", "a", "new"}));
  EXPECT_EQ(targets.labels, (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(targets.unseen_rows, 1u);
  EXPECT_EQ(targets.truth().classes, 3u);
}

TEST(TaskTargets, ProportionsAreCountsOrWeights) {
  Dataset data = labelled({"a", "b"}, {{0, 0, 1}, {}, {1}});
  const TaskTargets counted = make_targets(data, Task::proportions);
  EXPECT_EQ(row_of(counted, 0), (std::vector<double>{2.0 / 3, 1.0 / 3}));
  EXPECT_EQ(row_of(counted, 1), (std::vector<double>{0, 1}));
  EXPECT_EQ(counted.dropped, 1u);
  EXPECT_EQ(counted.kept, (std::vector<std::size_t>{0, 2}));
  data.labels.weights = {1, 2, 1, 0};
  const TaskTargets weighted = make_targets(data, Task::proportions);
  EXPECT_EQ(row_of(weighted, 0), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(weighted.examples(), 1u);
  data.labels.weights[1] = -1;
  EXPECT_THAT(message_of([&] { make_targets(data, Task::proportions); }), HasSubstr("weight -1"));
  data.labels.weights = {1e308, 1e308, 1, 0};
  EXPECT_EQ(message_of([&] { make_targets(data, Task::proportions); }),
            "train.svm: row 0 has proportions whose sum is not finite; expected smaller ones");
}

TEST(TaskTargets, UnseenLabelsOfProportionsKeepTheirShare) {
  const Names model{"b"};
  const TaskTargets targets = make_targets(labelled({"a", "b"}, {{0, 1}}), Task::proportions, model);
  EXPECT_EQ(targets.classes, (Names{"b", "a"}));
  EXPECT_EQ(row_of(targets, 0), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(targets.unseen_rows, 1u);
}

TEST(TaskTargets, Sets) {
  const TaskTargets targets = make_targets(labelled({"a", "b", "c"}, {{2, 0, 0}, {}}), Task::multilabel);
  EXPECT_EQ(row_of(targets, 0), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(row_of(targets, 1), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(targets.examples(), 2u);
}

TEST(TaskTargets, SoftSets) {
  Dataset data = labelled({"a", "b", "c"}, {{2, 0}, {1}});
  data.labels.weights = {0.25, 0.75, 0};
  const TaskTargets targets = make_targets(data, Task::multilabel);
  EXPECT_EQ(row_of(targets, 0), (std::vector<double>{0.75, 0, 0.25}));
  EXPECT_EQ(row_of(targets, 1), (std::vector<double>{0, 0, 0}));
  data.labels.weights[0] = 2;
  EXPECT_THAT(message_of([&] { make_targets(data, Task::multilabel); }),
              HasSubstr("weight 2; multilabel expects"));
}

TEST(TaskTargets, StructuresAsRowsOrAsEntries) {
  Dataset rows = numbered({0, 0});
  rows.values = Matrix<double>(2, 3, {1, 0, 0, 0, 0.5, 0.5});
  EXPECT_EQ(row_of(make_targets(rows, Task::structured), 1), (std::vector<double>{0, 0.5, 0.5}));
  EXPECT_THAT(message_of([&] { make_targets(rows, Task::structured, {}, 4); }),
              HasSubstr("3 numbers; structures have 4"));
  Dataset listed = labelled({"1", "3", "4"}, {{2, 0}, {1}});
  EXPECT_EQ(row_of(make_targets(listed, Task::structured, {}, 4), 0), (std::vector<double>{1, 0, 0, 1}));
  listed.labels.weights = {0.25, 0.75, 1};
  EXPECT_EQ(row_of(make_targets(listed, Task::structured, {}, 5), 0),
            (std::vector<double>{0.75, 0, 0, 0.25, 0}));
  EXPECT_THAT(message_of([&] { make_targets(listed, Task::structured, {}, 3); }),
              HasSubstr("the entry '4'; structures have the entries 1 to 3"));
  EXPECT_THAT(message_of([&] { make_targets(listed, Task::structured); }), HasSubstr("polytope=birkhoff"));
  EXPECT_THAT(message_of([] {
                make_targets(labelled({"1", "x"}, {{0}, {1}}), Task::structured, {}, 3);
              }),
              HasSubstr("the entry 'x'"));
}

TEST(TaskTargets, Orders) {
  const TaskTargets targets = make_targets(labelled({"a", "b", "c"}, {{1, 0, 2}, {2}}), Task::label_ranking);
  EXPECT_EQ(row_of(targets, 0), (std::vector<double>{2, 3, 1}));
  EXPECT_EQ(row_of(targets, 1), (std::vector<double>{0, 0, 3}));
  const std::vector<double> worths{3, 2, 1};
  const TrainingTargets<float> y(targets, worths);
  const auto rows = y.view().rows();
  EXPECT_EQ(rows.row(0)[1], 3.0f);
  EXPECT_EQ(rows.row(1)[0], 1.5f) << "classes that are not listed share the places left";
  EXPECT_THAT(message_of([] {
                make_targets(labelled({"a", "b"}, {{0, 0}}), Task::label_ranking);
              }),
              HasSubstr("ranks 'a' twice"));
}

TEST(TaskTargets, NumbersAndRelevances) {
  Dataset data = numbered({1.5, 2, 0});
  EXPECT_EQ(make_targets(data, Task::regression).rows(0, 0), 1.5);
  EXPECT_THAT(message_of([&] { make_targets(data, Task::ranking); }), HasSubstr("ranking needs qid"));
  data.queries = {0, 1, 3};
  const TaskTargets ranked = make_targets(data, Task::ranking);
  EXPECT_EQ(ranked.queries, data.queries);
  EXPECT_EQ(ranked.outputs, 1u);
  EXPECT_THAT(message_of([] { make_targets(labelled({"a"}, {{0}}), Task::regression); }),
              HasSubstr("regression needs numbers"));
  EXPECT_THAT(message_of([] { make_targets(labelled({"a"}, {{0}}), Task::tagging); }),
              HasSubstr("sequences"));
}

TEST(WorthsOfOrder, TiesShareTheMean) {
  std::vector<double> y(5);
  worths_of_order(std::vector<double>{0, 2, 0, 1, 2}, std::vector<double>{5, 4, 3, 2, 1}, y);
  EXPECT_EQ(y, (std::vector<double>{1.5, 4.5, 1.5, 3, 4.5}));
}

TEST(ClassWeights, BalancedAndGiven) {
  const TaskTargets targets =
      make_targets(labelled({"a", "b", "c"}, {{0}, {0}, {0}, {1}}), Task::classification);
  const auto balanced = class_weights(targets, "balanced");
  EXPECT_EQ(balanced, (std::vector<double>{4.0 / 9, 4.0 / 3, 1}));
  EXPECT_EQ(sample_weights(targets, balanced), (std::vector<double>{4.0 / 9, 4.0 / 9, 4.0 / 9, 4.0 / 3}));
  // A row of weight w counts as w rows.
  EXPECT_EQ(class_weights(targets, "balanced", std::vector<double>{1, 1, 0, 2}),
            (std::vector<double>{4.0 / 6, 4.0 / 6, 1}));
  const auto given = class_weights(targets, "b=2.5,a=0");
  EXPECT_EQ(given, (std::vector<double>{0, 2.5, 1}));
  EXPECT_EQ(sample_weights(targets, given, std::vector<double>{1, 1, 1, 2})[3], 5);
  EXPECT_THAT(message_of([&] { class_weights(targets, "balancd"); }), HasSubstr("expected balanced"));
  EXPECT_THAT(message_of([&] { class_weights(targets, "q=1"); }), HasSubstr("unknown class 'q'"));
  EXPECT_THAT(message_of([&] { class_weights(targets, "a=-1"); }), HasSubstr("the weight of class 'a'"));
  const TaskTargets sets = make_targets(labelled({"a"}, {{0}}), Task::multilabel);
  EXPECT_THAT(message_of([&] { class_weights(sets, "balanced"); }), HasSubstr("not for multilabel"));
}

TEST(ClassWeights, OfProportionsAreMeans) {
  const TaskTargets targets = make_targets(labelled({"a", "b"}, {{0, 1}, {0}}), Task::proportions);
  EXPECT_EQ(sample_weights(targets, std::vector<double>{1, 3}), (std::vector<double>{2, 1}));
}

}  // namespace
}  // namespace fenchel::test
