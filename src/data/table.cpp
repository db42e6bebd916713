// SPDX-License-Identifier: Apache-2.0
#include "data/table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/column_fill.hpp"
#include "data/label_rows.hpp"
#include "data/storage.hpp"

namespace fenchel {
namespace {

constexpr std::size_t few_columns = 64;  // of x: rows this short are dense however many zeros words make

}  // namespace

std::string missing_problem(const ReadOptions& options) {
  if (options.missing == Missing::error) return "is missing; `missing=impute` fills such cells in";
  if (options.missing == Missing::fill && options.fill.empty()) {
    return "is missing; expected one, as training kept nothing to put in its place";
  }
  return {};
}

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

void FeatureTable::set_missing(std::size_t column) {
  columns[column].values = {};
  for (std::size_t i = 0; i < rows_; ++i) cells_[i * columns.size() + column] = missing_cell;
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
/// (the first of equals); 0, or the first value, where no row has any. Cells that a sparse row leaves out are
/// zeros, not missing.
std::vector<double> FeatureTable::substitutes() {
  std::vector<ColumnFill> known;
  for (const FeatureColumn& column : columns) known.emplace_back(column.nominal);
  std::vector<std::size_t> absent(columns.size(), rows_);
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_cell(i, [&](std::size_t j, double cell) {
      absent[j] -= 1;
      if (!std::isnan(cell)) known[j].add(cell);
    });
  }
  std::vector<double> result;
  for (std::size_t j = 0; j < columns.size(); ++j) result.push_back(known[j].value(sparse_ ? absent[j] : 0));
  return result;
}

std::vector<ImputedCell> FeatureTable::missing_cells(const Layout& layout) {
  std::vector<ImputedCell> result;
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_cell(i, [&](std::size_t j, double cell) {
      if (std::isnan(cell)) result.push_back({i, layout.first[j]});
    });
  }
  return result;
}

void FeatureTable::replace_missing(const std::vector<double>& substitutes) {
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_cell(i, [&](std::size_t j, double& cell) {
      if (std::isnan(cell)) cell = substitutes[j];
    });
  }
}

/// Cells that stand for missing ones as features: a nominal column that is spread has a 1 at the value.
std::vector<double> FeatureTable::to_fill(const Layout& layout, const std::vector<double>& substitutes) {
  std::vector<double> fill(layout.first.back());
  for (std::size_t j = 0; j < substitutes.size(); ++j) {
    const bool spread = layout.spread[j];
    fill[layout.first[j] + (spread ? static_cast<std::size_t>(substitutes[j]) : 0)] =
        spread ? 1 : substitutes[j];
  }
  return fill;
}

/// The inverse.
std::vector<double> FeatureTable::from_fill(const Layout& layout, std::vector<double> fill) {
  fill.resize(layout.first.back());  // read_dataset refuses data with another number of features
  std::vector<double> substitutes;
  for (std::size_t j = 0; j < layout.spread.size(); ++j) {
    const auto begin = fill.begin() + static_cast<std::ptrdiff_t>(layout.first[j]);
    const auto end = fill.begin() + static_cast<std::ptrdiff_t>(layout.first[j + 1]);
    substitutes.push_back(layout.spread[j] ? static_cast<double>(std::max_element(begin, end) - begin)
                                           : *begin);
  }
  return substitutes;
}

FeatureTable::Layout FeatureTable::layout(Nominal nominal, std::vector<std::string>& names) const {
  Layout result;
  for (const FeatureColumn& column : columns) {
    const bool spread =
        column.nominal && column.one_hot.value_or(nominal == Nominal::one_hot && column.values.size() > 2);
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

std::vector<NominalColumn> FeatureTable::nominal_columns(const Layout& layout) const {
  std::vector<NominalColumn> result;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const FeatureColumn& column = columns[j];
    if (!column.nominal) continue;
    result.push_back({column.name, column.values.strings(), layout.first[j], layout.spread[j]});
  }
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
  const Layout layout = this->layout(options.nominal, data.feature_names);
  data.nominal = nominal_columns(layout);
  if (options.missing == Missing::impute) {
    data.fill = to_fill(layout, substitutes());
    data.imputed = missing_cells(layout);
  }
  if (options.missing == Missing::fill) data.fill = options.fill;
  if (!data.fill.empty()) replace_missing(from_fill(layout, data.fill));
  bool dense = options.storage == Storage::dense;
  if (options.storage == Storage::automatic) {
    // A column that is spread has one entry in a row, however many values it has.
    const std::size_t cols = sparse_ ? columns.size() : layout.first.back();
    dense = (!sparse_ && cols <= std::max(columns.size(), few_columns)) ||
            dense_is_better(options.storage, rows_, cols, cells_.size());
  }
  if (dense) {
    data.x = options.single ? dense_features<float>(layout) : dense_features<double>(layout);
  } else {
    data.x = options.single ? sparse_features<float>(layout) : sparse_features<double>(layout);
  }
}

}  // namespace fenchel
