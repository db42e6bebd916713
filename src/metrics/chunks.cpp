// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/chunks.hpp"

#include <algorithm>
#include <stdexcept>

#include "fenchel/core/check.hpp"

namespace fenchel::metrics {
namespace {

/// What a label says, without a copy of its type.
struct Tag {
  char prefix;
  std::string_view type;
};

Tag parse(std::string_view label) {
  if (label == "O" || label.empty()) return {'O', {}};
  const bool marked = label.size() >= 2 && label[1] == '-';
  // L and U are the E and S of other schemes.
  const std::size_t known = std::string_view("BIESLU").find(label[0]);
  if ((label.size() > 1 && !marked) || known == std::string_view::npos) return {'I', label};
  return {"BIESES"[known], marked ? label.substr(2) : std::string_view()};
}

/// Whether a chunk begins at `now`, after `before`.
bool begins(const Tag& before, const Tag& now) {
  if (now.prefix == 'O') return false;
  if (now.prefix == 'B' || now.prefix == 'S') return true;
  return before.prefix == 'O' || before.prefix == 'E' || before.prefix == 'S' || before.type != now.type;
}

struct Span {
  std::size_t first;
  std::size_t last;
  std::string_view type;
  friend bool operator==(const Span&, const Span&) = default;
};

void find_chunks(std::span<const std::string_view> labels, std::vector<Span>& out) {
  out.clear();
  Tag before{'O', {}};
  bool open = false;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    const Tag now = parse(labels[t]);
    if (begins(before, now)) {
      out.push_back({t, t, now.type});
      open = true;
    } else if (now.prefix == 'O') {
      open = false;
    } else if (open) {
      out.back().last = t;
    }
    before = now;
  }
}

}  // namespace

std::vector<Chunk> chunks(std::span<const std::string_view> labels) {
  std::vector<Span> found;
  find_chunks(labels, found);
  std::vector<Chunk> out;
  out.reserve(found.size());
  for (const Span& chunk : found) out.push_back({chunk.first, chunk.last, std::string(chunk.type)});
  return out;
}

ChunkReport evaluate_chunks(std::span<const std::string_view> truth,
                            std::span<const std::string_view> predicted,
                            std::span<const std::int64_t> sentences) {
  check_size("predicted", predicted.size(), truth.size());
  if (sentences.empty() || sentences.front() != 0 || !std::ranges::is_sorted(sentences) ||
      sentences.back() != static_cast<std::int64_t>(truth.size())) {
    throw std::invalid_argument("sentences must increase from 0 to the number of tokens");
  }
  ChunkReport report;
  report.tokens = truth.size();
  for (std::size_t t = 0; t < truth.size(); ++t) report.right_tokens += truth[t] == predicted[t] ? 1 : 0;
  std::vector<Span> right;
  std::vector<Span> found;
  const auto count = [&](std::string_view type, std::size_t Counts::*what) {
    ++(report.all.*what);
    ++(report.types[std::string(type)].*what);
  };
  for (std::size_t s = 0; s + 1 < sentences.size(); ++s) {
    const auto first = static_cast<std::size_t>(sentences[s]);
    const std::size_t size = static_cast<std::size_t>(sentences[s + 1]) - first;
    find_chunks(truth.subspan(first, size), right);
    find_chunks(predicted.subspan(first, size), found);
    // Both lists are in the order of their first tokens, and no two chunks of a list begin together.
    std::size_t j = 0;
    for (const Span& chunk : right) {
      for (; j < found.size() && found[j].first < chunk.first; ++j)
        count(found[j].type, &Counts::false_positives);
      if (j < found.size() && found[j] == chunk) {
        count(chunk.type, &Counts::true_positives);
        ++j;
      } else {
        count(chunk.type, &Counts::false_negatives);
      }
    }
    for (; j < found.size(); ++j) count(found[j].type, &Counts::false_positives);
  }
  return report;
}

bool are_chunk_labels(std::span<const std::string> labels) {
  bool typed = false, begins = false, goes_on = false;
  for (const std::string& label : labels) {
    if (label == "O") continue;
    if (label.empty() || std::string_view("BIESLU").find(label[0]) == std::string_view::npos) return false;
    if (label.size() > 1 && (label[1] != '-' || label.size() == 2)) return false;
    typed = typed || label.size() > 1;
    begins = begins || label[0] == 'B';
    goes_on = goes_on || label[0] == 'I';
  }
  return typed || (begins && goes_on);
}

}  // namespace fenchel::metrics
