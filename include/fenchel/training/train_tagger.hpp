// SPDX-License-Identifier: Apache-2.0
// From sentences with labels to a tagger: min_W Σ_s L_Ω(A_s W; y_s) + G(W). CRFsuite's c2 is λ/2.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "fenchel/models/tagger.hpp"
#include "fenchel/training/algorithm.hpp"
#include "fenchel/training/chain_objective.hpp"
#include "fenchel/training/train.hpp"

namespace fenchel {

/// How to train a tagger.
struct TaggerTrainOptions {
  TaggerOmega omega = TaggerOmega::crf;
  double cost = 1;  ///< of every wrong label, for the hinge
  TaggerFeatureOptions features = {};
  std::string templates = {};  ///< kept in the tagger: what made the attributes from tokens
  TrainOptions train = {};  ///< penalty, solver, tolerance, threads, …; without a start, SparseMAP begins
                            ///< with some iterations of the conditional random field
};

/// A tagger and how it was found.
struct TrainedTagger {
  Tagger tagger;
  TrainResult result;  ///< without its parameters, which are the tagger's
};
TrainedTagger train_tagger(const TaggerData& data, const TaggerTrainOptions& options = {});

/// Training that advances step by step: whoever drives it can watch, save and stop it. `data` and `features`
/// must outlive the algorithm.
std::unique_ptr<Algorithm> make_tagger_algorithm(const TaggerData& data, const TaggerFeatures& features,
                                                 const TaggerTrainOptions& options);

/// The tagger of some parameters.
Tagger make_tagger(const TaggerData& data, const TaggerFeatures& features, const TaggerTrainOptions& options,
                   std::span<const double> parameters);

/// Parameters of another tagger, for a warm start: weights that both have are kept, others are 0.
std::vector<double> transfer_parameters(const Tagger& from, const TaggerData& data,
                                        const TaggerFeatures& features);

}  // namespace fenchel
