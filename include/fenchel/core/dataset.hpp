// SPDX-License-Identifier: Apache-2.0
// A data set as read from files: features, and targets as they were written (labels by name, numbers, or
// both). What a task makes of them (classes, proportions, label sets, rankings, numbers) is decided later, so
// that one file serves several tasks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fenchel/core/features.hpp"
#include "fenchel/core/nominal_column.hpp"

namespace fenchel {

/// Rows of labels: row i has the labels indices[offsets[i] … offsets[i+1]), in the order written.
struct Labels {
  std::vector<std::string> names;        ///< the classes: by value if all are numbers, else in byte order
  std::vector<std::int64_t> offsets{0};  ///< rows + 1
  std::vector<std::int32_t> indices;     ///< into names; a label may be repeated (a count)
  std::vector<double> weights;           ///< one for each index, where proportions were written; else empty
  /// One for each index, where orders were written (`b>a=c`): the place of the label in its row, from 0;
  /// labels that are tied have the same place. Else empty.
  std::vector<std::int32_t> places;

  std::size_t rows() const { return offsets.size() - 1; }
  std::span<const std::int32_t> row(std::size_t i) const {
    return {indices.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// Features that keep what they are in (vectors, or a mapped file) alive; copies share it.
class Features {
 public:
  Features() = default;
  /// Owning: takes a matrix over.
  explicit Features(Matrix<float> rows);
  explicit Features(Matrix<double> rows);
  explicit Features(CsrMatrix<float> rows);
  explicit Features(CsrMatrix<double> rows);
  /// Views of memory that `owner` keeps alive.
  Features(FeaturesView<float> rows, std::shared_ptr<const void> owner)
      : rows_(rows), owner_(std::move(owner)) {}
  Features(FeaturesView<double> rows, std::shared_ptr<const void> owner)
      : rows_(rows), owner_(std::move(owner)) {}

  std::size_t rows() const {
    return std::visit([](const auto& x) { return x.rows(); }, rows_);
  }
  std::size_t cols() const {
    return std::visit([](const auto& x) { return x.cols(); }, rows_);
  }
  bool sparse() const {
    return std::visit([](const auto& x) { return x.sparse(); }, rows_);
  }
  bool single() const { return std::holds_alternative<FeaturesView<float>>(rows_); }
  /// Calls f with the FeaturesView<float> or FeaturesView<double>.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), rows_);
  }

 private:
  std::variant<FeaturesView<double>, FeaturesView<float>> rows_;
  std::shared_ptr<const void> owner_;
};

/// A cell that was missing: a row, and the first feature of its column.
struct ImputedCell {
  std::size_t row = 0;
  std::size_t feature = 0;

  auto operator<=>(const ImputedCell&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm
};

/// One example per row. Parts that a file did not have are empty.
struct Dataset {
  Features x;
  std::vector<std::string> feature_names;  ///< of the columns of x, where the format has them
  Labels labels;                           ///< targets by name
  Matrix<double> values;                   ///< targets as numbers (rows × outputs), where all are numbers
  std::vector<std::int64_t> queries;  ///< `qid`: queries[q] … queries[q+1] − 1 are the rows of query q
  std::vector<double> weights;        ///< of the examples
  std::vector<double> fill;           ///< replaces a missing value, one per feature; empty: nothing does
  /// The cells that `fill` stands in, in order, if it was found in these data; nothing if it was given.
  std::optional<std::vector<ImputedCell>> imputed;
  std::vector<NominalColumn> nominal;  ///< columns of the file with names for values
  std::string source;                  ///< the file or files, for messages

  std::size_t rows() const { return x.rows(); }
};

/// The rows of `data` with the given indices, in that order (the queries must stay whole and are kept).
Dataset select_rows(const Dataset& data, std::span<const std::size_t> rows);

/// What stands for missing values by these rows: the mean of a column, or its most frequent value, over the
/// cells that were not missing. One number per feature.
std::vector<double> fill_of(const Dataset& data);
/// The data with other values for what was missing; as they are if `imputed` says nothing about it.
Dataset with_fill(const Dataset& data, std::vector<double> fill);

/// A text that tells two data sets apart: the sizes, and a checksum of all entries and targets.
std::string fingerprint(const Dataset& data);

}  // namespace fenchel
