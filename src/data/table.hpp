// SPDX-License-Identifier: Apache-2.0
// Columns of features, numeric or nominal, as ARFF and CSV have them, and the matrix they become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/growing_array.hpp"
#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// A column of features.
struct FeatureColumn {
  std::string name;
  bool nominal = false;
  StringTable values;                ///< of a nominal column; cells are numbers of these
  std::optional<bool> one_hot = {};  ///< as it was in training; nothing: as the options say
};

/// What is wrong with a missing cell of a feature, as the end of a sentence; empty if nothing is.
std::string missing_problem(const ReadOptions& options);

inline constexpr double missing_cell = std::numeric_limits<double>::quiet_NaN();

/// Cells of all rows: NaN is a missing one, a value of a nominal column is its number.
class FeatureTable {
 public:
  std::vector<FeatureColumn> columns;

  /// Dense: the next cell of the row.
  void push(double cell) { cells_.push(cell); }
  /// Sparse: a cell of the row that is not 0; columns in increasing order.
  void push(std::int32_t column, double cell) {
    indices_.push(column);
    cells_.push(cell);
  }
  /// Ends a row. A table is sparse if its rows are.
  void end_row(bool sparse);

  std::size_t rows() const { return rows_; }
  /// Makes all cells of a column missing; rows are dense.
  void set_missing(std::size_t column);
  /// Nominal values in byte order instead of the order of their appearance.
  void sort_values();
  /// Fills x, feature_names, nominal and fill: missing cells replaced (whether they are allowed was decided
  /// when they were read), nominal columns as the options say.
  void finish(const ReadOptions& options, Dataset& data);

 private:
  struct Layout {
    std::vector<std::size_t> first;  ///< column of x where each column of the table begins, and the end
    std::vector<bool> spread;        ///< whether it takes one column of x per value
  };
  Layout layout(Nominal nominal, std::vector<std::string>& names) const;
  std::vector<NominalColumn> nominal_columns(const Layout& layout) const;
  std::vector<double> substitutes();
  std::vector<ImputedCell> missing_cells(const Layout& layout);
  void replace_missing(const std::vector<double>& substitutes);
  static std::vector<double> to_fill(const Layout& layout, const std::vector<double>& substitutes);
  static std::vector<double> from_fill(const Layout& layout, std::vector<double> fill);
  template <Real T>
  Features dense_features(const Layout& layout);
  template <Real T>
  Features sparse_features(const Layout& layout);
  template <class F>
  void for_each_cell(std::size_t row, F&& f);

  GrowingArray<double> cells_;
  GrowingArray<std::int32_t> indices_;
  std::vector<std::int64_t> ends_{0};
  std::size_t rows_ = 0;
  bool sparse_ = false;
};

}  // namespace fenchel
