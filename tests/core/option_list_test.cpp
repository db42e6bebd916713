// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/option_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace fenchel::test {
namespace {

struct Choices {
  std::string name = "a";
  std::optional<int> size = {};
  double rate = 0.5;
};

constexpr std::tuple all{OptionMember{"name", &Choices::name}, OptionMember{"size", &Choices::size, false},
                         OptionMember{"rate", &Choices::rate}};
constexpr std::tuple without_last{OptionMember{"name", &Choices::name}, OptionMember{"size", &Choices::size}};
constexpr std::tuple without_first{OptionMember{"size", &Choices::size},
                                   OptionMember{"rate", &Choices::rate}};
constexpr std::tuple without_middle{OptionMember{"name", &Choices::name},
                                    OptionMember{"rate", &Choices::rate}};

static_assert(lists_every_member(all));
static_assert(!lists_every_member(without_last));
static_assert(!lists_every_member(without_first));
static_assert(!lists_every_member(without_middle));

TEST(OptionList, VisitsWhatStepsDependOn) {
  std::vector<std::string> names;
  for_each_shaping_option(Choices{}, all,
                          [&](std::string_view name, const auto& /*value*/) { names.emplace_back(name); });
  EXPECT_THAT(names, testing::ElementsAre("name", "rate"));
}

}  // namespace
}  // namespace fenchel::test
