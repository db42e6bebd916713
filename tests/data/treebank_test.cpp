// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/treebank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "data/text_source.hpp"
#include "data_dir.hpp"
#include "fenchel/core/random.hpp"
#include "messages.hpp"

namespace fenchel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Column = TreebankColumn;
using Kind = OtherLines::Kind;

/// A word with its number, form and head; the other columns are alike.
std::string word(const std::string& number, const std::string& form, const std::string& head) {
  const std::string relation = head == "_" ? "_" : head == "0" ? "root" : "nsubj";
  return number + "\t" + form + "\t_\tNOUN\tNN\tNumber=Sing\t" + head + "\t" + relation + "\t_\t_\n";
}

/// A line that is not a word.
std::string node(const std::string& number) { return number + "\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"; }

/// Comments of both kinds, a multi-word token, empty nodes at both ends, forms with spaces and underscores,
/// no tree.
std::string sample() {
  return "# sent_id = 1\n#\n# a comment\n" + node("0.1") + node("1-2") + word("1", "à le", "2") +
         word("2", "_", "0") + node("2.1") + node("2.2") + "\n" + node("0.1") + word("1", "#", "_") +
         "\n# last\n" + word("1", "a", "3") + word("2", "b", "0") + word("3", "c", "2") +
         word("4", "d", "1") + "\n";
}

Treebank read(const TemporaryFolder& folder, std::string_view text) {
  return read_conllu(folder.write("a.conllu", text));
}

TEST(Treebank, WordsAndOtherLines) {
  const TemporaryFolder folder;
  const Treebank bank = read(folder, sample());
  EXPECT_THAT(bank.offsets, ElementsAre(0, 2, 3, 7));
  EXPECT_EQ(bank.sentences(), 3U);
  EXPECT_EQ(bank.words(), 7U);
  EXPECT_THAT(bank.heads, ElementsAre(2, 0, -1, 3, 0, 2, 1));
  EXPECT_THAT(bank.heads_of(1), ElementsAre(-1));
  EXPECT_EQ(bank.column(Column::form)[0], "à le");
  EXPECT_EQ(bank.column(Column::form)[1], "_");
  EXPECT_EQ(bank.column(Column::form)[2], "#");
  EXPECT_EQ(bank.column(Column::lemma)[0], "_");
  EXPECT_EQ(bank.column(Column::upos)[0], "NOUN");
  EXPECT_EQ(bank.column(Column::xpos)[0], "NN");
  EXPECT_EQ(bank.column(Column::feats)[0], "Number=Sing");
  EXPECT_EQ(bank.column(Column::deprel)[1], "root");
  EXPECT_EQ(bank.others.count(Kind::comment), 4U);
  EXPECT_EQ(bank.others.count(Kind::multiword), 1U);
  EXPECT_EQ(bank.others.count(Kind::empty_node), 4U);
  EXPECT_THAT(bank.others.offsets, ElementsAre(0, 7, 8, 9));
  EXPECT_THAT(bank.others.after, ElementsAre(0, 0, 0, 0, 0, 2, 2, 0, 0));
}

TEST(Treebank, ColumnsByName) {
  for (std::size_t c = 0; c < treebank_column_names.size(); ++c) {
    EXPECT_EQ(static_cast<std::size_t>(treebank_column_called(treebank_column_names[c])), c);
  }
  EXPECT_EQ(message_of([] { treebank_column_called("head"); }),
            "column is 'head'; expected one of form, lemma, upos, xpos, feats, deprel, deps, misc");
}

TEST(Treebank, IsWrittenAsItWasRead) {
  const TemporaryFolder folder;
  const std::string text = sample();
  const Treebank bank = read(folder, text);
  EXPECT_EQ(conllu_text(bank), text);
  std::ostringstream out;
  write_conllu(bank, out);
  EXPECT_EQ(out.str(), text);
  write_conllu(bank, folder.path() / "b.conllu");
  EXPECT_EQ(content_of(folder.path() / "b.conllu"), text);
  const std::string path = folder / "a.conllu";
  EXPECT_EQ(conllu_text(read_conllu({path, path})), text + text);
}

TEST(Treebank, LineEndsBlankLinesAndMarksAreMadeRegular) {
  const TemporaryFolder folder;
  const std::string text = sample();
  std::string other = "\xEF\xBB\xBF\n  \n";
  for (const char c : text) other += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(conllu_text(read(folder, other)), text);
  EXPECT_EQ(conllu_text(read(folder, text + "\n\n")), text);
  EXPECT_EQ(conllu_text(read(folder, text.substr(0, text.size() - 1))), text);
  EXPECT_EQ(conllu_text(read(folder, text.substr(0, text.size() - 2))), text);
}

