// SPDX-License-Identifier: Apache-2.0
// Clusters of words for feature templates (%cluster[0,0] in feature_templates.hpp), learned elsewhere from
// much text. The clusters of Brown et al. (1992) are paths of 0 and 1 through a binary tree: their beginnings
// are larger clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// A cluster for each of some words. Words are compared byte by byte.
class WordClusters {
 public:
  /// Reads a file (gzip'd or not) of lines `0110<TAB>word<TAB>count`, as programs for Brown clusters write
  /// them, or of lines `word cluster` with blanks or a tab between; which, its first line tells. Throws
  /// DataError with the line where one is of another kind, where a word has two clusters, or where words and
  /// clusters cannot be told apart because all words are made of 0 and 1.
  static WordClusters read(const std::string& path);

  /// Adds a word. Throws std::invalid_argument if it has another cluster already, or if one of the two is
  /// empty, has a line end or a byte 0, or is too long to be one (4096 and 1000 bytes).
  void add(std::string_view word, std::string_view cluster);

  /// The cluster of a word; empty where it has none.
  std::string_view find(std::string_view word) const;
  std::size_t size() const { return words_.size(); }
  bool empty() const { return words_.empty(); }
  /// Whether all clusters are paths of 0 and 1.
  bool paths() const;

  /// The words, the names of clusters, and the number of each word's cluster.
  const StringTable& words() const { return words_; }
  const StringTable& names() const { return names_; }
  std::span<const std::int32_t> numbers() const { return numbers_; }

 private:
  StringTable words_;
  StringTable names_;
  std::vector<std::int32_t> numbers_;
};

/// Those that templates read and models keep; shared, since they may be large. nullptr: none.
using SharedClusters = std::shared_ptr<const WordClusters>;

/// Those of a file; nullptr without one.
SharedClusters load_clusters(const std::string& path);

/// A text that tells two sets of clusters apart: the sizes, and a checksum.
std::string fingerprint(const WordClusters& clusters);

}  // namespace fenchel
