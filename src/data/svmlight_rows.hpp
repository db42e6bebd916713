// SPDX-License-Identifier: Apache-2.0
// All rows of svmlight files, put together from blocks in the order of the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/growing_array.hpp"
#include "data/label_rows.hpp"
#include "data/svmlight_parser.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel {

template <Real T>
class SvmlightRows {
 public:
  explicit SvmlightRows(const ReadOptions& options) : options_(options) {}

  /// How many blocks there are; each keeps its own numbers for names.
  void set_slots(std::size_t slots) { slots_.resize(slots); }
  /// Appends the rows of a block. Throws DataError if a query comes back.
  void append(std::size_t slot, const SvmlightBlock<T>& block, const std::string& source);
  /// The data set of all rows.
  Reading finish();

 private:
  struct Slot {
    std::vector<std::int32_t> labels;   ///< numbers of this slot's names in labels_
    std::vector<std::int32_t> queries;  ///< and in query_names_
  };
  void append_labels(Slot& slot, const SvmlightBlock<T>& block);
  void append_queries(Slot& slot, const SvmlightBlock<T>& block, const std::string& source);
  void resolve_base(Reading& reading);
  void drop_beyond(Reading& reading, std::size_t features);
  Features dense_features(std::size_t cols);
  Features sparse_features(std::size_t cols);

  ReadOptions options_;
  std::vector<Slot> slots_;
  GrowingArray<std::int64_t> offsets_;
  GrowingArray<std::int32_t> indices_;
  GrowingArray<T> values_;
  LabelRows labels_;
  StringTable query_names_;
  std::vector<std::int64_t> queries_;
  std::int32_t query_ = -1;
  std::size_t rows_ = 0;
  std::int64_t smallest_ = -1;
  std::int64_t largest_ = -1;
  std::size_t dropped_ = 0;
};

}  // namespace fenchel
