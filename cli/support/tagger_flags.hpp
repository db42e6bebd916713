// SPDX-License-Identifier: Apache-2.0
// The flags that only taggers have.
#pragma once

#include <functional>
#include <string>

#include "fenchel/models/attributes.hpp"
#include "support/command_line.hpp"
#include "support/corpus.hpp"

namespace fenchel::cli {

struct TaggerFlags {
  std::string templates;         ///< a file, or the name of a preset
  std::string clusters;          ///< a file of words and their clusters
  bool soft_labels = false;      ///< labels may be distributions, "NP:0.75,VP:0.25"
  std::string sentence_weights;  ///< a file

  std::function<bool(const std::string&)> given = [](const std::string&) { return false; };  ///< by its name

  /// The flags about weights go into `features`.
  void add(Command& command, TaggerFeatureOptions& features);
  /// Throws std::invalid_argument if one was given that has no meaning for the corpus: it has no sentences,
  /// or their attributes are written out.
  void check_used(const Corpus& corpus) const;
};

}  // namespace fenchel::cli
