// SPDX-License-Identifier: Apache-2.0
// What can be chosen about reading a data set.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/nominal_column.hpp"

namespace fenchel {

/// The formats of files.
enum class DataFormat {
  automatic,    ///< by the file's content and the ending of its name
  svmlight,     ///< `label index:value …` (LIBSVM)
  arff,         ///< Weka's, dense or sparse, with Mulan's XML label header
  csv,          ///< values separated by commas, semicolons, tabs, bars or blanks
  npy,          ///< a NumPy array
  cache,        ///< what write_cache wrote
  time_series,  ///< UCR: .ts, .tsv, or columns separated by white space
  conll,        ///< tokens in columns, a blank line after a sentence
  conllu,       ///< a treebank of Universal Dependencies
  crfsuite,     ///< `LABEL<TAB>attribute[:value]<TAB>…`, a blank line after a sequence
  ocr,          ///< `word<TAB>position<TAB>letter<TAB>pixels`
};

/// "svmlight", "arff", …: the names that the option `format` takes.
std::string_view format_name(DataFormat format);
/// All of them, "auto" first.
std::vector<std::string_view> format_names();
/// Throws std::invalid_argument for any other name.
DataFormat format_called(std::string_view name);

/// Whether the first feature of an svmlight file has index 0 or 1.
enum class IndexBase {
  automatic,  ///< 0 if the index 0 occurs anywhere, else 1
  zero,
  one,
};

/// How rows are kept.
enum class Storage {
  automatic,  ///< dense where that takes less memory (at least two thirds of all entries are there)
  dense,
  sparse,
};

/// What becomes of a feature whose values are names (ARFF nominal attributes, text columns of CSV).
enum class Nominal {
  one_hot,  ///< a column of 0 and 1 for each value; one column for two values: 1 is the second
  ordinal,  ///< one column: the position of the value, from 0
};

/// What becomes of a missing value (`?`, or an empty field of CSV).
enum class Missing {
  error,
  impute,  ///< the mean of the column, or its most frequent value, in the data that are read: Dataset::fill
  fill,    ///< ReadOptions::fill, found in other data; an error if that is empty
};

/// Whether the first line of CSV names the columns.
enum class Header {
  automatic,  ///< judged by the lines below it: Reading::remarks says how
  yes,
  no,
};

/// What stands before the decimals of a number in CSV.
enum class Decimal {
  automatic,  ///< a point, or a comma where that does not separate fields; both in one data set are an error
  point,
  comma,
};

/// What the text of a target is in CSV and ARFF.
enum class TargetText {
  automatic,  ///< an order where > stands between labels (a>b=c), or in other rows; else a label
  label,      ///< a label, whatever signs it has
  order,      ///< an order, also where no row has a >: a=b=c, {a,b,c}
};

struct ReadOptions {
  DataFormat format = DataFormat::automatic;
  bool single = false;  ///< features as float (the nearest to the double); float32 arrays stay so anyway
  Storage storage = Storage::automatic;
  std::size_t features = 0;  ///< the number of columns; 0: as many as there are
  bool drop_beyond = false;  ///< leave out features beyond `features` instead of refusing them
  IndexBase index_base = IndexBase::automatic;  ///< svmlight
  std::string target = {};  ///< the target column (ARFF, CSV) by name or number, or the .npy file of targets
  std::vector<std::string> ignore = {};  ///< columns (ARFF, CSV) that are left out, by name or number
  std::vector<std::string> keep =
      {};  ///< CSV: columns whose cells are kept as they are: Reading::kept; "*": all
  Header header = Header::automatic;     ///< CSV
  Decimal decimal = Decimal::automatic;  ///< CSV
  std::string labels_file = {};          ///< ARFF: the XML file with the labels; empty: the one beside it
  Nominal nominal = Nominal::one_hot;
  Missing missing = Missing::error;
  std::vector<double> fill = {};  ///< Missing::fill: one number per feature, Dataset::fill of other data
  /// CSV, ARFF: the Dataset::nominal of other data, so that values get the same numbers here; an unknown
  /// value is an error, and columns not listed are numeric. Overrides `nominal`.
  std::optional<std::vector<NominalColumn>> nominal_columns = {};
  /// CSV, ARFF: the Dataset::feature_names of other data. A file with names of its own has its columns taken
  /// by name then, in that order; one that is not there is an error, others are left out
  /// (Reading::ignored_columns).
  std::vector<std::string> feature_names = {};
  /// CSV, ARFF: Reading::target of other data: the target where `target` is empty and the file has such a
  /// column.
  std::string known_target = {};
  /// Reading::format of other data: taken where the lines may be in several formats, this one among them, and
  /// for a table of nothing but numbers, which may hold series.
  DataFormat known_format = DataFormat::automatic;
  /// ARFF: Labels::names of other data: attributes that are called so are labels where no header names some.
  std::vector<std::string> known_labels = {};
  TargetText target_text = TargetText::automatic;
  bool unlabelled = false;  ///< CSV, ARFF: a row may lack its target, as data to predict do
  int threads = 1;          ///< 0: all; the result is the same for any number
};

}  // namespace fenchel
