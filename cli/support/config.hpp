// SPDX-License-Identifier: Apache-2.0
// Flags from a file: keys are the names of flags, as in `lambda = 0.5`. The command line overrides them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace fenchel::cli {

/// A command's `--config` flag.
class ConfigFile {
 public:
  void add(CLI::App& command);
  /// Sets every flag of the file that was not on the command line; call it when the command runs. Throws
  /// std::invalid_argument for a key that is no flag.
  void apply(CLI::App& command) const;

 private:
  std::string path_;
};

}  // namespace fenchel::cli
