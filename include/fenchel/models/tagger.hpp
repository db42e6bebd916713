// SPDX-License-Identifier: Apache-2.0
// Linear-chain taggers: a label for every token of a sentence, from weights of attributes with labels and of
// pairs of labels (paper §7.3 "Sequences"). Training costs play no part in predictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/report.hpp"
#include "fenchel/core/tensor_file.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/data/string_table.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/models/feature_templates.hpp"
#include "fenchel/models/loss_choice.hpp"

namespace fenchel {

class AttributeIndex;
namespace kernels {
struct TaggingEdges;
}

/// A trained tagger.
struct Tagger {
  std::string loss = "crf";  ///< what it was trained with, as TaggingLoss reads it; empty: one of your own
  LossOfSize losses = {};    ///< the same by the number of tokens; empty: what `loss` says
  StringTable labels;
  StringTable attributes;
  TaggerFeatures features;
  std::vector<double> parameters;  ///< in the order of TaggerFeatures
  double temperature = 1;          ///< t of ŷ_{tΩ}(θ) = ŷ_Ω(θ/t) (paper §8.1, remark)
  std::string templates;           ///< FeatureTemplates::text(); empty: sentences come as attributes
  SharedClusters clusters = {};    ///< of words, that the templates read; nullptr: they read none
  std::size_t columns = 0;         ///< of the tokens it was trained on, the label included; 0: not known
  std::string target;              ///< which of them is the label, as token_column reads it; empty: the last
  char joined_by = '=';            ///< between the name of an attribute and its text, where tokens have names
  std::map<std::string, std::string> provenance;  ///< what it was trained on, and how

  /// Throws std::invalid_argument if parts do not fit each other or are not finite.
  void check() const;
};

/// The loss that a tagger was trained with, by the number of tokens.
LossOfSize loss_of(const Tagger& tagger);

/// The templates of a tagger, for tokens with that many columns without the label.
FeatureTemplates templates_of(const Tagger& tagger, std::size_t columns);

/// Arrays and metadata of a tagger. The arrays are the tagger's own: it must live until they are written.
TensorFile to_tensors(const Tagger& tagger);
/// The tagger of such a file. Throws std::invalid_argument saying which part is wrong.
void from_tensors(const TensorFile& file, Tagger& tagger);

/// The sentences of `data` in the numbers of a tagger: attributes it does not know are left out, and labels
/// it does not know are −1.
TaggerData renumber(const TaggerData& data, const Tagger& tagger);

/// One sentence in a tagger's numbers: token t has attributes[offsets[t] − offsets[0]] and so on.
struct SentenceView {
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> attributes;  ///< −1: unknown, skipped
  std::span<const float> values = {};        ///< empty where all are 1

  std::size_t tokens() const { return offsets.size() - 1; }
};
/// Sentence s of data in a tagger's numbers.
SentenceView sentence(const TaggerData& data, std::size_t s);

/// A sentence that owns its numbers, made from tokens or from the names of attributes.
class SentenceEncoder {
 public:
  /// For a tagger with templates, or for one without if only attributes come.
  explicit SentenceEncoder(const Tagger& tagger, std::size_t columns = 2);
  ~SentenceEncoder();

  /// The sentence of some tokens, by the tagger's templates. Valid until the next call.
  SentenceView tokens(const TokenGrid& grid);
  /// The sentence of some attributes: token t has names[offsets[t]] … names[offsets[t + 1] − 1].
  SentenceView attributes(std::span<const std::string_view> names, std::span<const std::size_t> offsets);

 private:
  const Tagger& tagger_;
  std::unique_ptr<const AttributeIndex> index_;
  FeatureTemplates templates_;
  ExpandedSentence expanded_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> attributes_;
};

/// A sequence of labels and its weight: a probability, a share of a mixture, or a score.
struct TagSequence {
  std::vector<std::int32_t> tags;
  double weight = 0;
};

/// A tagger made ready to predict; const, for any number of threads. The tagger must outlive it.
class TagPredictor {
 public:
  explicit TagPredictor(const Tagger& tagger) : TagPredictor(tagger, tagger.temperature) {}
  /// With another temperature than the tagger's.
  TagPredictor(const Tagger& tagger, double temperature);
  TagPredictor(const TagPredictor&) = delete;
  TagPredictor& operator=(const TagPredictor&) = delete;
  ~TagPredictor();

  std::size_t labels() const { return tagger_.features.labels; }

  /// A best sequence, and its score (Viterbi).
  double tag(const SentenceView& sentence, std::span<std::int32_t> tags, Workspace& scratch) const;
  /// The best sequences of all sentences, token by token. In the tagger's own numbers.
  std::vector<std::int32_t> tag(const TaggerData& data, int threads = 0) const;

  /// log Z(θ/t), and the probability of each label at each token into `mu` [tokens, labels] (the conditional
  /// random field's prediction, whatever the tagger was trained with).
  double marginals(const SentenceView& sentence, std::span<double> mu, Workspace& scratch) const;
  /// log p(tags) of the conditional random field.
  double log_probability(const SentenceView& sentence, std::span<const std::int32_t> tags,
                         Workspace& scratch) const;
  /// The k best sequences with their probabilities, best first; fewer if there are fewer.
  std::vector<TagSequence> k_best(const SentenceView& sentence, std::size_t k, Workspace& scratch) const;
  /// ŷ_Ω(θ/t) of the tagger's own Ω: what each label gets at each token, into `out` [tokens, labels].
  Report outputs(const SentenceView& sentence, std::span<double> out, Workspace& scratch) const;
  /// SparseMAP: a few sequences with weights that sum to 1, the heaviest first. Of the tagger's own Ω where
  /// that is (r/2)‖μ‖², else with r = 1.
  std::vector<TagSequence> sparse(const SentenceView& sentence, Report& report, Workspace& scratch) const;

  /// θ/t in the layout of the polytope Chain{tokens, labels, boundary}.
  void scores(const SentenceView& sentence, std::span<double> theta, Workspace& scratch) const;

 private:
  /// θ/t of the states, [tokens, width], the boundary's included; in the caller's frame.
  std::span<double> state_scores(const SentenceView& sentence, Workspace& scratch) const;
  FenchelYoungLoss loss(std::size_t tokens) const { return losses_(tokens).loss; }

  const Tagger& tagger_;
  LossOfSize losses_;
  double scale_;  // 1/t
  std::size_t width_;
  std::vector<std::uint32_t> rows_;  // of each attribute: its row, or `no_row`
  std::vector<double> row_weights_;  // [rows, width]
  std::vector<double> transitions_;  // [m, m], divided by t
  std::unique_ptr<kernels::TaggingEdges> edges_;
};

}  // namespace fenchel
