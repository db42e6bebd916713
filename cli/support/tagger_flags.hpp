// SPDX-License-Identifier: Apache-2.0
// The flags that only taggers have.
#pragma once

#include <string>

#include "fenchel/models/attributes.hpp"
#include "support/command_line.hpp"

namespace fenchel::cli {

struct TaggerFlags {
  std::string templates;  ///< a file, or the name of a preset

  /// The flags about weights go into `features`.
  void add(Command& command, TaggerFeatureOptions& features);
};

}  // namespace fenchel::cli
