// SPDX-License-Identifier: Apache-2.0
// Any data set, whatever its format.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

/// The cells of a column as they were written.
struct KeptColumn {
  std::string name;
  std::vector<std::string> cells;
};

/// A data set and how it was read.
struct Reading {
  Dataset data;
  DataFormat format = DataFormat::automatic;  ///< the one chosen
  std::string why;                            ///< why: "by the ending .arff", "by its content", "as asked"
  bool zero_based = false;                    ///< svmlight: the indices of the file began at 0
  std::size_t dropped = 0;                    ///< entries beyond options.features that were left out
  std::vector<std::string> ignored_columns =
      {};                                 ///< CSV, ARFF: names that options.feature_names does not have
  std::string target = {};                ///< CSV, ARFF: the name of the target column; empty: none
  std::vector<KeptColumn> kept = {};      ///< CSV: options.keep
  std::vector<std::string> remarks = {};  ///< what was decided: "separated by tabs", "without a header (…)"
  std::vector<std::string> warnings = {};  ///< what may not be as meant
};

/// The format of a file: by its first bytes where they tell (cache, NumPy), else by the ending of its name
/// (through .gz), else by its first lines. Throws DataError if it cannot be told, or may be another: the
/// text names the candidates.
DataFormat guess_format(const std::string& path);

/// The formats that a file may have by the same signs, the likeliest first: one where it is certain.
/// `known` is ReadOptions::known_format.
std::vector<DataFormat> possible_formats(const std::string& path, DataFormat known = DataFormat::automatic);

/// Reads one or several files as one data set. Formats of sequences (conll, conllu, crfsuite, ocr) are not
/// data sets of rows: see read_conll, read_conllu, read_crfsuite and read_ocr. Content that is wrong throws
/// DataError with file, line and column.
Reading read_dataset(const Paths& paths, const ReadOptions& options = {});

/// The rows of a text as they arrive, for predictions line by line. Rows of svmlight are handed out as soon
/// as they are there; a text whose first lines look like another format is read to its end.
class RowStream {
 public:
  RowStream(const std::string& path, const ReadOptions& options);
  ~RowStream();
  RowStream(RowStream&&) noexcept;
  RowStream& operator=(RowStream&&) noexcept;

  /// Waits for a row and hands out all that are at hand; false at the end. Throws std::invalid_argument for
  /// svmlight if options.index_base is automatic or options.features is 0.
  bool next(Reading& rows);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fenchel
