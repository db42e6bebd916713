// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/treebank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "data/label_rows.hpp"
#include "data/treebank_cell.hpp"
#include "fenchel/data/dependency_tree.hpp"

namespace fenchel {
namespace {

/// Appends line `i` of `from`.
void append_line(const OtherLines& from, std::size_t i, OtherLines& to) {
  to.texts.ids.push_back(from.texts.ids[i]);
  to.kinds.push_back(from.kinds[i]);
  to.after.push_back(from.after[i]);
}

/// Ends the lines of a sentence.
void end_lines(OtherLines& lines) { lines.offsets.push_back(static_cast<std::int64_t>(lines.kinds.size())); }

std::string_view relation_of(std::int32_t head) {
  if (head < 0) return "_";
  return head == 0 ? "root" : "dep";
}

void check_size(const char* name, std::size_t size, const Treebank& bank) {
  if (size == bank.words()) return;
  throw std::invalid_argument(
      fmt::format("{} has {} entries; expected {}, one per word", name, size, bank.words()));
}

Treebank with_trees(const Treebank& bank, std::span<const std::int32_t> heads, TokenColumn relations) {
  check_size("heads", heads.size(), bank);
  Treebank result = bank;
  result.heads.assign(heads.begin(), heads.end());
  check_trees(result);
  result.column(TreebankColumn::deprel) = std::move(relations);
  TokenColumn graphs;
  graphs.ids.assign(heads.size(), graphs.strings.add("_"));
  result.column(TreebankColumn::deps) = std::move(graphs);
  return result;
}

}  // namespace

TreebankColumn treebank_column_called(std::string_view name) {
  const auto* found = std::ranges::find(treebank_column_names, name);
  if (found == treebank_column_names.end()) {
    throw std::invalid_argument(fmt::format("column is {}; expected one of {}", in_quotes(name),
                                            fmt::join(treebank_column_names, ", ")));
  }
  return static_cast<TreebankColumn>(found - treebank_column_names.begin());
}

std::size_t OtherLines::count(Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count(kinds, kind));
}

void check_trees(const Treebank& bank) {
  for (std::size_t s = 0; s < bank.sentences(); ++s) {
    if (const auto fault = tree_fault(bank.heads_of(s))) {
      throw std::invalid_argument(fmt::format("heads of sentence {}: {}", s, fault->problem));
    }
  }
}

Treebank with_heads(const Treebank& bank, std::span<const std::int32_t> heads) {
  TokenColumn relations;
  for (const std::int32_t head : heads) relations.ids.push_back(relations.strings.add(relation_of(head)));
  return with_trees(bank, heads, std::move(relations));
}

Treebank with_heads(const Treebank& bank, std::span<const std::int32_t> heads,
                    std::span<const std::string> deprels) {
  check_size("deprels", deprels.size(), bank);
  TokenColumn relations;
  for (const std::string& relation : deprels) {
    check_treebank_cell(relation);
    relations.ids.push_back(relations.strings.add(relation));
  }
  return with_trees(bank, heads, std::move(relations));
}

Treebank select_sentences(const Treebank& bank, std::span<const std::size_t> sentences) {
  Treebank result;
  for (std::size_t c = 0; c < bank.columns.size(); ++c) result.columns[c].strings = bank.columns[c].strings;
  result.others.texts.strings = bank.others.texts.strings;
  for (const std::size_t s : sentences) {
    if (s >= bank.sentences()) {
      throw std::invalid_argument(fmt::format("sentences has {}; the treebank has {}", s, bank.sentences()));
    }
    for (std::size_t w = bank.begin_of(s); w < bank.begin_of(s + 1); ++w) {
      for (std::size_t c = 0; c < bank.columns.size(); ++c) {
        result.columns[c].ids.push_back(bank.columns[c].ids[w]);
      }
      result.heads.push_back(bank.heads[w]);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.heads.size()));
    for (auto i = static_cast<std::size_t>(bank.others.offsets[s]);
         i < static_cast<std::size_t>(bank.others.offsets[s + 1]); ++i) {
      append_line(bank.others, i, result.others);
    }
    end_lines(result.others);
  }
  return result;
}

}  // namespace fenchel
