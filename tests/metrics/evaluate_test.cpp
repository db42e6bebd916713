// SPDX-License-Identifier: Apache-2.0
// Every task's metrics have names of the list and the values of the functions behind them.
#include "fenchel/metrics/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "messages.hpp"
#include "metrics/rows.hpp"

namespace fenchel::test {
namespace {

using metrics::evaluate;
using metrics::Metric;
using metrics::value_of;

std::vector<std::string> names_of(const std::vector<Metric>& values) {
  std::vector<std::string> names;
  for (const Metric& metric : values) names.push_back(metric.name);
  return names;
}

void expect_known(const std::vector<Metric>& values) {
  for (const Metric& metric : values) {
    EXPECT_EQ(metrics::find_metric(metric.name).name, metric.name);
    EXPECT_TRUE(std::isfinite(metric.value)) << metric.name;
  }
}

TEST(Evaluate, Classification) {
  const Matrix<double> p = rows_of({{.5, .5, 0}, {0, 0, 1}, {.2, .8, 0}});
  const Matrix<double> theta = rows_of({{1, 2, 0}, {0, 0, 5}, {1, 3, 0}});
  const std::vector<std::int32_t> labels{1, 2, 0};
  const auto values =
      evaluate(Task::classification, {p.view(), theta.view()}, {.labels = labels, .classes = 3});
  expect_known(values);
  EXPECT_DOUBLE_EQ(value_of(values, "accuracy"), 2.0 / 3) << "the scores decide where outputs are equal";
  EXPECT_DOUBLE_EQ(value_of(values, "mean_support"), 5.0 / 3);
  EXPECT_NEAR(value_of(values, "log_loss"), -(std::log(.5) + std::log(.2)) / 3, 1e-14);
  EXPECT_EQ(values.front().name, "accuracy");
}

TEST(Evaluate, ClassesUnseenInTrainingAreErrors) {
  const Matrix<double> p = rows_of({{1, 0}, {0, 1}});
  const std::vector<std::int32_t> labels{0, 2};
  const auto values = evaluate(Task::classification, {p.view(), {}}, {.labels = labels, .classes = 3});
  EXPECT_DOUBLE_EQ(value_of(values, "accuracy"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(values, "f1_macro"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value_of(values, "brier"), 1);
}

TEST(Evaluate, ProbabilityMetricsOnlyOfProbabilities) {
  const Matrix<double> p = rows_of({{.9, .4}, {.1, 1}});
  const std::vector<std::int32_t> labels{0, 1};
  const auto values = evaluate(Task::classification, {p.view(), {}}, {.labels = labels, .classes = 2});
  EXPECT_THAT(names_of(values), testing::Not(testing::Contains("log_loss")));
  EXPECT_THAT(
      message_of([&] { value_of(values, "log_loss"); }),
      testing::StartsWith("metric is 'log_loss', which is not one of this task and these predictions; "
                          "expected accuracy, "));
  EXPECT_EQ(message_of([&] { value_of(values, "acuracy"); }),
            "unknown metric 'acuracy'; did you mean 'accuracy'?");
}

TEST(Evaluate, OtherTasks) {
  const Matrix<double> y = rows_of({{1, 0}, {0, 1}}), p = rows_of({{.75, .25}, {.5, .5}});
  const auto proportions = evaluate(Task::proportions, {p.view(), {}}, {.rows = y.view()});
  expect_known(proportions);
  EXPECT_EQ(names_of(proportions), (std::vector<std::string>{"js", "squared_error", "half_squared_error",
                                                             "log_loss", "mean_support"}));
  EXPECT_DOUBLE_EQ(value_of(proportions, "squared_error"), (0.125 + 0.5) / 2);
  const auto sets = evaluate(Task::multilabel, {p.view(), {}}, {.rows = y.view()});
  expect_known(sets);
  EXPECT_DOUBLE_EQ(value_of(sets, "subset_accuracy"), 0.5) << "½ is not above ½";
  EXPECT_DOUBLE_EQ(value_of(sets, "hamming_loss"), 0.25);
  const auto numbers = evaluate(Task::regression, {p.view(), {}}, {.rows = y.view()});
  expect_known(numbers);
  EXPECT_DOUBLE_EQ(value_of(numbers, "absolute_error"), (0.25 + 0.5) / 2);
}

TEST(Evaluate, Orders) {
  const Matrix<double> relevance = rows_of({{2}, {0}, {1}, {0}}), scores = rows_of({{3}, {1}, {0}, {1}});
  const std::vector<std::int64_t> queries{0, 2, 4};
  const auto documents =
      evaluate(Task::ranking, {scores.view(), {}}, {.rows = relevance.view(), .queries = queries});
  expect_known(documents);
  EXPECT_DOUBLE_EQ(value_of(documents, "ndcg_10"), (1 + 1 / std::log2(3.0)) / 2);
  EXPECT_DOUBLE_EQ(value_of(documents, "kendall_tau"), 0);
  const Matrix<double> order = rows_of({{3, 2, 1}, {1, 2, 3}}), theta = rows_of({{9, 2, 4}, {0, 1, 2}});
  const auto labels = evaluate(Task::label_ranking, {theta.view(), {}}, {.rows = order.view()});
  expect_known(labels);
  EXPECT_DOUBLE_EQ(value_of(labels, "kendall_tau"), (1.0 / 3 + 1) / 2);
  EXPECT_DOUBLE_EQ(value_of(labels, "accuracy"), 1);
}

TEST(Evaluate, ListIsWithoutRepeatsAndDefaultsAreInIt) {
  std::set<std::string_view> names;
  for (const auto& info : metrics::metric_list()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.meaning.empty()) << info.name;
  }
  for (const Task task : all_tasks) EXPECT_TRUE(names.contains(metrics::default_metric(task)));
  EXPECT_FALSE(metrics::find_metric("js").larger_is_better);
  EXPECT_TRUE(metrics::find_metric("ndcg_10").larger_is_better);
}

TEST(Evaluate, SizesMustAgree) {
  const Matrix<double> p = rows_of({{1, 0}});
  const std::vector<std::int32_t> labels{0, 1};
  EXPECT_NE(message_of([&] {
              evaluate(Task::classification, {p.view(), {}}, {.labels = labels, .classes = 2});
            }),
            "");
}

TEST(TaskNames, RoundTripAndSuggest) {
  for (const Task task : all_tasks) EXPECT_EQ(parse_task(to_string(task)), task);
  EXPECT_EQ(parse_task("label_ranking"), Task::label_ranking);
  EXPECT_EQ(message_of([] { parse_task("clasification"); }),
            "unknown task 'clasification'; did you mean 'classification'?");
  EXPECT_THAT(message_of([] { parse_task("zzz"); }), testing::HasSubstr("expected one of classification"));
}

}  // namespace
}  // namespace fenchel::test
