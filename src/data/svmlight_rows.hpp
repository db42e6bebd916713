// SPDX-License-Identifier: Apache-2.0
// All rows of svmlight files, put together from blocks in the order of the text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/growing_array.hpp"
#include "data/label_rows.hpp"
#include "data/storage.hpp"
#include "data/svmlight_parser.hpp"
#include "fenchel/data/read.hpp"

namespace fenchel {

template <Real T>
class SvmlightRows {
 public:
  explicit SvmlightRows(const ReadOptions& options) : options_(options) {}

  /// How many blocks there are; each keeps its own numbers for names.
  void set_slots(std::size_t slots) { slots_.resize(slots); }
  /// Appends the rows of a block. Throws DataError if a query reappears.
  void append(std::size_t slot, const SvmlightBlock<T>& block, const std::string& source) {
    if (offsets_.size() == 0) offsets_.push(0);
    const auto before = static_cast<std::int64_t>(indices_.size());
    indices_.append(block.indices.get(), block.size);
    values_.append(block.values.get(), block.size);
    for (const std::int64_t end : block.row_ends) offsets_.push(before + end);
    append_labels(slots_[slot], block);
    append_queries(slots_[slot], block, source);
    rows_ += block.row_ends.size();
    if (block.size > 0) {
      smallest_ = smallest_ < 0 ? block.smallest : std::min(smallest_, block.smallest);
      largest_ = std::max(largest_, block.largest);
    }
    dropped_ += block.dropped;
  }

  /// The data set of all rows.
  Reading finish() {
    Reading reading;
    reading.format = DataFormat::svmlight;
    reading.dropped = dropped_;
    if (rows_ == 0) return reading;
    resolve_base(reading);
    if (options_.features > 0) drop_beyond(reading, options_.features);
    const std::size_t cols =
        options_.features > 0 ? options_.features : static_cast<std::size_t>(largest_ + 1);
    reading.data.x = dense_is_better(options_.storage, rows_, cols, indices_.size()) ? dense_features(cols)
                                                                                     : sparse_features(cols);
    labels_.finish(reading.data);
    if (!queries_.empty()) queries_.push_back(static_cast<std::int64_t>(rows_));
    reading.data.queries = std::move(queries_);
    return reading;
  }

 private:
  struct Slot {
    std::vector<std::int32_t> labels;   ///< numbers of this slot's names in labels_
    std::vector<std::int32_t> queries;  ///< and in query_names_
  };
  void append_labels(Slot& slot, const SvmlightBlock<T>& block) {
    for (std::size_t k = slot.labels.size(); k < block.label_names.size(); ++k) {
      slot.labels.push_back(labels_.id(block.label_names[static_cast<std::int32_t>(k)]));
    }
    std::size_t e = 0;
    for (const std::size_t end : block.label_ends) {
      for (; e < end; ++e) {
        const std::int32_t id = slot.labels[static_cast<std::size_t>(block.labels[e])];
        if (block.weighted) {
          labels_.push(id, block.label_weights[e]);
        } else {
          labels_.push(id);
        }
      }
      labels_.end_row();
    }
  }

  void append_queries(Slot& slot, const SvmlightBlock<T>& block, const std::string& source) {
    for (std::size_t i = 0; i < block.queries.size(); ++i) {
      const std::size_t row = rows_ + i;
      const bool has = block.queries[i] >= 0;
      if (!has && queries_.empty()) continue;
      if (has != !queries_.empty() && row > 0) {
        throw DataError(source, 0, 0,
                        fmt::format("row {} has {} qid: and the rows before have {}", row + 1,
                                    has ? "a" : "no", has ? "none" : "one"));
      }
      const auto local = static_cast<std::size_t>(block.queries[i]);
      for (std::size_t k = slot.queries.size(); k <= local; ++k) {
        slot.queries.push_back(query_names_.add(block.query_names[static_cast<std::int32_t>(k)]));
      }
      const std::int32_t query = slot.queries[local];
      if (query == query_) continue;
      // Numbers are given in the order of the text, so a smaller one has occurred before.
      if (query < query_) {
        throw DataError(source, 0, 0,
                        fmt::format("query {} reappears in row {}; the rows of a query must be together",
                                    in_quotes(query_names_[query]), row + 1));
      }
      query_ = query;
      queries_.push_back(static_cast<std::int64_t>(row));
    }
  }

  /// Makes indices begin at 0.
  void resolve_base(Reading& reading) {
    reading.zero_based = options_.index_base == IndexBase::zero ||
                         (options_.index_base == IndexBase::automatic && smallest_ == 0);
    if (reading.zero_based || largest_ < 0) return;
    for (std::int32_t& index : indices_.span()) --index;
    --largest_;
  }

  /// Leaves out entries of columns ≥ features that were kept while the base was unknown.
  void drop_beyond(Reading& reading, std::size_t features) {
    if (largest_ < static_cast<std::int64_t>(features)) return;
    if (!options_.drop_beyond) {
      throw DataError(reading.data.source, 0, 0,
                      fmt::format("index {} is beyond the {} features expected (indices begin at 0)",
                                  largest_, features));
    }
    std::size_t kept = 0;
    std::size_t e = 0;
    for (std::size_t i = 1; i < offsets_.size(); ++i) {
      for (const auto end = static_cast<std::size_t>(offsets_[i]); e < end; ++e) {
        if (static_cast<std::size_t>(indices_[e]) >= features) continue;
        indices_[kept] = indices_[e];
        values_[kept++] = values_[e];
      }
      offsets_[i] = static_cast<std::int64_t>(kept);
    }
    reading.dropped += indices_.size() - kept;
    indices_.shrink(kept);
    values_.shrink(kept);
  }

  Features dense_features(std::size_t cols) {
    Matrix<T> x(rows_, cols);
    for (std::size_t i = 0; i < rows_; ++i) {
      const auto row = x.row(i);
      for (auto e = static_cast<std::size_t>(offsets_[i]); e < static_cast<std::size_t>(offsets_[i + 1]);
           ++e) {
        row[static_cast<std::size_t>(indices_[e])] = values_[e];
      }
    }
    return Features(std::move(x));
  }

  Features sparse_features(std::size_t cols) {
    struct Arrays {
      std::shared_ptr<std::int64_t> offsets;
      std::shared_ptr<std::int32_t> indices;
      std::shared_ptr<T> values;
    };
    const auto arrays =
        std::make_shared<Arrays>(Arrays{offsets_.release(), indices_.release(), values_.release()});
    return {FeaturesView<T>(CsrView<T>(cols, {arrays->offsets.get(), rows_ + 1}, arrays->indices.get(),
                                       arrays->values.get())),
            arrays};
  }

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
