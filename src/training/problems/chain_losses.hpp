// SPDX-License-Identifier: Apache-2.0
// The losses of sentences: one for each number of tokens that occurs, over Chain{tokens, labels, boundary}.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "fenchel/polytopes/chain.hpp"
#include "fenchel/training/problems/chains.hpp"
#include "kernels/chain_tagging.hpp"
#include "losses/dual_bound.hpp"
#include "losses/row_loss.hpp"
#include "models/loss_checks.hpp"

namespace fenchel {

/// Where ŷ − y of the pairs of labels of many sentences is added up.
struct PairSums {
  std::span<double> counts;  ///< to be multiplied by exponentials: kernels::tagging_marginals
  std::span<double> pairs;   ///< as they are: [m, m]
};

class ChainLosses {
 public:
  explicit ChainLosses(const ChainProblem& problem)
      : labels_(problem.features.labels), boundary_(problem.features.boundary) {
    for (std::size_t s = 0; s < problem.data.sentence_count(); ++s) {
      const auto tokens = static_cast<std::size_t>(problem.data.sentences[s + 1] - problem.data.sentences[s]);
      if (tokens == 0 || losses_.contains(tokens)) continue;
      const FenchelYoungLoss loss = problem.loss(tokens).loss;
      check_loss_of_size(loss, "tokens", tokens, dimension(tokens));
      conditional_random_field_ &= is_random_field(loss.omega()) && loss.cost().empty();
      losses_.emplace(tokens, RowLoss(loss));
    }
  }

  /// The size of θ.
  std::size_t dimension(std::size_t tokens) const {
    return tokens == 0 ? 0 : Chain{tokens, labels_, boundary_}.dimension();
  }
  /// Whether the loss is that of a conditional random field: the negative log-likelihood of the labels.
  bool conditional_random_field() const { return conditional_random_field_ && !losses_.empty(); }
  /// L(θ; y) of a sentence with these labels, and ŷ − y.
  double operator()(std::span<const double> theta, std::span<const std::int32_t> labels,
                    const RowResidual& out, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto y = scratch.take<double>(theta.size());
    write_sequence(Chain{labels.size(), labels_, boundary_}, labels, y);
    return losses_.at(labels.size())(theta, y, out, scratch);
  }
  /// The largest a with a + ⟨θ, g⟩ ≤ L(θ; y) for all θ.
  double dual_bound(std::span<const std::int32_t> labels, std::span<const double> g,
                    Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const auto y = scratch.take<double>(g.size());
    write_sequence(Chain{labels.size(), labels_, boundary_}, labels, y);
    return weighted_dual_bound(losses_.at(labels.size()).loss(), y, {1, g}, scratch);
  }
  /// L and ŷ − y for a conditional random field, by the kernel that many sentences share: θ of the states
  /// [tokens, width] becomes ŷ − y. Nothing where scores are too far apart for it; θ is lost then.
  static std::optional<double> fused(const kernels::TaggingEdges& edges, std::span<double> theta,
                                     std::span<const std::int32_t> labels, const PairSums& sums,
                                     Workspace& scratch) {
    const double score = kernels::sequence_score(edges, theta, labels);
    const std::optional<double> log_partition =
        kernels::tagging_marginals(edges, theta, sums.counts, scratch);
    if (!log_partition) return std::nullopt;
    for (std::size_t t = 0; t < labels.size(); ++t) {
      const auto label = static_cast<std::size_t>(labels[t]);
      theta[t * edges.width + label] -= 1;
      if (t > 0) sums.pairs[static_cast<std::size_t>(labels[t - 1]) * edges.m + label] -= 1;
    }
    return clamped(*log_partition - score);
  }

 private:
  // y of a sequence of labels.
  static void write_sequence(const Chain& chain, std::span<const std::int32_t> labels,
                             std::span<double> out) {
    std::ranges::fill(out, 0.0);
    const std::size_t edges = chain.n * chain.m;
    for (std::size_t t = 0; t < chain.n; ++t) {
      const auto label = static_cast<std::size_t>(labels[t]);
      out[t * chain.m + label] += 1;
      if (t > 0) out[edges + static_cast<std::size_t>(labels[t - 1]) * chain.m + label] += 1;
    }
    if (!chain.boundary) return;
    const std::size_t start = edges + chain.m * chain.m;
    out[start + static_cast<std::size_t>(labels.front())] += 1;
    out[start + chain.m + static_cast<std::size_t>(labels.back())] += 1;
  }

  std::size_t labels_;
  bool boundary_;
  bool conditional_random_field_ = true;
  std::map<std::size_t, RowLoss> losses_;  // by number of tokens
};

}  // namespace fenchel
