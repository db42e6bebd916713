// SPDX-License-Identifier: Apache-2.0
// Data sets made up from a seed; the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/token_corpus.hpp"

namespace fenchel {

/// The label-proportion documents of Martins & Astudillo (2016) that the paper's §9.1 uses. Every class has a
/// distribution over the words, drawn from a flat Dirichlet. A document has N labels, Poisson(mean_labels)
/// redrawn until 1 ≤ N ≤ classes, drawn without repetition from a multinomial over the classes (itself from a
/// flat Dirichlet); their proportions q are equal, or from a flat Dirichlet. Its number of words is
/// Poisson(mean_length) (redrawn if 0), each drawn from the mixture Σ_k q_k p_k. Features are counts of
/// words, or their frequencies: counts divided by the number of words of the document.
struct SynthProportions {
  std::size_t classes = 10;
  std::size_t samples = 1200;
  std::size_t vocabulary = 0;  ///< 0: as many words as classes
  double mean_length = 200;    ///< words of a document
  double mean_labels = 2;      ///< labels of a document, before the bounds
  bool uniform = false;        ///< equal proportions instead of random ones
  bool frequencies = false;    ///< frequencies of words instead of counts: rows sum to 1
  std::uint64_t seed = 0;
};
/// Sparse features; labels with proportions as weights, in increasing order of class. Throws
/// std::invalid_argument if a size is 0 or a mean is not positive or not below 10^7.
Dataset synth_proportions(const SynthProportions& options);

/// Classes around normal centres: x = separation · centre_k + noise, noise and centres standard normal.
struct SynthClassification {
  std::size_t classes = 3;
  std::size_t samples = 1000;
  std::size_t features = 20;
  double separation = 1;
  std::uint64_t seed = 0;
};
Dataset synth_classification(const SynthClassification& options);

/// Queries with documents whose relevance (0 to levels − 1) grows with a hidden linear score plus noise.
struct SynthRanking {
  std::size_t queries = 100;
  std::size_t documents = 20;  ///< of a query
  std::size_t features = 20;
  std::size_t levels = 5;
  double noise = 0.5;
  std::uint64_t seed = 0;
};
Dataset synth_ranking(const SynthRanking& options);

/// Sentences from a hidden Markov chain: a tag follows a tag, and a word a tag, by distributions from flat
/// Dirichlets. Columns: word, tag.
struct SynthTagging {
  std::size_t tags = 5;
  std::size_t sentences = 1000;
  std::size_t vocabulary = 200;
  double mean_length = 15;  ///< of a sentence; at least one word
  std::uint64_t seed = 0;
};
TokenCorpus synth_tagging(const SynthTagging& options);

}  // namespace fenchel
