// SPDX-License-Identifier: Apache-2.0
// Every golden case, in double and in float, entry by entry.
#include <gtest/gtest.h>

#include "golden_cases.hpp"

namespace fenchel::test {
namespace {

class Golden : public testing::TestWithParam<const char*> {};

template <Real T>
void check_case(const Json& golden) {
  const std::string id = golden["id"];
  SCOPED_TRACE(id + " " + golden["op"].get<std::string>() + " " + golden["omega"].dump());
  std::vector<double> got;
  ASSERT_NO_THROW(got = golden_result<T>(golden)) << id;
  const Json& expect = golden["expect"];
  std::vector<double> expected;
  if (expect.is_array()) {
    expected = golden_numbers<double>(expect);
  } else if (!expect.is_null()) {
    expected.push_back(expect.get<double>());
  }
  ASSERT_EQ(got.size(), expected.size()) << id;
  for (std::size_t j = 0; j < got.size(); ++j) {
    EXPECT_NEAR(got[j], expected[j], golden_tolerance<T> * (1 + std::abs(expected[j])))
        << id << ", entry " << j;
  }
}

TEST_P(Golden, Double) {
  for (const Json& golden : golden_cases(GetParam())) check_case<double>(golden);
}

TEST_P(Golden, Float) {
  for (const Json& golden : golden_cases(GetParam())) {
    if (fits_float(golden)) check_case<float>(golden);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Golden,
                         testing::Values("simplex.jsonl", "measures.jsonl", "cost_sensitive.jsonl",
                                         "prox.jsonl", "jvp.jsonl", "margins.jsonl", "structured.jsonl"),
                         [](const auto& parameter) {
                           const std::string file = parameter.param;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace fenchel::test
