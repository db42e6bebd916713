// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/chain_loss.hpp"

#include <algorithm>

#include "fenchel/regularizers/sparsemap.hpp"

namespace fenchel {
namespace {

/// out += scale · y for the vertex y of a sequence of labels.
void add_sequence(const Chain& chain, std::span<const std::int32_t> labels, double scale,
                  std::span<double> out) {
  const std::size_t edges = chain.n * chain.m;
  for (std::size_t t = 0; t < chain.n; ++t) {
    const auto label = static_cast<std::size_t>(labels[t]);
    out[t * chain.m + label] += scale;
    if (t > 0) out[edges + static_cast<std::size_t>(labels[t - 1]) * chain.m + label] += scale;
  }
  if (!chain.boundary) return;
  const std::size_t start = edges + chain.m * chain.m;
  out[start + static_cast<std::size_t>(labels.front())] += scale;
  out[start + chain.m + static_cast<std::size_t>(labels.back())] += scale;
}

double sequence_score(const Chain& chain, std::span<const std::int32_t> labels,
                      std::span<const double> theta) {
  const std::size_t edges = chain.n * chain.m;
  double score = 0;
  for (std::size_t t = 0; t < chain.n; ++t) {
    const auto label = static_cast<std::size_t>(labels[t]);
    score += theta[t * chain.m + label];
    if (t > 0) score += theta[edges + static_cast<std::size_t>(labels[t - 1]) * chain.m + label];
  }
  if (!chain.boundary) return score;
  const std::size_t start = edges + chain.m * chain.m;
  return score + theta[start + static_cast<std::size_t>(labels.front())] +
         theta[start + chain.m + static_cast<std::size_t>(labels.back())];
}

double best_sequence_loss(const Chain& chain, std::span<const double> theta,
                          std::span<const std::int32_t> labels, double cost, std::span<double> gradient,
                          Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::span<double> scores = scratch.take<double>(theta.size());
  std::ranges::copy(theta, scores.begin());
  if (cost != 0) {
    for (double& score : scores.first(chain.n * chain.m)) score += cost;
    for (std::size_t t = 0; t < chain.n; ++t)
      scores[t * chain.m + static_cast<std::size_t>(labels[t])] -= cost;
  }
  thread_local Structure best;
  chain.map(scores, best, scratch);
  std::ranges::fill(gradient, 0.0);
  add(best, 1, gradient);
  add_sequence(chain, labels, -1, gradient);
  double loss = 0;
  for (std::size_t k = 0; k < gradient.size(); ++k) loss += scores[k] * gradient[k];
  return std::max(0.0, loss);
}

double sparse_loss(const Chain& chain, std::span<const double> theta, std::span<const std::int32_t> labels,
                   std::span<double> gradient, Report& report, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::span<double> mu = scratch.take<double>(theta.size());
  thread_local Mixture mixture;
  mixture.structures.clear();
  mixture.weights.clear();
  report = worst(report, SparseMap{chain}.mixture(theta, mixture, mu, scratch));
  std::ranges::copy(mu, gradient.begin());
  add_sequence(chain, labels, -1, gradient);
  // ½‖y‖² − ½‖μ‖² + ⟨θ, μ − y⟩ with y = μ − gradient.
  double loss = 0;
  for (std::size_t k = 0; k < mu.size(); ++k) loss += gradient[k] * (theta[k] - mu[k] + gradient[k] / 2);
  return std::max(0.0, loss);
}

}  // namespace

double ChainLoss::operator()(std::span<const double> theta, std::span<const std::int32_t> labels,
                             std::span<double> gradient, Report& report, Workspace& scratch) const {
  const Chain set = chain(labels.size());
  switch (omega) {
    case TaggerOmega::crf: {
      const double log_partition = set.marginals(theta, gradient, scratch);
      add_sequence(set, labels, -1, gradient);
      return std::max(0.0, log_partition - sequence_score(set, labels, theta));
    }
    case TaggerOmega::sparsemap:
      return sparse_loss(set, theta, labels, gradient, report, scratch);
    case TaggerOmega::hinge:
      return best_sequence_loss(set, theta, labels, cost, gradient, scratch);
    case TaggerOmega::perceptron:
      return best_sequence_loss(set, theta, labels, 0, gradient, scratch);
  }
  return 0;
}

}  // namespace fenchel
