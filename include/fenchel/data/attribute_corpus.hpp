// SPDX-License-Identifier: Apache-2.0
// Sequences of items with ready attributes, in CRFsuite's format: a line is `LABEL<TAB>attribute<TAB>…`, an
// attribute may have a value (`attribute:0.5`; 1 without), `\:` and `\\` are a colon and a backslash of its
// name, and a blank line ends a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/data/paths.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// Sequences one after another: sequence s has the items offsets[s] … offsets[s+1] − 1.
struct AttributeCorpus {
  std::vector<std::int32_t> labels;  ///< one per item, numbers in label_names
  StringTable label_names;
  std::vector<std::int64_t> item_offsets{0};  ///< item t has the attributes item_offsets[t] … − 1
  std::vector<std::int32_t> attributes;       ///< numbers in attribute_names, in the order written
  std::vector<float> values;                  ///< of the attributes; empty if all are 1
  StringTable attribute_names;
  std::vector<std::int64_t> offsets{0};

  std::size_t sequences() const { return offsets.size() - 1; }
  std::size_t items() const { return labels.size(); }
  std::span<const std::int32_t> item(std::size_t t) const {
    return {attributes.data() + item_offsets[t],
            static_cast<std::size_t>(item_offsets[t + 1] - item_offsets[t])};
  }
};

/// Reads files of sequences. Throws DataError for a value that is not a finite number or an unknown escape.
AttributeCorpus read_crfsuite(const Paths& paths);

/// The sequences with the given numbers, in that order.
AttributeCorpus select_sequences(const AttributeCorpus& corpus, std::span<const std::size_t> sequences);

}  // namespace fenchel