std::string packed(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder / "a.conllu.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

TEST(Treebank, Gzip) {
  const TemporaryFolder folder;
  const std::string path = packed(folder, sample());
  EXPECT_EQ(conllu_text(read_conllu(path)), sample());
  const std::string cut = content_of(path).substr(0, 60);
  EXPECT_EQ(error_of(folder, [&] { read(folder, cut); }),
            "a.conllu: the gzip data end too early; the file is cut off");
}

class TreebankErrors : public testing::Test {
 protected:
  std::string error(const std::string& text) const {
    return error_of(folder_, [&] { read_conllu(folder_.write("a", text)); });
  }
  TemporaryFolder folder_;
};

TEST_F(TreebankErrors, Columns) {
  EXPECT_EQ(error("1\ta\t_\t_\t_\t_\t0\troot\t_\n"), "a:1:21: 9 columns; expected 10, separated by tabs");
  EXPECT_EQ(error("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\tx\n"),
            "a:1:24: 11 columns; expected 10, separated by tabs");
  EXPECT_EQ(error("\n1 a _ _ _ _ 0 root _ _\n"), "a:2:23: 1 column; expected 10, separated by tabs");
  EXPECT_EQ(error("1\ta\t\t_\t_\t_\t0\troot\t_\t_\n"), "a:1:5: the column is empty; expected _ for nothing");
  EXPECT_EQ(error("1\ta\t_\t_\t_\t_\t0\troot\t_\t\n"), "a:1:22: the column is empty; expected _ for nothing");
  EXPECT_EQ(error("\t\t\t\t\t\t\t\t\t\n"), "a:1:1: the column is empty; expected _ for nothing");
  EXPECT_EQ(error("1-2\ta\n"), "a:1:6: 2 columns; expected 10, separated by tabs");
  EXPECT_EQ(error("1\ta\rb\t_\t_\t_\t_\t0\troot\t_\t_\n"), "a:1:4: a carriage return within the line");
  EXPECT_EQ(error(word("1", "a", "0") + std::string("2\t\0", 3)),
            "a:2:3: a byte 0; this is a binary file, not a text");
}

TEST_F(TreebankErrors, Numbers) {
  EXPECT_EQ(error(word("2", "a", "0")), "a:1:1: word number '2'; expected 1");
  EXPECT_EQ(error(word("1", "a", "0") + word("1", "b", "1")), "a:2:1: word number '1'; expected 2");
  EXPECT_EQ(error(word("01", "a", "0")), "a:1:1: word number '01'; expected 1");
  EXPECT_EQ(error(word("x", "a", "0")), "a:1:1: word number 'x'; expected 1");
  EXPECT_EQ(error(word("4294967297", "a", "0")), "a:1:1: word number '4294967297'; expected 1");
  for (const std::string head : {"x", "-1", "+0", "00", "0.5", "99999999999", " 0", "0 "}) {
    EXPECT_EQ(error(word("1", "a", head)),
              "a:1:27: head '" + head + "'; expected the number of a word, 0 or _");
  }
}

TEST_F(TreebankErrors, Trees) {
  EXPECT_EQ(error(word("1", "a", "0") + word("2", "b", "3")),
            "a:2:27: the head of word 2 is 3; expected 0 to 2");
  EXPECT_EQ(error(word("1", "a", "0") + word("2", "b", "2")), "a:2:27: word 2 is its own head");
  EXPECT_EQ(error(word("1", "a", "0") + word("2", "b", "_")),
            "a:2:27: word 2 has no head, the words before have one; expected all or none");
  EXPECT_EQ(error("# c\n" + word("1", "a", "0") + word("2", "b", "3") + word("3", "b", "2")),
            "a:2:27: the heads of words 2, 3 form a cycle");
  EXPECT_EQ(error(word("1", "a", "0") + word("2", "b", "0") + "\n"),
            "a:1:27: words 1, 2 have the head 0; expected one root");
  EXPECT_EQ(error(word("1", "a", "0") + "\n" + word("1", "b", "2")),
            "a:3:27: the head of word 1 is 2; expected 0 to 1");
}

TEST_F(TreebankErrors, OtherLines) {
  const std::string a = word("1", "a", "0");
  const std::string range = "expected two increasing numbers of words, such as 3-4";
  for (const std::string id : {"2-1", "1-1", "1-", "-1", "1-x", "a-b", "1-2-3", "01-2"}) {
    EXPECT_EQ(error(node(id) + a), "a:1:1: multi-word token '" + id + "'; " + range);
  }
  EXPECT_EQ(error(node("2-3") + a), "a:1:1: multi-word token '2-3' before word 1; expected it before word 2");
  EXPECT_EQ(error(a + node("1-2")), "a:2:1: multi-word token '1-2' before word 2; expected it before word 1");
  EXPECT_EQ(error(node("1-3") + a + node("2-3")), "a:3:1: multi-word token '2-3' overlaps the one before");
  EXPECT_EQ(error("# c\n" + node("1-2") + a),
            "a:2:1: the multi-word token ends with word 2; the sentence has 1 words");
  EXPECT_EQ(error(a + node("2.1")), "a:2:1: empty node '2.1'; expected 1.1");
  EXPECT_EQ(error(a + node("1.1") + node("1.3")), "a:3:1: empty node '1.3'; expected 1.2");
  EXPECT_EQ(error(node("0.x") + a), "a:1:1: empty node '0.x'; expected 0.1");
  const std::string comment = "a comment within a sentence; expected it before the first word";
  EXPECT_EQ(error(a + "# c\n"), "a:2:1: " + comment);
  EXPECT_EQ(error(node("1-2") + "# c\n"), "a:2:1: " + comment);
}

TEST_F(TreebankErrors, NoWords) {
  EXPECT_EQ(error(""), "a: there are no sentences");
  EXPECT_EQ(error("\n \n"), "a: there are no sentences");
  for (const char* wrong :
       {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xE2\x82", "\xF4\x90\x80\x80", "\xF0\x8F\xBF\xBF"}) {
    EXPECT_EQ(error("1\tà" + std::string(wrong) + "\t_\t_\t_\t_\t0\troot\t_\t_\n"),
              "a:1:5: a byte that is not UTF-8");
  }
  EXPECT_EQ(error("# c\n\n"), "a:2: a sentence without words; expected some after its comments");
  EXPECT_EQ(error("# c"), "a:1: a sentence without words; expected some after its comments");
  EXPECT_EQ(error(node("0.1")), "a:1: a sentence without words; expected some after its comments");
  EXPECT_THAT(error_of(folder_, [&] { read_conllu(folder_ / "nothing"); }),
              HasSubstr("nothing: cannot open"));
}

TEST(Treebank, OtherHeads) {
  const TemporaryFolder folder;
  const Treebank bank = read(folder, sample());
  const std::vector<std::int32_t> heads{0, 1, 0, -1, -1, -1, -1};
  const Treebank plain = with_heads(bank, heads);
  EXPECT_EQ(plain.heads, heads);
  EXPECT_EQ(plain.column(Column::deprel)[0], "root");
  EXPECT_EQ(plain.column(Column::deprel)[1], "dep");
  EXPECT_EQ(plain.column(Column::deprel)[3], "_");
  EXPECT_EQ(plain.column(Column::deps)[0], "_");
  EXPECT_EQ(plain.others.count(Kind::empty_node), bank.others.count(Kind::empty_node));
  EXPECT_THAT(conllu_text(plain), HasSubstr(node("1-2") + "1\tà le\t_\tNOUN\tNN\tNumber=Sing\t0\troot\t"));
  EXPECT_EQ(conllu_text(read(folder, conllu_text(plain))), conllu_text(plain));
  const std::vector<std::string> relations{"root", "obj", "root", "_", "_", "_", "x:y"};
  EXPECT_EQ(with_heads(bank, heads, relations).column(Column::deprel)[6], "x:y");
}

TEST(Treebank, OtherHeadsThatAreWrong) {
  const TemporaryFolder folder;
  const Treebank bank = read(folder, sample());
  const auto error = [&](const std::vector<std::int32_t>& heads) {
    return message_of([&] { with_heads(bank, heads); });
  };
  EXPECT_EQ(error({0}), "heads has 1 entries; expected 7, one per word");
  EXPECT_EQ(error({2, 1, 0, 0, 1, 1, 1}), "heads of sentence 0: the heads of words 1, 2 form a cycle");
  EXPECT_EQ(error({0, 1, 0, 0, 1, 1, 0}),
            "heads of sentence 2: words 1, 4 have the head 0; expected one root");
  EXPECT_EQ(error({0, 1, 0, 0, 2, 1, 1}), "heads of sentence 2: word 2 is its own head");
  EXPECT_EQ(error({0, 1, 0, 0, 1, 1, 5}), "heads of sentence 2: the head of word 4 is 5; expected 0 to 4");
  const std::vector<std::int32_t> heads{0, 1, 0, 0, 1, 1, 1};
  EXPECT_EQ(message_of([&] { with_heads(bank, heads, {}); }),
            "deprels has 0 entries; expected 7, one per word");
  for (const std::string wrong : {"", "a\tb", "a\n", "a\r"}) {
    const std::vector<std::string> relations(7, wrong);
    EXPECT_THAT(message_of([&] { with_heads(bank, heads, relations); }), HasSubstr("is empty or has a tab"));
  }
}

TEST(Treebank, WhatCannotBeReadBackIsNotWritten) {
  const TemporaryFolder folder;
  Treebank bank = read(folder, sample());
  bank.heads[0] = 1;
  EXPECT_EQ(message_of([&] { conllu_text(bank); }), "heads of sentence 0: word 1 is its own head");
  bank = read(folder, sample());
  TokenColumn& forms = bank.column(Column::form);
  forms.ids[0] = forms.strings.add("two\nlines");
  EXPECT_THAT(message_of([&] { write_conllu(bank, folder.path() / "b"); }), HasSubstr("tab or a line end"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "b"));
}

TEST(Treebank, Selection) {
  const TemporaryFolder folder;
  const Treebank bank = read(folder, sample());
  const Treebank part = select_sentences(bank, std::vector<std::size_t>{2, 0, 2});
  EXPECT_THAT(part.offsets, ElementsAre(0, 4, 6, 10));
  EXPECT_THAT(part.heads, ElementsAre(3, 0, 2, 1, 2, 0, 3, 0, 2, 1));
  const std::string text = sample();
  const std::string last = text.substr(text.find("# last"));
  EXPECT_EQ(conllu_text(part), last + text.substr(0, text.find("\n\n") + 2) + last);
  EXPECT_EQ(select_sentences(bank, {}).sentences(), 0U);
  EXPECT_EQ(message_of([&] { select_sentences(bank, std::vector<std::size_t>{3}); }),
            "sentences has 3; the treebank has 3");
}

/// A sentence of any shape that the format allows.
std::string random_sentence(Random& random) {
  std::string text;
  for (auto comments = random.below(3); comments > 0; --comments)
    text += "# c" + std::to_string(random.below(5)) + "\n";
  const auto n = static_cast<std::size_t>(1 + random.below(8));
  const bool tree = random.below(4) > 0;
  std::vector<std::size_t> order(n);  // a word's head is one before it in a random order
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = i;
    std::swap(order[i], order[random.below(i + 1)]);
  }
  std::vector<std::size_t> heads(n, 0);
  for (std::size_t i = 1; i < n; ++i) heads[order[i]] = order[random.below(i)] + 1;
  std::size_t range_end = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t k = 1; random.below(6) == 0; ++k)
      text += node(std::to_string(i) + "." + std::to_string(k));
    if (i == n) break;
    if (i >= range_end && i + 1 < n && random.below(4) == 0) {
      range_end = i + 2 + random.below(n - i - 1);
      text += node(std::to_string(i + 1) + "-" + std::to_string(range_end));
    }
    const char* const forms[] = {"a", "_", "#", "1-2", "b c", "\"", "ÿ", "ộ"};
    text += word(std::to_string(i + 1), forms[random.below(std::size(forms))],
                 tree ? std::to_string(heads[i]) : "_");
  }
  return text + "\n";
}

