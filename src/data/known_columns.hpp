// SPDX-License-Identifier: Apache-2.0
// Columns of a file that is read for a model: what their values are was settled in training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/table.hpp"
#include "fenchel/core/nominal_column.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

/// The columns that became the features of other data: nominal ones have one name, whatever they take.
std::vector<std::string> column_names(const ReadOptions& options);

/// Whether a column is called as targets are: class, target or label.
bool names_target(const std::string& name);

/// Whether columns had no names there: those of a CSV file without a header are numbers.
bool are_numbers(const std::vector<std::string>& names);

/// The columns to find by name: none if they are numbers.
std::vector<std::string> names_of(std::vector<std::string> columns);

/// The column that is called so, else the one with that number, from 1. Throws DataError about `source` if
/// there is none.
std::size_t column_called(const std::vector<std::string>& names, const std::string& called,
                          const std::string& source);

/// Throws DataError about `source` if the target that was asked for is to be left out too.
void check_not_ignored(const std::string& target, bool left_out, const std::string& source);

/// Where a file has the columns of other data.
struct ColumnMatch {
  std::vector<std::size_t> places;  ///< in the file, of each known column
  std::vector<std::string> others;  ///< names that are not known
};
/// Finds columns by name, without column `taken`, which is not a feature (names.size() if there is none).
/// Throws DataError about `source` if one is missing or appears twice.
ColumnMatch match_columns(const std::vector<std::string>& known, const std::vector<std::string>& names,
                          std::size_t taken, const std::string& source);

/// The target among named columns where none was asked for: the last one unless it is a known feature, else
/// the only one that is not; names.size() if there is none. Throws DataError about `source` if it cannot be
/// told.
std::size_t target_among(const std::vector<std::string>& known, const std::vector<std::string>& names,
                         const std::string& source);

/// Throws DataError about `source` if a name appears twice: columns are known by their names later.
void check_different(const std::vector<std::string>& names, const std::string& source);

/// Gives the columns the values that they had in training; other columns are numeric. Columns are matched by
/// position, and if the file names them (`named`) the names must be those of training. Returns what is wrong,
/// or nothing.
std::string apply_known(const std::vector<NominalColumn>& known, bool named,
                        std::vector<FeatureColumn>& columns);

/// Missing values of data read later become what they became in training; where that kept nothing they are
/// errors, whatever `missing` says.
void fill_as_in_training(ReadOptions& options, const std::vector<double>& fill);

/// Columns are found by their names in training, and names for values become the numbers that they became
/// there. Features without names are not of columns that could have had any.
void name_as_in_training(ReadOptions& options, const std::vector<std::string>& feature_names,
                         const std::vector<NominalColumn>& nominal, const std::string& target);

/// "'z' is not a value of column 'd'; expected 'p' or 'q', as in training".
std::string unseen_problem(std::string_view value, std::string_view kind, const FeatureColumn& column);

}  // namespace fenchel
