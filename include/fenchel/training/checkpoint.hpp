// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the state of an algorithm in a file, with what identifies the run, so that it is taken up only
// by a run of the same kind. Written like models: as a whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "fenchel/core/state.hpp"

namespace fenchel {

/// A saved run.
struct Checkpoint {
  State state;
  /// What the run depends on, by name (options, data): all must be the same in the run that goes on.
  std::map<std::string, std::string> identity;
};

/// Writes the checkpoint, or leaves an old one as it was and throws std::system_error.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a checkpoint; throws std::runtime_error if the file is not one, or is damaged.
Checkpoint load_checkpoint(const std::filesystem::path& path);

/// Throws std::invalid_argument naming the first difference: "the checkpoint was made with lambda 1; this run
/// has 2".
void check_identity(const Checkpoint& checkpoint, const std::map<std::string, std::string>& identity);

}  // namespace fenchel
