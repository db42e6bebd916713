// SPDX-License-Identifier: Apache-2.0
#include "training/problems/chain_losses.hpp"

#include <algorithm>
#include <cmath>

#include "losses/dual_bound.hpp"
#include "models/loss_checks.hpp"

namespace fenchel {
namespace {

// Writes the mean of independent tokens whose labels visit(t, body) tells, in a layout.
template <class Visit>
void write_mean(const ChainLayout& layout, std::size_t n, const Visit& visit, std::span<double> y) {
  std::ranges::fill(y, 0.0);
  const std::size_t m = layout.labels;
  for (std::size_t t = 0; t < n; ++t) {
    visit(t, [&](std::int32_t label, double probability) {
      const auto i = static_cast<std::size_t>(label);
      if (!layout.steps) y[t * m + i] += probability;
      if (layout.steps && t == 0) y[i * m] += probability;
      if (t == 0) return;
      visit(t - 1, [&](std::int32_t previous, double before) {
        const auto j = static_cast<std::size_t>(previous);
        y[layout.steps ? (t * m + i) * m + j : n * m + j * m + i] += before * probability;
      });
    });
  }
  if (layout.steps || !layout.boundary) return;
  std::copy_n(y.data(), m, y.data() + n * m + m * m);
  std::copy_n(y.data() + (n - 1) * m, m, y.data() + n * m + m * m + m);
}

}  // namespace

ChainLosses::ChainLosses(const ChainProblem& problem)
    : data_(problem.data), layout_{problem.features.labels, problem.features.boundary} {
  bool searched = false;
  for (std::size_t s = 0; s < data_.sentence_count(); ++s) {
    const std::size_t n = tokens(s);
    if (n == 0 || losses_.contains(n)) continue;
    const FenchelYoungLoss loss = problem.loss(n).loss;
    layout_ = ChainLayout::of(loss, n, layout_.labels, layout_.boundary);
    check_loss_of_size(loss, "tokens", n, dimension(n));
    conditional_random_field_ &= is_random_field(loss.omega()) && loss.cost().empty();
    searched |= loss.omega().refined_traits().value_by_search;
    losses_.emplace(n, RowLoss(loss));
  }
  if (!searched || data_.soft.empty()) return;
  offsets_.resize(data_.sentence_count());
  Workspace& scratch = thread_workspace();
  for (std::size_t s = 0; s < offsets_.size(); ++s) offsets_[s] = offset_of(s, scratch);
}

double ChainLosses::offset_of(std::size_t s, Workspace& scratch) const {
  if (!data_.is_soft(s)) return 0;
  const AnyRegularizer& omega = loss(s).omega();
  if (omega.gibbs()) {
    double entropy = 0;
    for (auto t = static_cast<std::size_t>(data_.sentences[s]);
         t < static_cast<std::size_t>(data_.sentences[s + 1]); ++t) {
      data_.for_each_label(t, [&](std::int32_t, double p) { entropy -= xlogx(p); });
    }
    return -entropy;
  }
  const Workspace::Frame frame(scratch);
  const auto y = scratch.take<double>(dimension(tokens(s)));
  write_target(s, y);
  const double value = omega.value(y);
  write_vertex(s, y);
  return value - omega.value(y);
}

void ChainLosses::write_target(std::size_t s, std::span<double> y) const {
  const auto first = static_cast<std::size_t>(data_.sentences[s]);
  const auto visit = [&](std::size_t t, const auto& body) { data_.for_each_label(first + t, body); };
  write_mean(layout_, tokens(s), visit, y);
}

void ChainLosses::write_vertex(std::size_t s, std::span<double> y) const {
  const auto first = static_cast<std::size_t>(data_.sentences[s]);
  const auto visit = [&](std::size_t t, const auto& body) { body(data_.labels[first + t], 1.0); };
  write_mean(layout_, tokens(s), visit, y);
}

double ChainLosses::operator()(std::size_t s, std::span<const double> theta, const RowResidual& out,
                               Workspace& scratch) const {
  const double w = weight(s);
  if (theta.empty() || w == 0) {  // also where scores overflow: 0 · inf counts as nothing
    std::ranges::fill(out.residual, 0.0);
    return 0;
  }
  double value = 0;
  if (!offsets_.empty() && data_.is_soft(s)) {
    value = by_vertex(s, theta, out, scratch);
  } else {
    const Workspace::Frame frame(scratch);
    const auto y = scratch.take<double>(theta.size());
    write_target(s, y);
    value = losses_.at(tokens(s))(theta, y, out, scratch);
  }
  if (w == 1) return value;
  for (double& entry : out.residual) entry *= w;
  return w * value;
}

double ChainLosses::by_vertex(std::size_t s, std::span<const double> theta, const RowResidual& out,
                              Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const std::size_t size = theta.size();
  const auto y = scratch.take<double>(size);
  const auto vertex = scratch.take<double>(size);
  const auto cost = scratch.take<double>(size);
  const auto scores = scratch.take<double>(size);
  write_target(s, y);
  write_vertex(s, vertex);
  // The loss of the vertex adds its own cost.
  loss(s).cost().write(vertex, cost);
  for (std::size_t k = 0; k < size; ++k) scores[k] = theta[k] - cost[k];
  loss(s).cost().write(y, cost);
  for (std::size_t k = 0; k < size; ++k) scores[k] += cost[k];
  double value = losses_.at(tokens(s))(scores, vertex, out, scratch);
  if (value == infinity) return value;
  for (std::size_t k = 0; k < size; ++k) {
    value += (theta[k] + cost[k]) * (vertex[k] - y[k]);
    out.residual[k] += vertex[k] - y[k];
  }
  return clamped(value + offsets_[s]);
}

double ChainLosses::in_chain(std::size_t s, std::span<const double> theta, const RowResidual& out,
                             Workspace& scratch) const {
  if (!layout_.steps) return (*this)(s, theta, out, scratch);
  const Workspace::Frame frame(scratch);
  const std::size_t n = tokens(s);
  const auto scores = scratch.take<double>(dimension(n));
  const auto residual = scratch.take<double>(dimension(n));
  layout_.expand(n, theta, scores);
  const double value = (*this)(s, scores, {residual, out.report}, scratch);
  layout_.contract(n, residual, out.residual);
  return value;
}

double ChainLosses::dual_bound(std::size_t s, std::span<const double> g, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto y = scratch.take<double>(g.size());
  write_target(s, y);
  return weighted_dual_bound(loss(s), y, {weight(s), g}, scratch);
}

double ChainLosses::take_target(std::size_t s, const kernels::TaggingEdges& edges, std::span<double> states,
                                std::span<double> pairs) const {
  const auto first = static_cast<std::size_t>(data_.sentences[s]);
  const double w = weight(s);
  double score = 0;
  for (std::size_t t = 0; t < tokens(s); ++t) {
    data_.for_each_label(first + t, [&](std::int32_t label, double probability) {
      const auto i = static_cast<std::size_t>(label);
      states[t * edges.width + i] -= w * probability;
      if (t == 0) return;
      data_.for_each_label(first + t - 1, [&](std::int32_t previous, double before) {
        const auto j = static_cast<std::size_t>(previous);
        score += before * probability * edges.scores[j * edges.width + i];
        pairs[j * edges.m + i] -= w * before * probability;
      });
    });
  }
  return score;
}

std::optional<double> ChainLosses::fused(std::size_t s, const kernels::TaggingEdges& edges,
                                         std::span<double> theta, const PairSums& sums,
                                         Workspace& scratch) const {
  const double w = weight(s);
  const auto first = static_cast<std::size_t>(data_.sentences[s]);
  double score = 0;
  for (std::size_t t = 0; t < tokens(s); ++t) {
    data_.for_each_label(first + t, [&](std::int32_t label, double probability) {
      score += probability * theta[t * edges.width + static_cast<std::size_t>(label)];
    });
  }
  const Workspace::Frame frame(scratch);
  const bool plain = w == 1;
  const std::span<double> counts = plain ? sums.counts : scratch.take<double>(sums.counts.size());
  if (!plain) std::ranges::fill(counts, 0.0);
  const std::optional<double> log_partition = kernels::tagging_marginals(edges, theta, counts, scratch);
  if (!log_partition) return std::nullopt;
  if (!plain) {
    for (double& entry : theta) entry *= w;
    for (std::size_t k = 0; k < counts.size(); ++k) sums.counts[k] += w * counts[k];
  }
  score += take_target(s, edges, theta, sums.pairs);
  return w * clamped(*log_partition - score + (offsets_.empty() ? 0 : offsets_[s]));
}

}  // namespace fenchel
