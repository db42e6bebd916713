// SPDX-License-Identifier: Apache-2.0
// Missing values: their replacements are found in one data set and used in others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "data/row_of.hpp"
#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/split.hpp"

namespace fenchel::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;

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

// What stands for missing values comes from the training rows alone, dense or sparse, numbers or words.
TEST(MissingValues, HeldOutRowsHaveNoPartInThem) {
  const TemporaryFolder folder;
  std::string text = "x,c,z,y\n";
  for (int i = 0; i < 40; ++i) {
    text += i % 4 == 0 ? "," : std::to_string(i % 7) + ",";
    text += i % 5 == 0 ? "," : "w" + std::to_string(i * i % 9) + ",";
    text += i % 3 == 0 ? "?," : std::to_string(i % 2) + ",";
    text += i % 2 == 0 ? "u\n" : "v\n";
  }
  const std::string all = folder.write("all.csv", text);
  for (const Storage storage : {Storage::dense, Storage::sparse}) {
    for (const Nominal nominal : {Nominal::one_hot, Nominal::ordinal}) {
      const ReadOptions options{.storage = storage, .nominal = nominal, .missing = Missing::impute};
      const Dataset data = read_dataset(all, options).data;
      const Split split = split_rows(data, 0.4, {.seed = 3});
      const SplitData parts = take_apart(data, split);
      // The same rows from files of their own, with the numbers for words of the whole.
      const auto file_of = [&](const std::string& name, const std::vector<std::size_t>& rows) {
        std::istringstream lines(text);
        std::vector<std::string> line(41);
        for (std::string& one : line) std::getline(lines, one);
        std::string chosen = line[0] + "\n";
        for (const std::size_t row : rows) chosen += line[row + 1] + "\n";
        return folder.write(name, chosen);
      };
      ReadOptions again = options;
      again.nominal_columns = data.nominal;
      const Dataset train = read_dataset(file_of("train.csv", split.train), again).data;
      again.missing = Missing::fill;
      again.fill = train.fill;
      const Dataset held_out = read_dataset(file_of("held.csv", split.held_out), again).data;
      EXPECT_THAT(parts.train.fill, Pointwise(DoubleNear(1e-14), train.fill));
      EXPECT_NE(parts.train.fill, data.fill);
      EXPECT_EQ(parts.held_out.fill, parts.train.fill);
      for (std::size_t i = 0; i < train.rows(); ++i) {
        EXPECT_THAT(row_of(parts.train, i), Pointwise(DoubleNear(1e-14), row_of(train, i))) << i;
      }
      for (std::size_t i = 0; i < held_out.rows(); ++i) {
        EXPECT_THAT(row_of(parts.held_out, i), Pointwise(DoubleNear(1e-14), row_of(held_out, i))) << i;
      }
    }
  }
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
  // A cache of imputed data knows what was missing, one that was made for a model does not.
  const Dataset refilled = read_dataset(cache, with_fill(other)).data;
  EXPECT_EQ(refilled.fill, other.fill);
  EXPECT_THAT(row_of(refilled, 0), ElementsAre(1, 4));
  const Dataset fitted = read_dataset(folder / "a.csv", with_fill(training)).data;
  write_cache(fitted, folder / "fitted.cache");
  EXPECT_THAT(error_of(folder, [&] { read_dataset(folder / "fitted.cache", with_fill(other)); }),
              HasSubstr("fitted.cache: missing values were replaced by what stands for them in other data"));
  EXPECT_EQ(error_of(folder,
                     [&] {
                       read_dataset({cache, folder / "b.cache"});
                     }),
            "b.cache: what stands for missing values differs from the first file's");
  Dataset broken = training;
  broken.fill = {1};
  write_cache(broken, folder / "broken");
  EXPECT_EQ(error_of(folder, [&] { map_cache(folder / "broken"); }),
            "broken: fill has 1 values; expected 2, one per feature");
}

}  // namespace
}  // namespace fenchel::test
