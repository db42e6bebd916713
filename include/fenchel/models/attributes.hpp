// SPDX-License-Identifier: Apache-2.0
// What a tagger sees of a token: its attributes, and which pairs of an attribute and a label have a weight.
// The scores of a sentence x with tags y (paper §7.3 "Sequences") are
//     ⟨θ, y⟩ = Σ_t Σ_{a at t} x_{t,a} w(a, y_t) + Σ_{t ≥ 1} w(y_{t−1}, y_t) (+ start(y_0) + end(y_{n−1})).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fenchel/core/option_list.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

class WordClusters;

/// A label and its probability.
struct LabelShare {
  std::int32_t label = 0;
  double probability = 0;
};

/// A distribution of labels for every token: token t has labels[offsets[t]] … labels[offsets[t + 1] − 1],
/// increasing, with their probabilities, all ≥ 0. Empty where all labels are certain.
struct SoftLabels {
  std::vector<std::int64_t> offsets = {};
  std::vector<std::int32_t> labels = {};
  std::vector<double> probabilities = {};

  bool empty() const { return offsets.empty(); }
  std::size_t begin(std::size_t t) const { return static_cast<std::size_t>(offsets[t]); }
  std::size_t count(std::size_t t) const { return begin(t + 1) - begin(t); }
};

/// Sentences as attributes. Sentence s has the tokens sentences[s] … sentences[s + 1] − 1, token t the
/// attributes attributes[offsets[t]] … attributes[offsets[t + 1] − 1].
struct TaggerData {
  std::vector<std::int64_t> sentences{0};
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> attributes;
  std::vector<float> values;  ///< one per attribute; empty where all are 1
  /// One per token, −1 for one that label_names lacks; empty without labels.
  std::vector<std::int32_t> labels;
  /// Distributions of labels, where they are not certain; `labels` then holds a most probable one each. The
  /// tokens of a sentence are independent: a pair of neighbours has the product of its probabilities. For
  /// others, repeat the sentence with the weights of its labellings.
  SoftLabels soft = {};
  std::vector<double> weights = {};  ///< w_s >= 0 of the sentences in training; empty where all are 1
  StringTable attribute_names;
  StringTable label_names;
  /// FeatureTemplates::text() of what made the attributes; empty: they came as such.
  std::string templates = {};
  std::shared_ptr<const WordClusters> clusters = {};  ///< that these templates read; nullptr: they read none
  std::string source = {};                            ///< where the sentences came from, for messages

  std::size_t sentence_count() const { return sentences.size() - 1; }
  std::size_t tokens() const { return offsets.size() - 1; }
  double weight(std::size_t s) const { return weights.empty() ? 1 : weights[s]; }
  /// Whether a label of sentence s is not certain.
  bool is_soft(std::size_t s) const;
  /// Calls body(label, probability) for the labels that token t may have.
  template <class Body>
  void for_each_label(std::size_t t, const Body& body) const {
    if (soft.empty()) return body(labels[t], 1.0);
    for (std::size_t k = soft.begin(t); k < soft.begin(t + 1); ++k)
      body(soft.labels[k], soft.probabilities[k]);
  }
  /// The label of the next token.
  void add_label(std::int32_t label);
  /// Its distribution: labels, each with a probability; those that come twice are added. Throws
  /// std::invalid_argument, with `name` for the probabilities, unless they are >= 0 with sum 1.
  void add_label(std::string_view name, std::vector<LabelShare> distribution);
  /// The same with one probability for each label of label_names, which may grow later.
  void add_label(std::string_view name, std::span<const double> probabilities);
  /// Throws std::invalid_argument if sizes or numbers do not fit together or a value is not finite.
  void check() const;
};

/// A text that tells two sets of sentences apart: the sizes, and a checksum of attributes and labels.
std::string fingerprint(const TaggerData& data);

/// Which weights a tagger has. The parameters are, in this order: those of states (attribute by attribute,
/// labels increasing), of transitions, and m start and m end weights if there are any.
struct TaggerFeatures {
  std::size_t labels = 0;             ///< m
  std::size_t attributes = 0;         ///< how many
  std::vector<std::int64_t> offsets;  ///< attribute a has the state weights offsets[a] … offsets[a + 1] − 1;
                                      ///< empty: every attribute has one for each label
  std::vector<std::int32_t> states;       ///< the label of each state weight; empty as `offsets`
  std::vector<std::int32_t> transitions;  ///< those with a weight, as previous · m + next, increasing
  bool boundary = false;

  bool dense() const { return offsets.empty(); }
  std::size_t state_begin(std::size_t a) const {
    return dense() ? a * labels : static_cast<std::size_t>(offsets[a]);
  }
  std::size_t state_weights() const { return dense() ? attributes * labels : states.size(); }
  std::size_t parameters() const {
    return state_weights() + transitions.size() + (boundary ? 2 * labels : 0);
  }
  std::int32_t label(std::size_t state_weight) const {
    return dense() ? static_cast<std::int32_t>(state_weight % labels) : states[state_weight];
  }
  /// Where the start weights are, and the end weights m entries further.
  std::size_t boundary_begin() const { return state_weights() + transitions.size(); }
  /// The scores of all m · m transitions, previous label first: 0 for those without a weight.
  void transition_scores(std::span<const double> parameters, std::span<double> scores) const;
  /// Throws std::invalid_argument if the numbers do not fit together.
  void check() const;
};

/// Which weights to have.
struct TaggerFeatureOptions {
  bool all_states = false;       ///< every attribute with every label; else only pairs of the training data
  bool all_transitions = false;  ///< every pair of labels; else only those of the training data
  bool boundary = false;         ///< weights of the first and of the last label
  int min_count = 1;             ///< attributes that occur less often have no weights
};

/// All of them by name.
inline constexpr std::tuple tagger_feature_option_list{
    OptionMember{"all_states", &TaggerFeatureOptions::all_states},
    OptionMember{"all_transitions", &TaggerFeatureOptions::all_transitions},
    OptionMember{"boundary", &TaggerFeatureOptions::boundary},
    OptionMember{"min_count", &TaggerFeatureOptions::min_count}};
static_assert(lists_every_member(tagger_feature_option_list),
              "every member of TaggerFeatureOptions is in the list, in its order");

/// The weights that training data calls for. Throws std::invalid_argument if a token has no label.
TaggerFeatures tagger_features(const TaggerData& data, const TaggerFeatureOptions& options = {});

}  // namespace fenchel
