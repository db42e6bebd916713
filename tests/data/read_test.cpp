// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/row_of.hpp"
#include "data_dir.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ReadOptions two_features{.features = 2, .drop_beyond = true, .index_base = IndexBase::one};

TEST(RowStream, RowsOfSvmlightAreHandedOutAsTheyCome) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::system(("mkfifo " + path).c_str()), 0);
  const std::string script =
      "(printf '# c\\n'; sleep 0.2; printf '\\n1 1:1\\n'; sleep 0.2; printf '1,2\\n') > " + path + " &";
  ASSERT_EQ(::system(script.c_str()), 0);
  RowStream stream(path, two_features);
  Reading rows;
  ASSERT_TRUE(stream.next(rows));
  EXPECT_EQ(rows.format, DataFormat::svmlight);
  EXPECT_EQ(rows.data.rows(), 1U);
  EXPECT_THAT(row_of(rows.data, 0), ElementsAre(1, 0));
  ASSERT_TRUE(stream.next(rows));  // svmlight goes on, whatever a line looks like
  EXPECT_THAT(rows.data.labels.names, ElementsAre("1", "2"));
  EXPECT_FALSE(stream.next(rows));
}

TEST(RowStream, OtherFormatsAreReadToTheirEnd) {
  const TemporaryFolder folder;
  const std::string csv = folder.write("csv", "\nx,z,y\n1,2,a\n3,4,b\n");
  const std::string arff = folder.write(
      "arff", "@relation r\n@attribute x real\n@attribute z real\n@attribute y {a,b}\n@data\n1,2,a\n3,4,b\n");
  for (const std::string& path : {csv, arff}) {
    RowStream stream(path, two_features);
    Reading rows;
    ASSERT_TRUE(stream.next(rows));
    EXPECT_EQ(rows.format, path == csv ? DataFormat::csv : DataFormat::arff);
    EXPECT_THAT(row_of(rows.data, 1), ElementsAre(3, 4));
    EXPECT_THAT(rows.data.labels.names, ElementsAre("a", "b"));
    EXPECT_FALSE(stream.next(rows));
  }
}

TEST(RowStream, WhatCannotBeTold) {
  const TemporaryFolder folder;
  const auto first_of = [&](const std::string& text, const ReadOptions& options) {
    RowStream stream(folder.write("x", text), options);
    Reading rows;
    return stream.next(rows) ? rows.data.rows() : 0;
  };
  EXPECT_EQ(first_of("", two_features), 0U);
  EXPECT_EQ(first_of("# c\n", two_features), 0U);
  EXPECT_EQ(first_of("1\n", two_features), 1U);  // a label and no features
  ReadOptions named = two_features;
  named.feature_names = {"x", "z"};
  EXPECT_THAT(error_of(folder, [&] { first_of("1\n", named); }), HasSubstr("the format cannot be told"));
  EXPECT_EQ(error_of(folder, [&] { first_of("the cat\n", two_features); }),
            "x:1:5: 'cat' is not a feature; expected index:value");
  EXPECT_THROW(first_of("1 1:1\n", {}), std::invalid_argument);
}

}  // namespace
}  // namespace fenchel::test
