// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/attribute_corpus.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"
#include "data/text_source.hpp"

namespace fenchel {
namespace {

class CrfsuiteReader {
 public:
  explicit CrfsuiteReader(AttributeCorpus& corpus) : corpus_(corpus) {}

  void read(TextSource& source) {
    std::string_view line;
    while (source.next_line(line)) {
      if (trimmed(line).empty()) {
        end_sequence();
      } else {
        read_item(source, line);
      }
    }
    end_sequence();
  }

 private:
  void read_item(const TextSource& source, std::string_view line) {
    std::string_view rest = line;
    const std::string_view label = next_field(rest);
    std::string_view value;
    corpus_.labels.push_back(corpus_.label_names.add(unescape(source, line, label, value)));
    while (!rest.empty()) {
      const std::string_view field = next_field(rest);
      if (!field.empty()) read_attribute(source, line, field);
    }
    corpus_.item_offsets.push_back(static_cast<std::int64_t>(corpus_.attributes.size()));
  }

  static std::string_view next_field(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\t'), rest.size());
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return field;
  }

  void read_attribute(const TextSource& source, std::string_view line, std::string_view field) {
    std::string_view written;
    const std::string_view name = unescape(source, line, field, written);
    double value = 1;
    // The text is followed by a tab or the end of the line: a number ends there.
    const bool number =
        written.empty() || parse_number(written.data() + 1, value) == written.data() + written.size();
    if (!number || !std::isfinite(static_cast<float>(value))) {
      const bool large = number && std::isfinite(value);
      source.fail(line, written.data() + 1,
                  fmt::format("value {} is {}", in_quotes(written.substr(1)),
                              large ? "too large for single precision, which values have here"
                                    : "not a finite number"));
    }
    const std::size_t before = corpus_.attributes.size();
    corpus_.attributes.push_back(corpus_.attribute_names.add(name));
    if (value != 1 && corpus_.values.empty()) corpus_.values.assign(before, 1);
    if (value != 1 || has_values_) corpus_.values.push_back(static_cast<float>(value));
    has_values_ = has_values_ || value != 1;
  }

  /// The name without escapes, up to the first colon that has none; `value` is the rest, with the colon.
  std::string_view unescape(const TextSource& source, std::string_view line, std::string_view field,
                            std::string_view& value) {
    const std::size_t special = field.find_first_of("\\:");
    if (special == std::string_view::npos) return field;
    if (field[special] == ':') {
      value = field.substr(special);
      return field.substr(0, special);
    }
    name_.clear();
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] == ':') {
        value = field.substr(i);
        break;
      }
      if (field[i] == '\\') {
        ++i;
        if (i == field.size() || (field[i] != ':' && field[i] != '\\')) {
          source.fail(line, field.data() + i - 1, "a backslash must be followed by : or another backslash");
        }
      }
      name_ += field[i];
    }
    return name_;
  }

  void end_sequence() {
    const auto items = static_cast<std::int64_t>(corpus_.labels.size());
    if (items > corpus_.offsets.back()) corpus_.offsets.push_back(items);
  }

  AttributeCorpus& corpus_;
  bool has_values_ = false;
  std::string name_;
};

}  // namespace

AttributeCorpus read_crfsuite(const Paths& paths) {
  AttributeCorpus corpus;
  CrfsuiteReader reader(corpus);
  read_files(reader, paths.files());
  if (corpus.sequences() == 0) throw DataError(paths.description(), 0, 0, "there are no items");
  return corpus;
}

AttributeCorpus select_sequences(const AttributeCorpus& corpus, std::span<const std::size_t> sequences) {
  AttributeCorpus result;
  result.label_names = corpus.label_names;
  result.attribute_names = corpus.attribute_names;
  for (const std::size_t s : sequences) {
    if (s >= corpus.sequences()) {
      throw std::invalid_argument(fmt::format("sequences has {}; the corpus has {}", s, corpus.sequences()));
    }
    for (auto t = static_cast<std::size_t>(corpus.offsets[s]);
         t < static_cast<std::size_t>(corpus.offsets[s + 1]); ++t) {
      const auto item = corpus.item(t);
      result.labels.push_back(corpus.labels[t]);
      result.attributes.insert(result.attributes.end(), item.begin(), item.end());
      if (!corpus.values.empty()) {
        result.values.insert(result.values.end(), corpus.values.begin() + corpus.item_offsets[t],
                             corpus.values.begin() + corpus.item_offsets[t + 1]);
      }
      result.item_offsets.push_back(static_cast<std::int64_t>(result.attributes.size()));
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.labels.size()));
  }
  return result;
}

}  // namespace fenchel
