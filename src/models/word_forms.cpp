// SPDX-License-Identifier: Apache-2.0
#include "models/word_forms.hpp"

#include <cstdint>

namespace fenchel {
namespace {

constexpr char32_t not_a_letter = 0xFFFFFFFF;

/// The letter that begins at `at`, which moves behind it.
char32_t next_letter(std::string_view word, std::size_t& at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(word[k]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  char32_t letter = length == 1 ? first : first & (0xFFu >> (length + 1));
  bool right = at + length <= word.size() && (length > 1 || first < 0x80);
  for (std::size_t k = 1; right && k < length; ++k) {
    right = (byte(at + k) & 0xC0u) == 0x80u;
    letter = (letter << 6) | (byte(at + k) & 0x3Fu);
  }
  at += right ? length : 1;
  return right ? letter : not_a_letter;
}

void append_utf8(char32_t letter, std::string& out) {
  const auto put = [&](char32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (letter < 0x80) {
    put(letter);
  } else if (letter < 0x800) {
    put(0xC0u | (letter >> 6));
    put(0x80u | (letter & 0x3Fu));
  } else if (letter < 0x10000) {
    put(0xE0u | (letter >> 12));
    put(0x80u | ((letter >> 6) & 0x3Fu));
    put(0x80u | (letter & 0x3Fu));
  } else {
    put(0xF0u | (letter >> 18));
    put(0x80u | ((letter >> 12) & 0x3Fu));
    put(0x80u | ((letter >> 6) & 0x3Fu));
    put(0x80u | (letter & 0x3Fu));
  }
}

/// The small letter of a capital; other letters as they are.
char32_t lowered(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;     // Latin-1
  if (c >= 0x100 && c <= 0x137 && c != 0x130) return c | 1u;  // Latin Extended-A, pairs that begin even
  if (c >= 0x139 && c <= 0x148) return c + (c & 1u);          // and those that begin odd
  if (c >= 0x14A && c <= 0x177) return c | 1u;
  if (c == 0x178) return 0xFF;
  if (c >= 0x179 && c <= 0x17E) return c + (c & 1u);
  if (c >= 0x391 && c <= 0x3A9 && c != 0x3A2) return c + 32;  // Greek
  if (c >= 0x410 && c <= 0x42F) return c + 32;                // Cyrillic
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  return c;
}

bool is_small(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 0xDF && c <= 0xFF && c != 0xF7) || (c >= 0x100 && c <= 0x17F) ||
         (c >= 0x3AC && c <= 0x3CE) || (c >= 0x430 && c <= 0x45F);
}

char shape_of(char32_t c) {
  if (c == not_a_letter) return '?';
  if (c >= '0' && c <= '9') return 'd';
  if (lowered(c) != c) return 'X';
  if (is_small(c)) return 'x';
  return c < 0x80 ? static_cast<char>(c) : 'o';  // letters without capitals: Chinese, Arabic, …
}

void append_shape(std::string_view word, std::string& out) {
  char before = '\0';
  for (std::size_t at = 0; at < word.size();) {
    const char shape = shape_of(next_letter(word, at));
    if (shape != before) out += shape;
    before = shape;
  }
}

void append_lower(std::string_view word, std::string& out) {
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t begin = at;
    const char32_t letter = next_letter(word, at);
    if (letter == not_a_letter) {
      out += word.substr(begin, at - begin);
    } else {
      append_utf8(lowered(letter), out);
    }
  }
}

/// Where the letter with that number begins; npos if the word ends before or with it.
std::size_t begin_of(std::string_view word, std::size_t number) {
  std::size_t at = 0;
  for (; number > 0 && at < word.size(); --number) next_letter(word, at);
  return number > 0 || at >= word.size() ? std::string_view::npos : at;
}

std::size_t letters_of(std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < word.size(); ++count) next_letter(word, at);
  return count;
}

}  // namespace

bool append_form(WordForm form, std::size_t letters, std::string_view word, std::string& out) {
  switch (form) {
    case WordForm::whole:
      out += word;
      return true;
    case WordForm::lower:
      append_lower(word, out);
      return true;
    case WordForm::shape:
      append_shape(word, out);
      return true;
    case WordForm::prefix: {
      const std::size_t end = begin_of(word, letters);
      if (end == std::string_view::npos) return false;
      out += word.substr(0, end);
      return true;
    }
    case WordForm::suffix: {
      const std::size_t count = letters_of(word);
      if (count <= letters) return false;
      out += word.substr(begin_of(word, count - letters));
      return true;
    }
  }
  return false;
}

}  // namespace fenchel
