// SPDX-License-Identifier: Apache-2.0
// The flags that say what is fitted and how, the same for `train` and `tune`.
#pragma once

#include <functional>
#include <string>

#include "fenchel/training/fit.hpp"
#include "support/command_line.hpp"

namespace fenchel::cli {

struct FitFlags {
  std::string task;
  std::string intercept;
  std::string scale = "none";
  std::string cost;
  std::string solver = "auto";
  double tolerance = 0;  ///< where it is given
  FitOptions options;
  std::function<bool(const std::string&)> given = [](const std::string&) { return false; };  ///< by its name

  void add(Command& command);
  /// The options with everything parsed; throws std::invalid_argument naming the flag. One that the penalty
  /// has no use for is an error.
  FitOptions parsed() const;
};

}  // namespace fenchel::cli
