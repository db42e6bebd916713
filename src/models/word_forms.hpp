// SPDX-License-Identifier: Apache-2.0
// Forms of words for feature templates: in small letters, as a shape, beginnings and ends. Words are UTF-8;
// bytes that are not count as letters of their own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fenchel {

enum class WordForm {
  whole,   ///< %x[row,column]
  lower,   ///< %low[row,column]: in small letters (Latin, Greek, Cyrillic)
  shape,   ///< %shape[row,column]: X for capitals, x for small letters, d for digits, each run once: Xx-d
  prefix,  ///< %pre[row,column,n]: the first n letters
  suffix,  ///< %suf[row,column,n]: the last n letters
};

/// Appends a form of a word. Returns false, and appends nothing, if the word has no more than `letters`
/// letters.
bool append_form(WordForm form, std::size_t letters, std::string_view word, std::string& out);

}  // namespace fenchel
