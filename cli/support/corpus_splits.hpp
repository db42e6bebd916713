// SPDX-License-Identifier: Apache-2.0
// Parts of a corpus: shares, folds and validation data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fenchel/data/split.hpp"
#include "fenchel/training/fit.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/tagger_flags.hpp"

namespace fenchel::cli {

/// Splits of the rows or sentences, as split_rows and split_folds make them; where there are too few, the
/// errors name --valid or --folds.
Split split_share(const Corpus& corpus, double share, std::uint64_t seed);
std::vector<Split> split_folds(const Corpus& corpus, std::size_t count, std::uint64_t seed);
/// The rows or sentences of both parts of a split; what stands for missing values is found in the training
/// part.
struct CorpusParts {
  Corpus train;
  Corpus held_out;
};
CorpusParts take_apart(const Corpus& corpus, const Split& split);

/// Takes the validation data out of `corpus`: a share of it, or a file of its own. None if `valid` is empty.
/// Of the options the seed and the task count.
std::optional<Corpus> split_validation(Corpus& corpus, const std::string& valid, const DataFlags& flags,
                                       const TaggerFlags& tagger, const FitOptions& options);
/// Warns where rows to judge by have a class that no row to train on has: those of splits that `flag` asks
/// for, or `judged`, another file. Without a task, the guessed one.
void warn_of_unseen_classes(const Corpus& corpus, const std::vector<Split>& splits, const std::string& flag,
                            std::optional<Task> task);
void warn_of_unseen_classes(const Corpus& corpus, const Corpus& judged, std::optional<Task> task);
/// "0.25" as a number in (0, 1); throws std::invalid_argument for anything else.
double parse_share(const std::string& text);

}  // namespace fenchel::cli
