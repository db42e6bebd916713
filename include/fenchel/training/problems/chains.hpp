// SPDX-License-Identifier: Apache-2.0
// The training problem of taggers: F(W) = Σ_sentences L_Ω(A_s W; y_s), Ω over the chain of a sentence (paper
// §7.3 "Sequences"). CRFsuite's c2 is λ/2.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/models/attributes.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/models/tagger.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// What a tagger is trained on: sentences with labels, which weights it has, and a loss over
/// Chain{tokens, labels, boundary} by the number of tokens. Whoever makes it keeps data and features alive.
struct ChainProblem {
  const TaggerData& data;
  const TaggerFeatures& features;
  LossOfSize loss = TaggingLoss{features.labels, features.boundary}("crf");

  std::size_t examples() const { return data.sentence_count(); }
  ParameterShape shape() const { return {features.parameters(), features.parameters(), 1}; }
};

/// Throws std::invalid_argument if data and features do not fit together or a token has no label.
void check_problem(const ChainProblem& problem);

/// The tagger of some parameters.
Tagger make_tagger(const ChainProblem& problem, std::span<const double> parameters);

/// Parameters of another tagger, for a warm start: weights that both have are kept, others are 0.
std::vector<double> transfer_parameters(const Tagger& from, const TaggerData& data,
                                        const TaggerFeatures& features);

}  // namespace fenchel
