// SPDX-License-Identifier: Apache-2.0
// F(W) = Σ_sentences L_Ω(A_s W; y_s) of a tagger. Sentences are divided into parts, whose number depends on
// the data alone; threads take whole parts, each with a gradient of its own, and the parts are added in their
// order. What belongs to attributes of a single token needs no such copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fenchel/models/attributes.hpp"
#include "fenchel/training/chain_loss.hpp"
#include "fenchel/training/objective.hpp"

namespace fenchel {

/// How to evaluate.
struct ChainObjectiveOptions {
  TaggerOmega omega = TaggerOmega::crf;
  double cost = 1;  ///< of every wrong label, for the hinge
  int threads = 0;  ///< 0: as many as the machine offers
};

/// The objective of a tagger. `data` and `features` must outlive it.
class ChainObjective : public Objective {
 public:
  ChainObjective(const TaggerData& data, const TaggerFeatures& features,
                 const ChainObjectiveOptions& options = {});
  ~ChainObjective() override;

  ParameterShape shape() const override;
  std::size_t shards() const override { return 1; }
  double accumulate(std::size_t shard, std::span<const double> w, std::span<double> gradient) override;
  Report predictions() const override;

 private:
  class Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace fenchel