TEST(Treebank, RandomRoundTrips) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    std::string text;
    for (auto sentences = 1 + random.below(5); sentences > 0; --sentences) text += random_sentence(random);
    const Treebank bank = read(folder, text);
    ASSERT_EQ(conllu_text(bank), text);
    std::vector<std::size_t> all(bank.sentences());
    for (std::size_t s = 0; s < all.size(); ++s) all[s] = s;
    ASSERT_EQ(conllu_text(select_sentences(bank, all)), text);
  }
}

/// Whatever the bytes are, they are read or refused, and what is read can be written and read again.
TEST(Treebank, DamagedTexts) {
  const TemporaryFolder folder;
  const std::string text = sample();
  const std::string bytes = "\t\n\r -.#_0129x\xFF" + std::string(1, '\0');
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    std::string damaged = text;
    for (auto changes = 1 + random.below(3); changes > 0; --changes) {
      damaged[random.below(damaged.size())] = bytes[random.below(bytes.size())];
    }
    if (random.below(4) == 0) damaged.resize(random.below(damaged.size()));
    try {
      const std::string written = conllu_text(read(folder, damaged));
      ASSERT_EQ(conllu_text(read(folder, written)), written);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300U);
  EXPECT_LT(refused, 1000U);
}

}  // namespace
}  // namespace fenchel::test
