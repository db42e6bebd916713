// SPDX-License-Identifier: Apache-2.0
// The flags that say how data files are read, the same for every command that reads some.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fenchel/core/task.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/models/model_file.hpp"
#include "support/command_line.hpp"
#include "support/output_files.hpp"

namespace fenchel::cli {

struct DataFlags {
  std::string format = "auto";
  std::string labels;
  std::string target;
  std::vector<std::string> ignore;
  std::string header = "auto";
  std::string decimal = "auto";
  std::string nominal = "one-hot";
  std::string missing = "error";
  std::string precision = "double";
  std::string indices = "auto";
  int threads = 0;
  bool unlabelled = false;  ///< rows may lack their targets
  std::function<bool(const std::string&)> given = [](const std::string&) { return false; };  ///< by its name

  /// Adds the flags; `format_names` is what the flag for the format is called.
  void add(Command& command, const std::string& format_names = "--data-format,--format");
  ReadOptions options() const;
  /// Throws std::invalid_argument if a flag was given that says nothing about data of any of these formats
  /// (automatic: one that is not known yet, for which all do).
  void check_used(const std::vector<DataFormat>& formats) const;
  /// The files that are read for these paths, under the names of the command line; those beside them too.
  std::vector<NamedFile> files(const std::vector<std::string>& paths, const std::string& name = "DATA") const;
};

/// Whether a format is one of sentences of tokens.
bool of_sentences(DataFormat format);

/// The format as asked for, else as the first file looks; automatic for what can be read only once (a pipe)
/// and shows its format then. Where a file may have several formats, a task or the format of the data that a
/// model was trained on may leave one.
DataFormat format_of(const std::vector<std::string>& paths, const DataFlags& flags,
                     std::optional<Task> task = {}, DataFormat known = DataFormat::automatic);

/// How rows for a model are read: its features, others left out and counted, its values for missing ones and
/// its numbers for names.
ReadOptions read_options_for(const DataFlags& flags, const AnyModel& model);

}  // namespace fenchel::cli
