// SPDX-License-Identifier: Apache-2.0
// Missing values: what stands for them is found in one data set and put into others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/row_of.hpp"
#include "data_dir.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/text_source.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string header =
    "@relation r\n@attribute x real\n@attribute c {a,b,d}\n@attribute e {no,yes}\n@attribute y "
    "{0,1}\n@data\n";

Dataset imputed(const Paths& paths, Nominal nominal = Nominal::one_hot) {
  return read_dataset(paths, {.nominal = nominal, .missing = Missing::impute}).data;
}

ReadOptions with_fill(const Dataset& training, Nominal nominal = Nominal::one_hot) {
  return {.nominal = nominal, .missing = Missing::fill, .fill = training.fill};
}

TEST(MissingValues, AreFoundInAllFilesOfTheDataSet) {
  const TemporaryFolder folder;
  const std::string first = folder.write("a.arff", header + "1,a,yes,1\n?,b,no,0\n");
  const std::string second = folder.write("b.arff", header + "3,?,?,1\n5,b,yes,0\n");
  const Dataset data = imputed({first, second});
  EXPECT_THAT(data.fill, ElementsAre(3, 0, 1, 0, 1));
  EXPECT_THAT(row_of(data, 1), ElementsAre(3, 0, 1, 0, 0));
  EXPECT_THAT(row_of(data, 2), ElementsAre(3, 0, 1, 0, 1));
  EXPECT_THAT(imputed({first, second}, Nominal::ordinal).fill, ElementsAre(3, 1, 1));
  const std::vector<std::size_t> one{0};
  EXPECT_EQ(select_rows(data, one).fill, data.fill);
}

TEST(MissingValues, BecomeWhatTheyAreInOtherData) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train.arff", header + "1,a,yes,1\n3,d,yes,1\n8,d,no,0\n");
  const std::string test = folder.write("test.arff", header + "?,?,?,1\n100,b,no,1\n");
  const std::string sparse = folder.write("sparse.arff", header + "{0 ?,1 ?,2 ?}\n{0 100,1 b}\n");
  const Dataset training = imputed(train);
  for (const std::string& path : {test, sparse}) {
    for (const Storage storage : {Storage::dense, Storage::sparse}) {
      ReadOptions options = with_fill(training);
      options.storage = storage;
      const Dataset data = read_dataset(path, options).data;
      EXPECT_THAT(row_of(data, 0), ElementsAre(4, 0, 0, 1, 1));
      EXPECT_THAT(row_of(data, 1), ElementsAre(100, 0, 1, 0, 0));
      EXPECT_EQ(data.fill, training.fill);
    }
  }
  const Dataset ordinal = imputed(train, Nominal::ordinal);
  EXPECT_THAT(row_of(read_dataset(test, with_fill(ordinal, Nominal::ordinal)).data, 0), ElementsAre(4, 2, 1));
}

TEST(MissingValues, OfCsv) {
  const TemporaryFolder folder;
  const Dataset training = imputed(folder.write("train.csv", "x,c,y\n1,b,u\n,a,v\n4,,u\n4,b,v\n"));
  EXPECT_THAT(training.fill, ElementsAre(3, 1));
  const std::string test = folder.write("test.csv", "x,c,y\nNA,,u\n");
  EXPECT_THAT(row_of(read_dataset(test, with_fill(training)).data, 0), ElementsAre(3, 1));
}

TEST(MissingValues, CompleteDataHaveSomethingForThemTooIfAskedFor) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "x,y\n1,u\n2,v\n");
  EXPECT_THAT(imputed(path).fill, ElementsAre(1.5));
  EXPECT_THAT(read_dataset(path).data.fill, IsEmpty());
}

TEST(MissingValues, MeansDoNotOverflow) {
  const TemporaryFolder folder;
  const Dataset data = imputed(folder.write("a.csv", "x,y\n1.5e308,u\n-1.5e308,v\n,u\n"));
  EXPECT_THAT(data.fill, ElementsAre(0));
}

TEST(MissingValues, AColumnWithoutAnyValueIsZeroOrItsFirstValue) {
  const TemporaryFolder folder;
  const Dataset numeric = imputed(folder.write("a.csv", "x,z,y\n1,,u\n2,?,v\n"));
  EXPECT_THAT(numeric.fill, ElementsAre(1.5, 0));
  EXPECT_THAT(row_of(numeric, 1), ElementsAre(2, 0));
  const Dataset nominal = imputed(folder.write("a.arff", header + "?,?,?,1\n?,?,?,0\n"));
  EXPECT_THAT(nominal.fill, ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(row_of(nominal, 0), ElementsAre(0, 1, 0, 0, 0));
}

TEST(MissingValues, Refused) {
  const TemporaryFolder folder;
  const std::string csv = folder.write("a.csv", "x,z,y\n1,,u\n2,3,v\n");
  const std::string arff = folder.write("a.arff", header + "1,?,no,0\n1,a,no,?\n");
  const auto error = [&](const std::string& path, const ReadOptions& options) {
    return error_of(folder, [&] { read_dataset(path, options); });
  };
  const std::string nothing = "is missing; expected one, as training kept nothing to put in its place";
  EXPECT_EQ(error(csv, {.missing = Missing::fill}), "a.csv:2:3: a value of column 'z' " + nothing);
  EXPECT_EQ(error(arff, {.missing = Missing::fill}), "a.arff:7:3: the value of attribute 'c' " + nothing);
  EXPECT_EQ(error(arff, {.missing = Missing::impute}), "a.arff:8:8: the value of attribute 'y' is missing");
  EXPECT_EQ(error(csv, {.missing = Missing::fill, .fill = {1, 2, 3}}), "a.csv: 2 features; expected 3");
  EXPECT_EQ(error(arff, {.missing = Missing::fill, .fill = {1}}),
            "a.arff:8:8: the value of attribute 'y' is missing");
  EXPECT_THROW(read_dataset(csv, {.features = 2, .missing = Missing::fill, .fill = {1}}),
               std::invalid_argument);
  EXPECT_THROW(read_dataset(csv, {.missing = Missing::impute, .fill = {1, 2}}), std::invalid_argument);
}

TEST(MissingValues, ACacheKeepsWhatStandsForThem) {
  const TemporaryFolder folder;
  const Dataset training = imputed(folder.write("a.csv", "x,z,y\n1,,u\n2,3,v\n"));
  const Dataset other = imputed(folder.write("b.csv", "x,z,y\n1,,u\n2,4,v\n"));
  const std::string cache = folder / "a.cache";
  write_cache(training, cache);
  write_cache(other, folder / "b.cache");
  EXPECT_EQ(read_dataset(cache).data.fill, training.fill);
  EXPECT_EQ(read_dataset({cache, cache}).data.fill, training.fill);
  EXPECT_EQ(read_dataset(cache, with_fill(training)).data.fill, training.fill);
  EXPECT_THAT(error_of(folder, [&] { read_dataset(cache, with_fill(other)); }),
              HasSubstr("a.cache: missing values were replaced by what stands for them in other data"));
  EXPECT_EQ(error_of(folder,
                     [&] {
                       read_dataset({cache, folder / "b.cache"});
                     }),
            "b.cache: what stands for missing values differs from the first file's");
  Dataset broken = training;
  broken.fill = {1};
  write_cache(broken, folder / "broken");
  EXPECT_EQ(error_of(folder, [&] { map_cache(folder / "broken"); }),
            "broken: fill has 1 values; expected 2, one a feature");
}

}  // namespace
}  // namespace fenchel::test
