// SPDX-License-Identifier: Apache-2.0
#include "data/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "data/label_rows.hpp"
#include "data/storage.hpp"

namespace fenchel {

void FeatureTable::end_row(bool sparse) {
  sparse_ = sparse;
  ++rows_;
  if (sparse) ends_.push_back(static_cast<std::int64_t>(cells_.size()));
}

/// Calls f(column, cell) for the cells of a row that are there.
template <class F>
void FeatureTable::for_each_cell(std::size_t row, F&& f) {
  if (!sparse_) {
    const std::size_t cols = columns.size();
    for (std::size_t j = 0; j < cols; ++j) f(j, cells_[row * cols + j]);
    return;
  }
  for (auto e = static_cast<std::size_t>(ends_[row]); e < static_cast<std::size_t>(ends_[row + 1]); ++e) {
    f(static_cast<std::size_t>(indices_[e]), cells_[e]);
  }
}

void FeatureTable::sort_values() {
  std::vector<std::vector<std::int32_t>> places(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].nominal) continue;
    std::vector<std::string> names = columns[j].values.strings();
    places[j] = sort_names(names);
    StringTable sorted;
    for (const std::string& name : names) sorted.add(name);
    columns[j].values = std::move(sorted);
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_cell(i, [&](std::size_t j, double& cell) {
      if (columns[j].nominal && !std::isnan(cell)) cell = places[j][static_cast<std::size_t>(cell)];
    });
  }
}

/// What stands for a missing cell: the mean of a numeric column, the most frequent value of a nominal one
/// (the first of equals). Cells that a sparse row leaves out are zeros, not missing.
std::vector<double> FeatureTable::substitutes() {
  std::vector<double> mean(columns.size());
  std::vector<double> known(columns.size(), 0);
  std::vector<double> absent(columns.size(), static_cast<double>(rows_));
  std::vector<std::map<double, std::size_t>> counts(columns.size());
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_cell(i, [&](std::size_t j, double cell) {
      absent[j] -= 1;
      if (std::isnan(cell)) return;
      known[j] += 1;
      mean[j] += (cell - mean[j]) / known[j];
      if (columns[j].nominal) ++counts[j][cell];
    });
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double zeros = sparse_ ? absent[j] : 0;
    if (!columns[j].nominal) {
      if (known[j] + zeros > 0) mean[j] *= known[j] / (known[j] + zeros);
      continue;
    }
    if (zeros > 0) counts[j][0] += static_cast<std::size_t>(zeros);
    std::size_t most = 0;
    for (const auto& [value, count] : counts[j]) {
      if (count > most) mean[j] = value;
      most = std::max(most, count);
    }
  }
  return mean;
}

void FeatureTable::impute() {
  const auto cells = cells_.span();
  if (std::none_of(cells.begin(), cells.end(), [](double cell) { return std::isnan(cell); })) return;
  const std::vector<double> values = substitutes();
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_cell(i, [&](std::size_t j, double& cell) {
      if (std::isnan(cell)) cell = values[j];
    });
  }
}

FeatureTable::Layout FeatureTable::layout(Nominal nominal, std::vector<std::string>& names) const {
  Layout result;
  for (const FeatureColumn& column : columns) {
    const bool spread = column.nominal && nominal == Nominal::one_hot && column.values.size() > 2;
    result.first.push_back(names.size());
    result.spread.push_back(spread);
    if (!spread) names.push_back(column.name);
    for (std::size_t v = 0; spread && v < column.values.size(); ++v) {
      names.push_back(column.name + "=" + std::string(column.values[static_cast<std::int32_t>(v)]));
    }
  }
  result.first.push_back(names.size());
  return result;
}

template <Real T>
Features FeatureTable::dense_features(const Layout& layout) {
  Matrix<T> x(rows_, layout.first.back());
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto row = x.row(i);
    // A value that a sparse row leaves out is the first one.
    for (std::size_t j = 0; sparse_ && j < columns.size(); ++j) {
      if (layout.spread[j]) row[layout.first[j]] = 1;
    }
    for_each_cell(i, [&](std::size_t j, double cell) {
      if (!layout.spread[j]) {
        row[layout.first[j]] = static_cast<T>(cell);
      } else {
        row[layout.first[j]] = 0;
        row[layout.first[j] + static_cast<std::size_t>(cell)] = 1;
      }
    });
  }
  return Features(std::move(x));
}

template <Real T>
Features FeatureTable::sparse_features(const Layout& layout) {
  CsrMatrix<T> x;
  x.cols = layout.first.back();
  std::vector<std::size_t> spread;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (layout.spread[j]) spread.push_back(j);
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    auto next = spread.begin();  // spread columns that this row leaves out have their first value
    const auto add = [&x](std::size_t column, double value) {
      x.indices.push_back(static_cast<std::int32_t>(column));
      x.values.push_back(static_cast<T>(value));
    };
    for_each_cell(i, [&](std::size_t j, double cell) {
      for (; next != spread.end() && *next < j; ++next) add(layout.first[*next], 1);
      if (layout.spread[j]) {
        add(layout.first[j] + static_cast<std::size_t>(cell), 1);
        ++next;
      } else if (cell != 0) {
        add(layout.first[j], cell);
      }
    });
    for (; next != spread.end(); ++next) add(layout.first[*next], 1);
    x.offsets.push_back(static_cast<std::int64_t>(x.indices.size()));
  }
  return Features(std::move(x));
}

void FeatureTable::finish(const ReadOptions& options, Dataset& data) {
  impute();
  const Layout layout = this->layout(options.nominal, data.feature_names);
  bool dense = options.storage == Storage::dense;
  if (options.storage == Storage::automatic) {
    dense = !sparse_ || dense_is_better(options.storage, rows_, columns.size(), cells_.size());
  }
  if (dense) {
    data.x = options.single ? dense_features<float>(layout) : dense_features<double>(layout);
  } else {
    data.x = options.single ? sparse_features<float>(layout) : sparse_features<double>(layout);
  }
}

}  // namespace fenchel
