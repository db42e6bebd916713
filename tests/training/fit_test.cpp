// SPDX-License-Identifier: Apache-2.0
// What a fit hands from the data on to its model.
#include "fenchel/training/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data_dir.hpp"
#include "fenchel/data/csv.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Fit, TheModelKeepsWhatStandsForMissingValues) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", "x,z,y\n1,,u\n2,3,v\n4,1,u\n5,8,v\n");
  Dataset data = read_csv(path, {.missing = Missing::impute});
  for (const std::string kernel : {"", "rbf"}) {
    EXPECT_THAT(head_of(fit(data, {.kernel = kernel}).model).fill, ElementsAre(3, 4));
  }
  data.fill.clear();
  EXPECT_THAT(head_of(fit(data).model).fill, IsEmpty());
}

}  // namespace
}  // namespace fenchel::test
