// SPDX-License-Identifier: Apache-2.0
// Data for a model that is there: columns are those of training, whatever their order in a file or Dataset.
#include "fenchel/models/read_for.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "data_dir.hpp"
#include "fenchel/data/data_error.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/models/prediction.hpp"
#include "fenchel/training/fit.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

using ::testing::HasSubstr;

class ReadFor : public ::testing::Test {
 protected:
  std::string rows = "height,colour,weight,kind\n1,red,9,a\n2,blue,8,a\n8,red,2,b\n9,green,1,b\n";
  std::string swapped = "weight,kind,colour,height\n9,a,red,1\n8,a,blue,2\n2,b,red,8\n1,b,green,9\n";
};

TEST_F(ReadFor, ColumnsAreThoseOfTraining) {
  const TemporaryFolder folder;
  const Dataset train = read_dataset(folder.write("a.csv", rows)).data;
  const AnyModel model = fit(train, {}).model;
  const Predictions wanted = predict(model, train);
  const std::string other = folder.write("b.csv", swapped);
  const Dataset known = read_for(model, other).data;
  EXPECT_EQ(known.feature_names, train.feature_names);
  EXPECT_EQ(predict(model, known).outputs.entries()[0], wanted.outputs.entries()[0]);
  const Dataset again = read_dataset(other, {.target = "kind"}).data;
  EXPECT_NE(again.feature_names, train.feature_names);
  const Predictions moved = predict(model, again);
  EXPECT_TRUE(std::ranges::equal(moved.outputs.entries(), wanted.outputs.entries()));
  EXPECT_EQ(evaluate(model, again).metrics.front().value, evaluate(model, train).metrics.front().value);
}

TEST_F(ReadFor, ColumnsThatDifferAreNamed) {
  const TemporaryFolder folder;
  const AnyModel model = fit(read_dataset(folder.write("a.csv", rows)).data, {}).model;
  const Dataset wrong = read_dataset(folder.write("b.csv", swapped)).data;  // the height is the target
  EXPECT_THAT(message_of([&] { evaluate(model, wrong); }), HasSubstr("'height'"));
  std::string fewer = rows;
  fewer.replace(fewer.find("green"), 5, "red");
  const Dataset words = read_dataset(folder.write("c.csv", fewer)).data;
  EXPECT_THAT(message_of([&] { predict(model, words); }), HasSubstr("column 'colour' have other numbers"));
}

}  // namespace
}  // namespace fenchel::test
