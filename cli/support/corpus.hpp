// SPDX-License-Identifier: Apache-2.0
// Data of either kind: rows, or sentences of tokens.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/models/evaluation.hpp"
#include "fenchel/models/model_file.hpp"

namespace fenchel::cli {

/// Rows or sentences.
struct Corpus {
  std::variant<Dataset, std::shared_ptr<const TaggerData>> data;
  std::string source;
  DataFormat format = DataFormat::automatic;  ///< that it was read in
  std::string target;                         ///< the column that was taken for it; empty: none, or unnamed
  std::size_t columns = 0;                    ///< sentences: of a token, the label included
  bool zero_based = false;                    ///< svmlight: indices began at 0
  std::size_t dropped = 0;                    ///< entries of features beyond those of the model
  std::vector<KeptColumn> kept;               ///< cells that go into the predictions
  std::vector<std::string> remarks;           ///< how it was read
};

/// Tagging where these are sentences; else any task of rows, such as classification.
Task kind_of(const Corpus& corpus);

/// Says on stderr how data for a model were read, and what the model is for.
void tell_understood(const Corpus& corpus, const AnyModel& model);

/// The task, the loss and the number of features of a model; attributes are a tagger's features.
struct ModelFacts {
  Task task;
  std::string loss;
  std::size_t features;
};
ModelFacts facts_of(const AnyModel& model);

[[noreturn]] void fail_for_memory(const Corpus& corpus);

/// Calls f with the rows (Dataset) or the sentences (TaggerData).
template <class F>
decltype(auto) visit(const Corpus& corpus, const F& f) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) return f(*rows);
  return f(*std::get<std::shared_ptr<const TaggerData>>(corpus.data));
}

/// Calls work(). Throws std::runtime_error that names the corpus and its size where that runs out of memory.
template <class Work>
auto within_memory(const Corpus& corpus, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    fail_for_memory(corpus);
  } catch (const std::length_error&) {  // of a vector that would be longer than any memory
    fail_for_memory(corpus);
  }
}

/// How good a model is on them.
Evaluation evaluate(const AnyModel& model, const Corpus& corpus, int threads = 0,
                    std::optional<double> temperature = {});

/// A text that tells two corpora apart.
std::string fingerprint(const Corpus& corpus);

}  // namespace fenchel::cli
