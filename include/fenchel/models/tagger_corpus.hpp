// SPDX-License-Identifier: Apache-2.0
// Corpora as a tagger sees them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fenchel/data/attribute_corpus.hpp"
#include "fenchel/data/paths.hpp"
#include "fenchel/data/token_corpus.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/models/feature_templates.hpp"

namespace fenchel {

/// Sentences of tokens through templates. With `labelled`, the last column is the label and templates do not
/// see it. Throws std::invalid_argument if there are too few columns.
TaggerData tagger_data(const TokenCorpus& corpus, const FeatureTemplates& templates, bool labelled = true);

/// Sentences that come as attributes.
TaggerData tagger_data(AttributeCorpus corpus);

/// Sentences whose items come without labels: what was read as their label is their first attribute.
TaggerData unlabelled_data(AttributeCorpus corpus);

/// Why the last column may not be the label, as warnings about the option `target`. Throws
/// std::invalid_argument where the first column has labels of chunks, such as B-PER, and the last one has
/// not.
std::vector<std::string> doubts_about_labels(const TokenCorpus& corpus);

/// The same with labels such as "NP:0.75,VP:0.25" read as distributions; one without a colon is certain.
/// Throws std::invalid_argument if a probability is not a number, or they are not >= 0 with sum 1.
TaggerData with_soft_labels(TaggerData data);

/// Reads the weights of sentences, a number per line. Throws DataError for a line that is not a number.
std::vector<double> read_weights(const Paths& paths);

/// The sentences with the given numbers, in that order.
TaggerData select_sentences(const TaggerData& data, std::span<const std::size_t> sentences);

}  // namespace fenchel
