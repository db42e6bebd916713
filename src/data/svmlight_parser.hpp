// SPDX-License-Identifier: Apache-2.0
// Rows of svmlight text into arrays, a chunk of lines at a time. Chunks do not depend on each other, so that
// threads may take one each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/text_source.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// What a chunk of lines holds. Indices are as written. Names stay from chunk to chunk, with their numbers.
template <Real T>
struct SvmlightBlock {
  std::unique_ptr<std::int32_t[]> indices;
  std::unique_ptr<T[]> values;
  std::size_t capacity = 0;
  std::size_t size = 0;
  std::vector<std::int64_t> row_ends;  ///< into indices and values

  std::vector<std::int32_t> labels;  ///< numbers in label_names
  std::vector<double> label_weights;
  std::vector<std::size_t> label_ends;
  bool weighted = false;
  StringTable label_names;

  std::vector<std::int32_t> queries;  ///< one per row, number in query_names, −1 without
  StringTable query_names;

  std::int64_t smallest = 0;  ///< index; beyond any if there is none
  std::int64_t largest = 0;
  std::size_t dropped = 0;
};

/// Which indices are allowed.
struct IndexRange {
  std::int64_t first = 0;
  std::int64_t last = 0;     ///< the last one allowed
  std::size_t features = 0;  ///< as asked for, for messages; 0: any number
  bool drop_beyond = false;
};

/// Parses a chunk (whole lines). Throws DataError naming `source`.
template <Real T>
void parse_svmlight(const TextChunk& chunk, const std::string& source, const IndexRange& range,
                    SvmlightBlock<T>& block);

extern template void parse_svmlight(const TextChunk&, const std::string&, const IndexRange&,
                                    SvmlightBlock<float>&);
extern template void parse_svmlight(const TextChunk&, const std::string&, const IndexRange&,
                                    SvmlightBlock<double>&);

}  // namespace fenchel
