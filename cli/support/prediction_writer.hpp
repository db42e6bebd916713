// SPDX-License-Identifier: Apache-2.0
// Predictions as text: a label per line, label:probability pairs, CSV, JSON lines, or one NumPy array.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fenchel/models/model_file.hpp"
#include "fenchel/models/prediction.hpp"
#include "support/corpus.hpp"

namespace fenchel::cli {

enum class OutputFormat { tsv, csv, jsonl, npy };
std::vector<std::pair<std::string, OutputFormat>> output_formats();

struct WriterOptions {
  OutputFormat format = OutputFormat::tsv;
  bool proba = false;
  std::size_t top = 0;  ///< only that many labels; 0: all that are not 0
  std::optional<double> temperature = {};
  int threads = 0;
};

class PredictionWriter {
 public:
  PredictionWriter(WriterOptions options, std::FILE* out) : options_(options), out_(out) {}

  /// Rows or sentences, by the model's kind.
  void write(const AnyModel& model, const Corpus& corpus);
  void flush() const { std::fflush(out_); }
  /// Writes what is written as a whole.
  void finish();
  /// What the reader should know, as sentences.
  std::vector<std::string> remarks() const;

 private:
  template <class Model>
  void write_rows(const Model& model, const Dataset& rows, const std::vector<KeptColumn>& kept);
  void write_row(const Predictions& said, std::size_t i, std::span<const std::string_view> kept);
  void write_header(const Predictions& said, const std::string& target, const std::vector<KeptColumn>& kept);
  void write_json(const Predictions& said, std::size_t i, std::span<const std::string_view> kept);
  void write_sentences(const Tagger& tagger, const TaggerData& data);
  void write_sentence(const TagPredictions& said, std::size_t s) const;

  WriterOptions options_;
  std::FILE* out_;
  std::vector<double> entries_;  // of the NumPy array
  std::vector<std::string> kept_names_;
  std::size_t cols_ = 0;
  std::size_t rows_ = 0;
  std::size_t ignored_ = 0;
  Report report_;
};

}  // namespace fenchel::cli
