// SPDX-License-Identifier: Apache-2.0
// The flags that say what is fitted and how, the same for `train` and `tune`.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "fenchel/training/fit.hpp"

namespace fenchel::cli {

struct FitFlags {
  std::string task;
  std::string intercept;
  std::string scale = "none";
  FitOptions options;

  void add(CLI::App& command);
  /// The options with everything parsed; throws std::invalid_argument naming the flag.
  FitOptions parsed() const;
  /// The choices as text, for a checkpoint: all that a step depends on (when to stop may change).
  std::map<std::string, std::string> identity() const;
};

}  // namespace fenchel::cli
