// SPDX-License-Identifier: Apache-2.0
// Columns of names: a name gets the same number in every data set as in the first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/row_of.hpp"
#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/csv.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string csv = "x,c,d,y\n1,red,p,u\n2,green,q,v\n3,blue,q,u\n";

ReadOptions as_in(const Dataset& training) { return {.nominal_columns = training.nominal}; }

class NominalColumns : public testing::Test {
 protected:
  Dataset read(const std::string& name, const std::string& text, const ReadOptions& options = {}) const {
    return read_dataset(folder_.write(name, text), options).data;
  }
  std::string error(const std::string& name, const std::string& text, const ReadOptions& options) const {
    return error_of(folder_, [&] { read(name, text, options); });
  }

  TemporaryFolder folder_;
};

TEST_F(NominalColumns, AreToldByTheDataSet) {
  const Dataset data = read("a.csv", csv);
  EXPECT_THAT(data.nominal, ElementsAre(NominalColumn{"c", {"blue", "green", "red"}, 1, true},
                                        NominalColumn{"d", {"p", "q"}, 4, false}));
  EXPECT_THAT(read("a.csv", csv, {.nominal = Nominal::ordinal}).nominal,
              ElementsAre(NominalColumn{"c", {"blue", "green", "red"}, 1, false},
                          NominalColumn{"d", {"p", "q"}, 2, false}));
  const std::vector<std::size_t> one{0};
  EXPECT_EQ(select_rows(data, one).nominal, data.nominal);
  EXPECT_TRUE(read("b.csv", "x,y\n1,u\n").nominal.empty());
}

TEST_F(NominalColumns, OneRowIsReadLikeMany) {
  const Dataset training = read("a.csv", csv);
  const Dataset one = read("b.csv", "x,c,d,y\n2,red,q,u\n", as_in(training));
  EXPECT_THAT(row_of(one, 0), ElementsAre(2, 0, 0, 1, 1));
  EXPECT_EQ(one.feature_names, training.feature_names);
  EXPECT_EQ(one.nominal, training.nominal);
  const Dataset ordinal = read("a.csv", csv, {.nominal = Nominal::ordinal});
  EXPECT_THAT(row_of(read("b.csv", "x,c,d,y\n2,red,q,u\n", as_in(ordinal)), 0), ElementsAre(2, 2, 1));
}

TEST_F(NominalColumns, AreKnownByTheirPlaceWithoutAHeader) {
  const Dataset training = read("a.csv", "x,c,y\n1,none,u\n2,3,v\n3,7,u\n");
  const Dataset data = read("b.csv", "9,7,1\n9,3,0\n", as_in(training));
  EXPECT_THAT(row_of(data, 0), ElementsAre(9, 0, 1, 0));
  EXPECT_THAT(row_of(data, 1), ElementsAre(9, 1, 0, 0));
  EXPECT_EQ(data.nominal, training.nominal);
}

TEST_F(NominalColumns, UnseenValuesAreRefused) {
  const Dataset training = read("a.csv", csv);
  EXPECT_EQ(error("b.csv", "x,c,d,y\n1,red,p,u\n2,red,r,u\n", as_in(training)),
            "b.csv:3:7: 'r' is not a value of column 'd'; expected 'p' or 'q', as in training");
  EXPECT_EQ(error("b.csv", "x,c,d,y\nmany,red,p,u\n", as_in(training)),
            "b.csv:2:1: 'many' is not a finite number; column 'x' has no names for values in the model");
  std::string many = "c,y\n";
  for (int i = 0; i < 20; ++i) many += "v" + std::to_string(10 + i) + ",u\n";
  EXPECT_THAT(error("b.csv", "c,y\nw,u\n", as_in(read("a.csv", many))),
              HasSubstr("expected 'v10', 'v11', 'v12', 'v13', 'v14', 'v15', 'v16', 'v17' or one of 12 more"));
}

TEST_F(NominalColumns, OtherColumnsAreRefused) {
  const Dataset training = read("a.csv", csv);
  EXPECT_EQ(error("b.csv", "x,d,c,y\n1,p,red,u\n", as_in(training)),
            "b.csv:1:1: feature column 2 is 'd'; expected 'c', as in training");
  EXPECT_EQ(error("b.csv", "x,c,y\n1,red,u\n", as_in(training)),
            "b.csv:1:1: 2 feature columns; expected more, among them 'd', as in training");
  EXPECT_THROW(read("b.csv", csv, {.nominal_columns = {{{"c", {}, 1, false}}}}), std::invalid_argument);
}

TEST_F(NominalColumns, MissingOnesAreFilledAsInTraining) {
  const Dataset training = read("a.csv", csv + "4,green,,v\n", {.missing = Missing::impute});
  ReadOptions options = as_in(training);
  options.missing = Missing::fill;
  options.fill = training.fill;
  EXPECT_THAT(row_of(read("b.csv", "x,c,d,y\n,,,u\n", options), 0), ElementsAre(2.5, 0, 1, 0, 1));
}

TEST_F(NominalColumns, OfArffHaveTheNumbersOfTraining) {
  const auto header = [](const std::string& values) {
    return "@relation r\n@attribute x real\n@attribute c {" + values + "}\n@attribute y {u,v}\n@data\n";
  };
  const Dataset training = read("a.arff", header("a,c,b") + "1,c,u\n2,b,v\n");
  EXPECT_THAT(training.nominal, ElementsAre(NominalColumn{"c", {"a", "c", "b"}, 1, true}));
  for (const std::string rows : {"7,b,u\n", "{0 7,1 b}\n"}) {
    EXPECT_THAT(row_of(read("b.arff", header("a,b") + rows, as_in(training)), 0), ElementsAre(7, 0, 0, 1));
  }
  EXPECT_THAT(row_of(read("b.csv", "x,c,y\n7,b,u\n", as_in(training)), 0), ElementsAre(7, 0, 0, 1));
  EXPECT_THAT(row_of(read("b.arff", header("b,z,a") + "7,a,u\n", as_in(training)), 0),
              ElementsAre(7, 1, 0, 0));
  EXPECT_EQ(error("b.arff", header("b,z,a") + "7,z,u\n", as_in(training)),
            "b.arff:6:3: 'z' is not a value of attribute 'c'; expected 'a', 'c' or 'b', as in training");
  EXPECT_EQ(error("b.arff", header("b,a") + "{0 7}\n", as_in(training)),
            "b.arff:6:1: sparse rows leave out the value 'b' of attribute 'c'; expected 'a', as in training");
}

TEST_F(NominalColumns, ACacheKeepsThem) {
  const Dataset training = read("a.csv", csv);
  const Dataset other = read("b.csv", "x,c,d,y\n1,red,q,u\n2,green,p,u\n3,grey,p,v\n");
  write_cache(training, folder_ / "a.cache");
  write_cache(other, folder_ / "b.cache");
  EXPECT_EQ(read_dataset(folder_ / "a.cache", as_in(training)).data.nominal, training.nominal);
  EXPECT_EQ(error_of(folder_, [&] { read_dataset(folder_ / "b.cache", as_in(training)); }),
            "b.cache: the values of nominal columns have other numbers than in the model; expected a cache "
            "converted for the model");
  Dataset broken = training;
  broken.nominal[1].feature = 5;
  write_cache(broken, folder_ / "broken");
  EXPECT_EQ(error_of(folder_, [&] { map_cache(folder_ / "broken"); }),
            "broken: nominal column 'd' takes 1 features from 5 on; expected them between 4 and 5");
}

}  // namespace
}  // namespace fenchel::test
