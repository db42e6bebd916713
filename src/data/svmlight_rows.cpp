// SPDX-License-Identifier: Apache-2.0
#include "data/svmlight_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/storage.hpp"

namespace fenchel {

template <Real T>
void SvmlightRows<T>::append(std::size_t slot, const SvmlightBlock<T>& block, const std::string& source) {
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

template <Real T>
void SvmlightRows<T>::append_labels(Slot& slot, const SvmlightBlock<T>& block) {
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

template <Real T>
void SvmlightRows<T>::append_queries(Slot& slot, const SvmlightBlock<T>& block, const std::string& source) {
  for (std::size_t i = 0; i < block.queries.size(); ++i) {
    const std::size_t row = rows_ + i;
    const bool has = block.queries[i] >= 0;
    if (!has && queries_.empty()) continue;
    if (has != !queries_.empty() && row > 0) {
      throw DataError(source, 0, 0,
                      fmt::format("row {} has {} qid: and the rows before have {}", row + 1, has ? "a" : "no",
                                  has ? "none" : "one"));
    }
    const auto local = static_cast<std::size_t>(block.queries[i]);
    for (std::size_t k = slot.queries.size(); k <= local; ++k) {
      slot.queries.push_back(query_names_.add(block.query_names[static_cast<std::int32_t>(k)]));
    }
    const std::int32_t query = slot.queries[local];
    if (query == query_) continue;
    // Numbers are given in the order of the text, so that a smaller one was there before.
    if (query < query_) {
      throw DataError(source, 0, 0,
                      fmt::format("query {} comes back in row {}; the rows of a query must be together",
                                  in_quotes(query_names_[query]), row + 1));
    }
    query_ = query;
    queries_.push_back(static_cast<std::int64_t>(row));
  }
}

/// Makes indices begin at 0.
template <Real T>
void SvmlightRows<T>::resolve_base(Reading& reading) {
  reading.zero_based = options_.index_base == IndexBase::zero ||
                       (options_.index_base == IndexBase::automatic && smallest_ == 0);
  if (reading.zero_based || largest_ < 0) return;
  for (std::int32_t& index : indices_.span()) --index;
  --largest_;
}

/// Leaves out entries of columns ≥ features that were kept while the base was unknown.
template <Real T>
void SvmlightRows<T>::drop_beyond(Reading& reading, std::size_t features) {
  if (largest_ < static_cast<std::int64_t>(features)) return;
  if (!options_.drop_beyond) {
    throw DataError(
        reading.data.source, 0, 0,
        fmt::format("index {} is beyond the {} features expected (indices begin at 0)", largest_, features));
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

template <Real T>
Features SvmlightRows<T>::dense_features(std::size_t cols) {
  Matrix<T> x(rows_, cols);
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto row = x.row(i);
    for (auto e = static_cast<std::size_t>(offsets_[i]); e < static_cast<std::size_t>(offsets_[i + 1]); ++e) {
      row[static_cast<std::size_t>(indices_[e])] = values_[e];
    }
  }
  return Features(std::move(x));
}

template <Real T>
Features SvmlightRows<T>::sparse_features(std::size_t cols) {
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

template <Real T>
Reading SvmlightRows<T>::finish() {
  Reading reading;
  reading.format = DataFormat::svmlight;
  reading.dropped = dropped_;
  if (rows_ == 0) return reading;
  resolve_base(reading);
  if (options_.features > 0) drop_beyond(reading, options_.features);
  const std::size_t cols = options_.features > 0 ? options_.features : static_cast<std::size_t>(largest_ + 1);
  reading.data.x = dense_is_better(options_.storage, rows_, cols, indices_.size()) ? dense_features(cols)
                                                                                   : sparse_features(cols);
  labels_.finish(reading.data);
  if (!queries_.empty()) queries_.push_back(static_cast<std::int64_t>(rows_));
  reading.data.queries = std::move(queries_);
  return reading;
}

template class SvmlightRows<float>;
template class SvmlightRows<double>;

}  // namespace fenchel
