// SPDX-License-Identifier: Apache-2.0
// How well chunks of tokens are found, as the shared tasks of CoNLL judge it: a chunk counts only if its
// first token, its last token and its type are right. Labels are a prefix and a type, "B-NP", and O is
// outside; the prefixes of IOB1, IOB2 and IOBES (also BILOU: L and U) are read alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/metrics/classification.hpp"

namespace fenchel::metrics {

/// Tokens first, …, last.
struct Chunk {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string type;

  friend bool operator==(const Chunk&, const Chunk&) = default;
};
/// The chunks of one sentence.
std::vector<Chunk> chunks(std::span<const std::string_view> labels);

/// Whether labels mark chunks: all are O, or begin with B-, I-, E-, S-, L- or U-, and some is not O.
/// Without types they are O, B, I and so on, with B and I among them.
bool are_chunk_labels(std::span<const std::string> labels);

/// The outcome over sentences.
struct ChunkReport {
  Counts all;
  std::map<std::string, Counts> types;
  std::size_t tokens = 0;
  std::size_t right_tokens = 0;

  PrecisionRecall overall() const { return precision_recall(all); }
  double token_accuracy() const {
    return tokens == 0 ? 0 : static_cast<double>(right_tokens) / static_cast<double>(tokens);
  }
};

/// Labels of all tokens; sentence s has the tokens sentences[s] … sentences[s + 1] − 1.
ChunkReport evaluate_chunks(std::span<const std::string_view> truth,
                            std::span<const std::string_view> predicted,
                            std::span<const std::int64_t> sentences);

}  // namespace fenchel::metrics
