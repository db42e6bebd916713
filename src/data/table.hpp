// SPDX-License-Identifier: Apache-2.0
// Columns of features, numeric or nominal, as ARFF and CSV have them, and the matrix they become.
#pragma once

#include <cstddef>
#include <cstdint>
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
  StringTable values;  ///< of a nominal column; cells are numbers of these
};

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
  /// Nominal values in byte order instead of the order of their appearance.
  void sort_values();
  /// Fills x and feature_names: missing cells imputed (whether they are allowed was decided when they were
  /// read), nominal columns as the options say.
  void finish(const ReadOptions& options, Dataset& data);

 private:
  struct Layout {
    std::vector<std::size_t> first;  ///< column of x where a column of the table begins; one more at the end
    std::vector<bool> spread;        ///< whether it takes one column of x a value
  };
  Layout layout(Nominal nominal, std::vector<std::string>& names) const;
  void impute();
  std::vector<double> substitutes();
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
