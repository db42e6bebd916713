// SPDX-License-Identifier: Apache-2.0
// Sentences as examples, one at a time, for stochastic and Frank-Wolfe algorithms.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/models/attributes.hpp"
#include "fenchel/training/chain_loss.hpp"
#include "fenchel/training/chain_objective.hpp"
#include "fenchel/training/examples.hpp"

namespace fenchel {

/// A sentence an example; θ_i in the layout of the polytope Chain. `data` and `features` must outlive it.
class ChainExamples final : public Examples {
 public:
  ChainExamples(const TaggerData& data, const TaggerFeatures& features,
                const ChainObjectiveOptions& options = {});

  std::size_t size() const override { return data_.sentence_count(); }
  ParameterShape shape() const override;
  std::size_t scores_size(std::size_t i) const override;
  void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const override;
  void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const override;
  double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
              Workspace& scratch) const override;

 private:
  /// Calls body(place in θ, place among the parameters, x) for every state weight of sentence i.
  template <class Body>
  void for_each_state(std::size_t i, const Body& body) const;
  std::size_t tokens(std::size_t i) const {
    return static_cast<std::size_t>(data_.sentences[i + 1] - data_.sentences[i]);
  }

  const TaggerData& data_;
  const TaggerFeatures& features_;
  ChainLoss loss_;
};

}  // namespace fenchel
