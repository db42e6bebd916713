// SPDX-License-Identifier: Apache-2.0
// Models of any kind meet data of their own kind, or are told so.
#include "fenchel/models/evaluation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fenchel::test {
namespace {

LinearModel two_classes() {
  LinearModel model;
  model.weights = Matrix<double>(1, 2, {1, -1});
  model.classes = {"a", "b"};
  return model;
}

TEST(Evaluation, OfAnyModel) {
  Dataset data;
  data.x = Features(Matrix<double>(3, 1, {1, -2, 3}));
  data.labels = {{"a", "b"}, {0, 1, 2, 3}, {0, 1, 1}, {1, 1, 1}};
  const AnyModel model = two_classes();
  const Evaluation any = evaluate(model, data);
  const Evaluation linear = evaluate(two_classes(), data);
  EXPECT_EQ(any.examples, 3U);
  ASSERT_EQ(any.metrics.size(), linear.metrics.size());
  for (std::size_t k = 0; k < any.metrics.size(); ++k)
    EXPECT_EQ(any.metrics[k].value, linear.metrics[k].value);
  EXPECT_EQ(task_of(model), Task::classification);
}

TEST(Evaluation, KindsMustFit) {
  const AnyModel tagger = Tagger{};
  EXPECT_EQ(task_of(tagger), Task::tagging);
  EXPECT_THROW(evaluate(tagger, Dataset{}), std::invalid_argument);
  EXPECT_THROW(evaluate(AnyModel(two_classes()), TaggerData{}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
