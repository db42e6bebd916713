// SPDX-License-Identifier: Apache-2.0
#include "models/word_forms.hpp"

#include <gtest/gtest.h>

namespace fenchel::test {
namespace {

std::string form(WordForm form, std::string_view word, std::size_t letters = 0) {
  std::string out = "(";
  return append_form(form, letters, word, out) ? out.substr(1) : out;
}

TEST(WordForms, SmallLetters) {
  EXPECT_EQ(form(WordForm::lower, "McDonald's-42"), "mcdonald's-42");
  EXPECT_EQ(form(WordForm::lower, "ÄÖÜß ÉŁŽ ΑΩ ЖЯЁ"), "äöüß éłž αω жяё");
  EXPECT_EQ(form(WordForm::lower,
                 "\xff"
                 "A\xc3"),
            "\xff"
            "a\xc3")
      << "bytes that are not UTF-8 stay";
}

TEST(WordForms, Shapes) {
  EXPECT_EQ(form(WordForm::shape, "McDonald's"), "XxXx'x");
  EXPECT_EQ(form(WordForm::shape, "USA-2024"), "X-d");
  EXPECT_EQ(form(WordForm::shape, "Éluard"), "Xx");
  EXPECT_EQ(form(WordForm::shape, "東京"), "o");
}

TEST(WordForms, BeginningsAndEnds) {
  EXPECT_EQ(form(WordForm::prefix, "walking", 3), "wal");
  EXPECT_EQ(form(WordForm::suffix, "walking", 3), "ing");
  EXPECT_EQ(form(WordForm::suffix, "Größe", 2), "ße");
  EXPECT_EQ(form(WordForm::prefix, "the", 3), "(") << "the whole word is an attribute of its own";
  EXPECT_EQ(form(WordForm::suffix, "", 1), "(");
}

}  // namespace
}  // namespace fenchel::test
