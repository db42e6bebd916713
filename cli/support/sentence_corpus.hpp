// SPDX-License-Identifier: Apache-2.0
// Sentences for taggers, from the files and flags of a command.
#pragma once

#include <string>
#include <vector>

#include "fenchel/models/tagger.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/tagger_flags.hpp"

namespace fenchel::cli {

/// Sentences to learn from.
Corpus training_sentences(const std::vector<std::string>& paths, DataFormat format, const DataFlags& flags,
                          const TaggerFlags& tagger);
/// Sentences beside those of training, in as many columns.
Corpus sentences_like(const Corpus& training, const std::string& path, const DataFlags& flags,
                      const TaggerFlags& tagger);
/// Sentences for a tagger: in the columns that its templates read, with or without labels after them.
Corpus sentences_for(const std::vector<std::string>& paths, const DataFlags& flags, const Tagger& tagger);

}  // namespace fenchel::cli
