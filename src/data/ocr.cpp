// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/ocr.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/label_rows.hpp"
#include "data/target_cell.hpp"
#include "data/text_source.hpp"

namespace fenchel {
namespace {

using Columns = std::array<std::string_view, 4>;
constexpr Columns missing{"the word is missing", "the position is missing", "the letter is missing",
                          "the pixels are missing"};

/// The columns of a line, all of them there and none empty.
Columns split(const TextSource& source, std::string_view line) {
  const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
  if (count != missing.size()) {
    source.fail(line, line.data(),
                fmt::format("{} column{}; expected word, position, letter and pixels, separated by tabs",
                            count, count == 1 ? "" : "s"));
  }
  Columns columns;
  std::string_view rest = line;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t end = std::min(rest.find('\t'), rest.size());
    columns[c] = rest.substr(0, end);
    if (columns[c].empty()) source.fail(line, rest.data(), std::string(missing[c]));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return columns;
}

class OcrReader {
 public:
  explicit OcrReader(AttributeCorpus& corpus) : corpus_(corpus) {}

  void read(TextSource& source) {
    std::string_view line;
    while (source.next_line(line)) {
      if (!trimmed(line).empty()) read_letter(source, line);
    }
    end_word();
  }

 private:
  void read_letter(const TextSource& source, std::string_view line) {
    const auto [word, position, letter, pixels] = split(source, line);
    if (word != word_) {
      end_word();
      word_ = word;
    }
    const std::int64_t expected = letters() - corpus_.offsets.back();
    if (position != std::to_string(expected)) {
      source.fail(line, position.data(),
                  fmt::format("position {}; expected {}, counting from 0 in each word", in_quotes(position),
                              expected));
    }
    read_pixels(source, line, pixels);
    corpus_.labels.push_back(corpus_.label_names.add(letter));
  }

  void read_pixels(const TextSource& source, std::string_view line, std::string_view pixels) {
    if (corpus_.attribute_names.empty()) name_attributes(pixels.size());
    const std::size_t expected = corpus_.attribute_names.size() - 1;
    if (pixels.size() != expected) {
      source.fail(line, pixels.data() + std::min(pixels.size(), expected),
                  fmt::format("{} pixel{}; the letters before have {}", pixels.size(),
                              pixels.size() == 1 ? "" : "s", expected));
    }
    corpus_.attributes.push_back(0);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (pixels[i] != '0' && pixels[i] != '1') {
        source.fail(line, pixels.data() + i,
                    fmt::format("pixel {}; expected 0 or 1", in_quotes(pixels.substr(i, 1))));
      }
      if (pixels[i] == '1') corpus_.attributes.push_back(static_cast<std::int32_t>(i + 1));
    }
    corpus_.item_offsets.push_back(static_cast<std::int64_t>(corpus_.attributes.size()));
  }

  /// Attribute 0 is the bias, attribute i + 1 is pixel i.
  void name_attributes(std::size_t pixels) {
    corpus_.attribute_names.add("bias");
    for (std::size_t i = 0; i < pixels; ++i) corpus_.attribute_names.add(fmt::format("p{}", i));
  }

  std::int64_t letters() const { return static_cast<std::int64_t>(corpus_.labels.size()); }

  void end_word() {
    word_.clear();
    if (letters() > corpus_.offsets.back()) corpus_.offsets.push_back(letters());
  }

  AttributeCorpus& corpus_;
  std::string word_;
};

}  // namespace

AttributeCorpus read_ocr(const Paths& paths) {
  AttributeCorpus corpus;
  OcrReader reader(corpus);
  read_files(reader, paths.files());
  if (corpus.sequences() == 0) throw DataError(paths.description(), 0, 0, "there are no letters");
  return corpus;
}

}  // namespace fenchel
