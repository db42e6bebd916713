// SPDX-License-Identifier: Apache-2.0
// The svmlight (LIBSVM) format: a row is `label index:value index:value …`, indices increasing, `#` begins a
// comment. The label part is one of
//   3          a label (any text without blanks, commas and colons) or a number
//   1,5,7      several labels
//   3:0.25,7:0.75   labels with proportions (the comma tells them from a feature; a single one is `3:0.5,`)
//   (nothing)  the row begins with a feature: no label, as in data to predict
// and may be followed by `qid:name`, the query that a row belongs to (its rows must be together).
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

class TextSource;

/// Reads files of rows. Labels that are numbers are known by the shortest text of their value (+1, 1.0 and 1
/// are one label); `values` is there if every row has exactly one label and all are numbers.
Dataset read_svmlight(const Paths& paths, const ReadOptions& options = {});

/// Rows of a stream, as they arrive: for predictions line by line. The index base must be given.
class SvmlightStream {
 public:
  /// Throws std::invalid_argument if options.index_base is automatic or options.features is 0.
  SvmlightStream(const std::string& path, const ReadOptions& options);
  ~SvmlightStream();
  SvmlightStream(SvmlightStream&&) noexcept;
  SvmlightStream& operator=(SvmlightStream&&) noexcept;

  /// Waits for a row and hands out all that are at hand; false at the end. `rows` is sparse.
  bool next(Dataset& rows);
  /// Entries beyond options.features that were left out of the rows handed out last.
  std::size_t dropped() const;

 private:
  friend class RowStream;
  /// Goes on with a text that is open.
  SvmlightStream(TextSource&& source, const ReadOptions& options);

  struct State;
  std::unique_ptr<State> state_;
};

/// Writes rows so that read_svmlight gives them back (indices from 1; numbers in their shortest text).
/// Throws std::invalid_argument for label names that the format cannot hold.
void write_svmlight(const Dataset& data, std::ostream& out);
/// Into a file, complete or not at all: a failure throws std::system_error and leaves an old file as it was.
void write_svmlight(const Dataset& data, const std::filesystem::path& path);

}  // namespace fenchel
