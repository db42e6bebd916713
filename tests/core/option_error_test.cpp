// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/option_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace fenchel {
namespace {

std::string shouted(std::string_view option, std::string_view value) {
  return "<" + std::string(option) + "|" + std::string(value) + ">";
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const OptionError& error) {
    return error.spelled(shouted);
  }
  return "";
}

TEST(OptionError, SaysOptionsWithoutBackticks) {
  const OptionError error("choose `intercept=penalised` or another `solver`");
  EXPECT_STREQ(error.what(), "choose intercept=penalised or another solver");
  EXPECT_EQ(error.spelled(shouted), "choose <intercept|penalised> or another <solver|>");
}

TEST(OptionError, KeepsTextWithoutOptions) {
  for (const char* text : {"", "no option", "l2 = 0", "``", "`", "`not an option`", "`3=4`"}) {
    const OptionError error(text);
    EXPECT_STREQ(error.what(), text);
    EXPECT_EQ(error.spelled(shouted), text);
  }
}

TEST(OptionError, KeepsBackticksOfUsers) {
  const OptionError error("`grid` is '`'; expected `grid=a,b`");
  EXPECT_STREQ(error.what(), "grid is '`'; expected grid=a,b");
  EXPECT_EQ(error.spelled(shouted), "<grid|> is '`'; expected <grid|a,b>");
}

TEST(OptionError, NumbersOutOfRange) {
  EXPECT_NO_THROW(check_option_at_least("tolerance", 0, 0));
  EXPECT_EQ(error_of([] { check_option_at_least("tolerance", -1, 0); }),
            "<tolerance|> is -1; expected a number >= 0");
  EXPECT_EQ(error_of([] { check_option_at_least("rho", std::nan(""), 0); }),
            "<rho|> is nan; expected a number >= 0");
  EXPECT_EQ(error_of([] { check_option_finite("lambda", HUGE_VAL); }),
            "<lambda|> is inf; expected a finite number");
}

TEST(SpellOptions, InTextsThatAreNoErrors) {
  EXPECT_EQ(spell_options("penalty: l2, `lambda` = 1"), "penalty: l2, lambda = 1");
  EXPECT_EQ(spell_options("penalty: l2, `lambda` = 1", shouted), "penalty: l2, <lambda|> = 1");
}

TEST(OptionError, IsAnInvalidArgument) { EXPECT_THROW(throw OptionError("`solver`"), std::invalid_argument); }

}  // namespace
}  // namespace fenchel
