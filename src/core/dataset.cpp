// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/dataset.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/mapping.hpp"

namespace fenchel {
namespace {

/// Features over a matrix that they share.
template <Real T, class M>
Features own(M rows) {
  const auto owner = std::make_shared<const M>(std::move(rows));
  return {FeaturesView<T>(owner->view()), owner};
}

template <Real T>
Features select(const FeaturesView<T>& x, std::span<const std::size_t> rows) {
  if (!x.sparse()) {
    Matrix<T> result(rows.size(), x.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = x.dense_rows().row(rows[i]);
      std::copy(row.begin(), row.end(), result.row(i).begin());
    }
    return Features(std::move(result));
  }
  const CsrView<T>& from = x.sparse_rows();
  CsrMatrix<T> result;
  result.cols = from.cols();
  for (const std::size_t row : rows) {
    result.offsets.push_back(result.offsets.back() + static_cast<std::int64_t>(from.indices(row).size()));
  }
  result.indices.reserve(static_cast<std::size_t>(result.offsets.back()));
  result.values.reserve(static_cast<std::size_t>(result.offsets.back()));
  for (const std::size_t row : rows) {
    const auto indices = from.indices(row);
    const auto values = from.values(row);
    result.indices.insert(result.indices.end(), indices.begin(), indices.end());
    result.values.insert(result.values.end(), values.begin(), values.end());
  }
  return Features(std::move(result));
}

Labels select(const Labels& labels, std::span<const std::size_t> rows) {
  Labels result;
  result.names = labels.names;
  for (const std::size_t row : rows) {
    const auto indices = labels.row(row);
    result.indices.insert(result.indices.end(), indices.begin(), indices.end());
    result.offsets.push_back(static_cast<std::int64_t>(result.indices.size()));
    if (!labels.places.empty()) {
      const std::int32_t* places = labels.places.data() + labels.offsets[row];
      result.places.insert(result.places.end(), places, places + indices.size());
    }
    if (labels.weights.empty()) continue;
    const double* weights = labels.weights.data() + labels.offsets[row];
    result.weights.insert(result.weights.end(), weights, weights + indices.size());
  }
  return result;
}

/// The cells of the chosen rows, which may come in any order.
std::vector<ImputedCell> select_cells(const std::vector<ImputedCell>& cells,
                                      std::span<const std::size_t> rows) {
  std::vector<ImputedCell> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto cell = std::lower_bound(cells.begin(), cells.end(), ImputedCell{rows[i], 0});
    for (; cell != cells.end() && cell->row == rows[i]; ++cell) result.push_back({i, cell->feature});
  }
  return result;
}

/// The queries of the chosen rows, which must come whole, each in its own order.
std::vector<std::int64_t> select_queries(const std::vector<std::int64_t>& queries,
                                         std::span<const std::size_t> rows) {
  std::vector<std::int64_t> result{0};
  for (std::size_t i = 0; i < rows.size();) {
    const auto row = static_cast<std::int64_t>(rows[i]);
    const auto next = std::upper_bound(queries.begin(), queries.end(), row);
    const std::int64_t first = *(next - 1);
    const auto count = static_cast<std::size_t>(*next - first);
    for (std::size_t k = 0; k < count; ++k) {
      if (i + k < rows.size() && rows[i + k] == static_cast<std::size_t>(first) + k) continue;
      throw std::invalid_argument("rows has row " + std::to_string(row) + " without the rest of query " +
                                  std::to_string(next - 1 - queries.begin()) + "; queries must stay whole");
    }
    i += count;
    result.push_back(static_cast<std::int64_t>(i));
  }
  return result;
}

}  // namespace

Features::Features(Matrix<float> rows) : Features(own<float>(std::move(rows))) {}
Features::Features(Matrix<double> rows) : Features(own<double>(std::move(rows))) {}
Features::Features(CsrMatrix<float> rows) : Features(own<float>(std::move(rows))) {}
Features::Features(CsrMatrix<double> rows) : Features(own<double>(std::move(rows))) {}

Dataset select_rows(const Dataset& data, std::span<const std::size_t> rows) {
  for (const std::size_t row : rows) {
    if (row >= data.rows()) {
      throw std::invalid_argument("rows has " + std::to_string(row) + "; the data set has " +
                                  std::to_string(data.rows()) + " rows");
    }
  }
  Dataset result;
  result.x = data.x.visit([rows](const auto& x) { return select(x, rows); });
  result.feature_names = data.feature_names;
  result.fill = data.fill;
  if (data.imputed) result.imputed = select_cells(*data.imputed, rows);
  result.nominal = data.nominal;
  result.source = data.source;
  if (data.labels.rows() > 0) {
    result.labels = select(data.labels, rows);
  } else {
    result.labels.names = data.labels.names;
  }
  if (!data.values.empty()) {
    result.values = Matrix<double>(rows.size(), data.values.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = data.values.row(rows[i]);
      std::copy(row.begin(), row.end(), result.values.row(i).begin());
    }
  }
  for (const std::size_t row : rows) {
    if (!data.weights.empty()) result.weights.push_back(data.weights[row]);
  }
  if (!data.queries.empty()) result.queries = select_queries(data.queries, rows);
  check_mappings();
  return result;
}

}  // namespace fenchel
