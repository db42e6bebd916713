// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iterator>
#include <ostream>
#include <string>

#include "core/atomic_file.hpp"
#include "data/treebank_cell.hpp"
#include "fenchel/data/treebank.hpp"

namespace fenchel {
namespace {

void write_word(const Treebank& bank, std::size_t word, std::size_t number, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", number);
  for (std::size_t c = 0; c < bank.columns.size(); ++c) {
    out += '\t';
    if (c == static_cast<std::size_t>(TreebankColumn::deprel)) {
      const std::int32_t head = bank.heads[word];
      out += head < 0 ? "_" : std::to_string(head);
      out += '\t';
    }
    const std::string_view text = bank.columns[c][word];
    check_treebank_cell(text);
    out += text;
  }
  out += '\n';
}

void write_sentence(const Treebank& bank, std::size_t s, std::string& out) {
  const std::size_t begin = bank.begin_of(s);
  const std::size_t count = bank.begin_of(s + 1) - begin;
  auto line = static_cast<std::size_t>(bank.others.offsets[s]);
  const auto lines_end = static_cast<std::size_t>(bank.others.offsets[s + 1]);
  for (std::size_t i = 0; i <= count; ++i) {
    for (; line < lines_end && static_cast<std::size_t>(bank.others.after[line]) == i; ++line) {
      const std::string_view text = bank.others.texts[line];
      check_treebank_cell(text, "\n\r");
      out.append(text) += '\n';
    }
    if (i < count) write_word(bank, begin + i, i + 1, out);
  }
  out += '\n';
}

}  // namespace

std::string conllu_text(const Treebank& bank) {
  check_trees(bank);
  std::string text;
  for (std::size_t s = 0; s < bank.sentences(); ++s) write_sentence(bank, s, text);
  return text;
}

void write_conllu(const Treebank& bank, std::ostream& out) { out << conllu_text(bank); }

void write_conllu(const Treebank& bank, const std::filesystem::path& path) {
  const std::string text = conllu_text(bank);
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace fenchel
