// SPDX-License-Identifier: Apache-2.0
// The losses of sentences, w_s L_Ω(θ_s; y_s): one loss for each number of tokens that occurs, over
// Chain{tokens, labels, boundary} or Sequence{tokens, labels}, with labels or distributions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fenchel/training/problems/chains.hpp"
#include "kernels/chain_tagging.hpp"
#include "losses/row_loss.hpp"
#include "models/chain_layout.hpp"

namespace fenchel {

/// Where w (ŷ − y) of the pairs of labels of many sentences is added up.
struct PairSums {
  std::span<double> counts;  ///< to be multiplied by exponentials: kernels::tagging_marginals
  std::span<double> pairs;   ///< as they are: [m, m]
};

/// The problem's data must outlive it.
///
/// A sentence with soft labels stands for the distribution q of independent tokens over its sequences, with
/// mean y. Where Ω is a formula of the mean, the loss is L_Ω(θ; y). Where it is an entropy of distributions,
/// which are searched for by their mean, y would leave more than q open; the loss of the random field is then
/// KL(q ‖ p_θ), which differs from L_Ω(θ; y) by a constant.
class ChainLosses {
 public:
  explicit ChainLosses(const ChainProblem& problem);

  /// The size of θ, as Ω takes it.
  std::size_t dimension(std::size_t tokens) const { return layout_.dimension(tokens); }
  const ChainLayout& layout() const { return layout_; }
  /// Whether the loss is that of a conditional random field: the negative log-likelihood of the labels.
  bool conditional_random_field() const { return conditional_random_field_ && !losses_.empty(); }
  std::size_t tokens(std::size_t s) const {
    return static_cast<std::size_t>(data_.sentences[s + 1] - data_.sentences[s]);
  }
  double weight(std::size_t s) const { return data_.weight(s); }
  const FenchelYoungLoss& loss(std::size_t s) const { return losses_.at(tokens(s)).loss(); }

  /// w_s L(θ; y_s), and w_s (ŷ − y_s), in the layout of Ω.
  double operator()(std::size_t s, std::span<const double> theta, const RowResidual& out,
                    Workspace& scratch) const;
  /// The same in the layout of Chain, whatever that of Ω.
  double in_chain(std::size_t s, std::span<const double> theta, const RowResidual& out,
                  Workspace& scratch) const;
  /// The largest a with a + ⟨θ, g⟩ ≤ w_s L(θ; y_s) for all θ.
  double dual_bound(std::size_t s, std::span<const double> g, Workspace& scratch) const;
  /// The same for a conditional random field, by the kernel that many sentences share: θ of the states
  /// [tokens, width] becomes w_s (ŷ − y_s). Nothing where scores are too far apart for it; θ is lost then.
  std::optional<double> fused(std::size_t s, const kernels::TaggingEdges& edges, std::span<double> theta,
                              const PairSums& sums, Workspace& scratch) const;
  /// y_s in the layout of Ω.
  void write_target(std::size_t s, std::span<double> y) const;

 private:
  void write_vertex(std::size_t s, std::span<double> y) const;
  // L(θ; y) of a soft target by way of that of a vertex v, where Ω(y) is not a formula.
  double by_vertex(std::size_t s, std::span<const double> theta, const RowResidual& out,
                   Workspace& scratch) const;
  // Ω(y) − Ω(v), or what stands for it.
  double offset_of(std::size_t s, Workspace& scratch) const;
  // ⟨θ, y⟩; subtracts w y from θ and from the sums.
  double take_target(std::size_t s, const kernels::TaggingEdges& edges, std::span<double> states,
                     std::span<double> pairs) const;

  const TaggerData& data_;
  ChainLayout layout_;
  bool conditional_random_field_ = true;
  std::map<std::size_t, RowLoss> losses_;  // by number of tokens
  std::vector<double> offsets_;            // of soft sentences, where Ω(y) is not a formula; else empty
};

}  // namespace fenchel
