// SPDX-License-Identifier: Apache-2.0
// From the files and flags of a command to a corpus.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fenchel/core/task.hpp"
#include "fenchel/models/model_file.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/tagger_flags.hpp"

namespace fenchel::cli {

/// Reads training data: sentences if the task is tagging or the format is one of sentences.
Corpus read_corpus(const std::vector<std::string>& paths, const DataFlags& flags, const TaggerFlags& tagger,
                   std::optional<Task> task);
/// Reads a file beside the training data, as those were read.
Corpus read_corpus_like(const Corpus& training, const std::string& path, const DataFlags& flags,
                        const TaggerFlags& tagger);
/// Reads data for a model to judge or to predict, with the cells of the columns to keep.
Corpus read_corpus_for(const std::vector<std::string>& paths, const DataFlags& flags, const AnyModel& model,
                       const std::vector<std::string>& keep = {});
/// Rows that were read; warns of columns that were left out.
Corpus rows_corpus(Reading reading);
/// Warns where another task than the guessed one may be meant.
void warn_of_doubts(const Reading& reading);
/// Warns of entries that were left out because their features are beyond those of `owner`.
void warn_of_dropped(const std::string& source, std::size_t entries, const char* owner);

/// The model of a file. Where that is none and the first file of data is one, says that they are swapped.
AnyModel load_model(const std::string& path, const std::vector<std::string>& data = {});

}  // namespace fenchel::cli
