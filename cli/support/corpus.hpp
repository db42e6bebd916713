// SPDX-License-Identifier: Apache-2.0
// Data of either kind, rows or sentences of tokens, and what the commands do with them whatever the kind.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/split.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/training/fit.hpp"
#include "fenchel/training/fit_tagger.hpp"
#include "support/data_flags.hpp"

namespace fenchel::cli {

/// The flags that only taggers have.
struct TaggerFlags {
  std::string templates;  ///< a file, or the name of a preset
  bool all_states = false;
  bool all_transitions = false;
  int min_count = 1;

  void add(CLI::App& command);
};

/// Rows or sentences.
struct Corpus {
  std::variant<Dataset, std::shared_ptr<const TaggerData>> data;
  std::string source;
  std::string templates;             ///< sentences: what made the attributes
  std::size_t columns = 0;           ///< sentences: of a token, the label included
  bool zero_based = false;           ///< svmlight: indices began at 0
  std::vector<std::string> remarks;  ///< how it was read
};

/// Reads training data: sentences if the task is tagging or the format is one of sentences.
Corpus read_corpus(const std::vector<std::string>& paths, const DataFlags& flags, const TaggerFlags& tagger,
                   std::optional<Task> task);
/// Reads data for a model to judge or to predict.
Corpus read_corpus_for(const std::vector<std::string>& paths, const DataFlags& flags, const AnyModel& model);

/// Splits of the rows or sentences, as split_rows and split_folds make them.
Split split_share(const Corpus& corpus, double share, std::uint64_t seed);
std::vector<Split> split_folds(const Corpus& corpus, std::size_t count, std::uint64_t seed);
/// The corpus of the rows or sentences with these numbers.
Corpus select(const Corpus& corpus, std::span<const std::size_t> numbers);

/// Takes the validation data out of `corpus`: a share of it, or a file of its own. None if `valid` is empty.
std::optional<Corpus> split_validation(Corpus& corpus, const std::string& valid, const DataFlags& flags,
                                       const TaggerFlags& tagger, std::uint64_t seed);
/// "0.25" as a number in (0, 1); throws std::invalid_argument for anything else.
double parse_share(const std::string& text);

/// What the flags say of a tagger's fit on these sentences.
TaggerFitOptions tagger_options(const Corpus& corpus, const TaggerFlags& tagger);
std::unique_ptr<Fit> make_fit(const Corpus& corpus, const FitOptions& options, const TaggerFlags& tagger);
/// What the model should remember of the data and the flags.
void finish_model(AnyModel& model, const Corpus& corpus, double temperature);

Task task_of(const AnyModel& model);
Evaluation evaluate(const AnyModel& model, const Corpus& corpus, int threads = 0,
                    std::optional<double> temperature = {});

/// A text that tells two corpora apart: sizes and a checksum of all entries.
std::string fingerprint(const Corpus& corpus);

}  // namespace fenchel::cli
