// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;

Dataset example(bool sparse) {
  Dataset data;
  if (sparse) {
    data.x = Features(CsrMatrix<float>{4, {0, 1, 3, 3, 4}, {2, 0, 3, 1}, {1, 2, 3, 4}});
  } else {
    data.x = Features(Matrix<double>(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}));
  }
  data.labels = {{"a", "b"}, {0, 1, 3, 3, 4}, {0, 1, 0, 1}, {1, 0.25, 0.75, 1}};
  data.values = Matrix<double>(4, 1, {10, 20, 30, 40});
  data.weights = {1, 2, 3, 4};
  return data;
}

TEST(Dataset, SelectDense) {
  const std::vector<std::size_t> rows{3, 1};
  const Dataset part = select_rows(example(false), rows);
  part.x.visit([](const auto& x) {
    EXPECT_THAT(x.dense_rows().row(0), ElementsAre(7, 8));
    EXPECT_THAT(x.dense_rows().row(1), ElementsAre(3, 4));
  });
  EXPECT_THAT(part.labels.offsets, ElementsAre(0, 1, 3));
  EXPECT_THAT(part.labels.indices, ElementsAre(1, 1, 0));
  EXPECT_THAT(part.labels.weights, ElementsAre(1, 0.25, 0.75));
  EXPECT_THAT(part.labels.names, ElementsAre("a", "b"));
  EXPECT_THAT(part.values.entries(), ElementsAre(40, 20));
  EXPECT_THAT(part.weights, ElementsAre(4, 2));
}

TEST(Dataset, SelectSparse) {
  const std::vector<std::size_t> rows{1, 2};
  const Dataset part = select_rows(example(true), rows);
  ASSERT_TRUE(part.x.single());
  EXPECT_EQ(part.x.cols(), 4U);
  part.x.visit([](const auto& x) {
    EXPECT_THAT(x.sparse_rows().indices(0), ElementsAre(0, 3));
    EXPECT_THAT(x.sparse_rows().values(0), ElementsAre(2, 3));
    EXPECT_EQ(x.sparse_rows().indices(1).size(), 0U);
  });
}

TEST(Dataset, QueriesStayWhole) {
  Dataset data = example(false);
  data.queries = {0, 1, 3, 4};
  const std::vector<std::size_t> whole{3, 1, 2};
  EXPECT_THAT(select_rows(data, whole).queries, ElementsAre(0, 1, 3));
  const std::vector<std::size_t> torn{3, 1};
  EXPECT_THROW(select_rows(data, torn), std::invalid_argument);
  const std::vector<std::size_t> beyond{4};
  EXPECT_THROW(select_rows(data, beyond), std::invalid_argument);
}

TEST(Dataset, CopiesShareTheirMemory) {
  const Features x(Matrix<double>(1, 2, {1, 2}));
  const Features copy = x;  // NOLINT(performance-unnecessary-copy-initialization)
  const auto data = [](const Features& f) {
    return f.visit([](const auto& rows) { return static_cast<const void*>(rows.dense_rows().data()); });
  };
  EXPECT_EQ(data(x), data(copy));
}

TEST(Dataset, FingerprintsTellDataApart) {
  for (const bool sparse : {false, true}) {
    const Dataset data = example(sparse);
    const std::string whole = fingerprint(data);
    EXPECT_THAT(whole, ::testing::StartsWith(sparse ? "4 rows, 4 features, " : "4 rows, 2 features, "));
    EXPECT_EQ(fingerprint(example(sparse)), whole);
    Dataset other = data;
    other.labels.names[1] = "c";
    EXPECT_NE(fingerprint(other), whole);
    other = data;
    other.weights[2] = 5;
    EXPECT_NE(fingerprint(other), whole);
    other = data;
    other.x = example(!sparse).x;
    EXPECT_NE(fingerprint(other), whole);
  }
}

// Checkpoints on disk hold this text.
TEST(Dataset, FingerprintsStayAsTheyAre) {
  EXPECT_EQ(fingerprint(example(false)), "4 rows, 2 features, f1d47dad15402efb");
  EXPECT_EQ(fingerprint(example(true)), "4 rows, 4 features, 0eabab8db8845651");
}

}  // namespace
}  // namespace fenchel::test
