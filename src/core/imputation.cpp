// SPDX-License-Identifier: Apache-2.0
// Missing values of a data set that were replaced, replaced anew: from other rows, or by other values.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/column_fill.hpp"
#include "core/mapping.hpp"
#include "fenchel/core/dataset.hpp"

namespace fenchel {
namespace {

/// The columns of a file as features: which take several, and which hold numbers of names.
struct Groups {
  explicit Groups(const Dataset& data)
      : first(data.x.cols()), width(data.x.cols(), 1), nominal(data.x.cols()) {
    for (std::size_t j = 0; j < first.size(); ++j) first[j] = j;
    for (const NominalColumn& column : data.nominal) {
      width[column.feature] = column.width();
      nominal[column.feature] = true;
      for (std::size_t k = 0; k < column.width(); ++k) first[column.feature + k] = column.feature;
    }
  }
  std::vector<std::size_t> first;  ///< the first feature of the column that a feature belongs to
  std::vector<std::size_t> width;  ///< of the column that begins at a feature
  std::vector<bool> nominal;
};

/// The replaced cells row by row, while rows go by in order.
class CellsByRow {
 public:
  explicit CellsByRow(const std::vector<ImputedCell>& cells) : next_(cells.begin()), end_(cells.end()) {}
  /// The first features of the columns that were missing in `row`, in order.
  const std::vector<std::size_t>& of(std::size_t row) {
    features_.clear();
    for (; next_ != end_ && next_->row == row; ++next_) features_.push_back(next_->feature);
    return features_;
  }

 private:
  std::vector<ImputedCell>::const_iterator next_, end_;
  std::vector<std::size_t> features_;
};

template <Real T>
Features refill(const FeaturesView<T>& x, const std::vector<ImputedCell>& cells, const Groups& groups,
                const std::vector<double>& fill) {
  if (!x.sparse()) {
    Matrix<T> result(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i)
      std::ranges::copy(x.dense_rows().row(i), result.row(i).begin());
    for (const ImputedCell& cell : cells) {
      for (std::size_t k = 0; k < groups.width[cell.feature]; ++k) {
        result(cell.row, cell.feature + k) = static_cast<T>(fill[cell.feature + k]);
      }
    }
    return Features(std::move(result));
  }
  CsrMatrix<T> result;
  result.cols = x.cols();
  CellsByRow missing(cells);
  std::vector<std::pair<std::size_t, double>> entries;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const auto& features = missing.of(i);
    entries.clear();
    x.for_each(i, [&](std::size_t j, double value) {
      if (!std::ranges::binary_search(features, groups.first[j])) entries.emplace_back(j, value);
    });
    for (const std::size_t feature : features) {
      for (std::size_t j = feature; j < feature + groups.width[feature]; ++j) {
        if (fill[j] != 0) entries.emplace_back(j, fill[j]);
      }
    }
    std::ranges::sort(entries);
    for (const auto& [j, value] : entries) {
      result.indices.push_back(static_cast<std::int32_t>(j));
      result.values.push_back(static_cast<T>(value));
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return Features(std::move(result));
}

}  // namespace

std::vector<double> fill_of(const Dataset& data) {
  const Groups groups(data);
  static const std::vector<ImputedCell> none;
  CellsByRow missing(data.imputed ? *data.imputed : none);
  std::vector<ColumnFill> columns;
  for (std::size_t j = 0; j < data.x.cols(); ++j) columns.emplace_back(groups.nominal[j]);
  std::vector<std::size_t> gaps(data.x.cols(), 0);
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto& features = missing.of(i);
      for (const std::size_t feature : features) ++gaps[feature];
      x.for_each(i, [&](std::size_t j, double value) {
        const std::size_t first = groups.first[j];
        if (std::ranges::binary_search(features, first)) return;
        columns[first].add(groups.width[first] > 1 ? static_cast<double>(j - first) : value);
      });
    }
  });
  check_mappings();
  std::vector<double> fill(data.x.cols(), 0.0);
  for (std::size_t j = 0; j < fill.size(); j += groups.width[j]) {
    const double value = columns[j].value(data.rows() - gaps[j] - columns[j].known());
    const bool spread = groups.width[j] > 1;
    fill[j + (spread ? static_cast<std::size_t>(value) : 0)] = spread ? 1 : value;
  }
  return fill;
}

Dataset with_fill(const Dataset& data, std::vector<double> fill) {
  if (!data.imputed || data.fill == fill) return data;
  if (fill.size() != data.x.cols()) {
    throw std::invalid_argument("fill has " + std::to_string(fill.size()) + " values; expected " +
                                std::to_string(data.x.cols()) + ", one per feature");
  }
  Dataset result = data;
  if (!data.imputed->empty()) {
    const Groups groups(data);
    result.x = data.x.visit([&](const auto& x) { return refill(x, *data.imputed, groups, fill); });
  }
  result.fill = std::move(fill);
  check_mappings();
  return result;
}

}  // namespace fenchel
