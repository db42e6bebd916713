// SPDX-License-Identifier: Apache-2.0
// When predictions hardly change any more: a duality gap that is a small share of the losses at scores of 0.
// These are the scale of a loss: they grow with the weights of examples, the costs of mistakes and the
// temperature of Ω as the loss does, and do not shrink as a model gets better. The objective does shrink:
// relative to it, fits that separate their examples would go on for ever.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/any.hpp"
#include "fenchel/training/train.hpp"
#include "losses/row_loss.hpp"
#include "training/problems/linear_rows.hpp"

namespace fenchel {
namespace {

// Chosen on the public sets of docs/benchmarks.md: accuracies differ from those of the optimum by 1e-3 at
// most, as many examples as are undecided.
constexpr double gap_share = 1e-4;
constexpr std::size_t examples_per_block = 256;

// Where Ω lives in a bounded set, losses at 0 measure the set; elsewhere they measure the targets.
bool bounded(const FenchelYoungLoss& loss) {
  const Domain domain = loss.traits().domain;
  return domain == Domain::simplex || domain == Domain::cube || domain == Domain::polytope;
}

// L(0; y), with its cost.
double loss_at_zero(const RowLoss& loss, std::span<const double> y) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto theta = scratch.take<double>(y.size());
  const auto residual = scratch.take<double>(y.size());
  std::ranges::fill(theta, 0.0);
  Report report;
  return loss(theta, y, {residual, report}, scratch);
}

template <Real T>
double losses_at_zero(const LinearProblem<T>& problem, int threads) {
  if (!bounded(problem.loss)) return 0;
  const RowLoss loss(problem.loss);
  const auto weight = [&](std::size_t i) { return problem.weights.empty() ? 1 : problem.weights[i]; };
  double total = 0;
  if (problem.y.are_labels()) {
    std::vector<double> y(problem.outputs, 0.0), weights(problem.outputs, 0.0);
    for (std::size_t i = 0; i < problem.examples(); ++i)
      weights[static_cast<std::size_t>(problem.y.label(i))] += weight(i);
    for (std::size_t k = 0; k < problem.outputs; ++k) {
      if (weights[k] == 0) continue;
      y[k] = 1;
      total += weights[k] * loss_at_zero(loss, y);
      y[k] = 0;
    }
    return total;
  }
  std::vector<double> losses(problem.examples(), 0.0);
  for_each_block(losses.size(), examples_per_block, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> y(problem.outputs);
    for (std::size_t i = begin; i < end; ++i) {
      problem.y.write(i, std::span(y));
      if (weight(i) > 0) losses[i] = weight(i) * loss_at_zero(loss, y);
    }
  });
  return sum_of(losses);
}

template <Real T>
double losses_at_zero(const KernelProblem<T>& problem, int threads) {
  return losses_at_zero(linear_part(problem), threads);
}

template <Real T>
double losses_at_zero(const DocumentProblem<T>& problem, int threads) {
  const auto examples = make_examples(problem);
  std::vector<double> losses(examples->size(), 0.0);
  for_each_block(losses.size(), examples_per_block, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> theta, gradient;
    for (std::size_t i = begin; i < end; ++i) {
      theta.assign(examples->scores_size(i), 0.0);
      gradient.resize(theta.size());
      losses[i] = examples->loss(i, theta, gradient, thread_workspace());
    }
  });
  return sum_of(losses);
}

// Tokens on their own: sequences of equal scores are many, and a sparse mixture of them takes long to find.
double losses_at_zero(const ChainProblem& problem, int) {
  const RowLoss loss(problem.loss(1).loss);
  const AnyPolytope* set = loss.omega().polytope();
  if (set == nullptr) return 0;
  double tokens = 0;
  for (std::size_t s = 0; s < problem.examples(); ++s) {
    const auto length = problem.data.sentences[s + 1] - problem.data.sentences[s];
    tokens += problem.data.weight(s) * static_cast<double>(length);
  }
  std::vector<double> y(set->dimension(), 0.0);
  Structure any;
  set->map(std::vector<double>(y.size(), 0.0), any, thread_workspace());
  write(any, y);
  return tokens * loss_at_zero(loss, y);
}

double losses_at_zero(const OwnProblem&, int) { return 0; }

}  // namespace

double sufficient_gap(const Problem& problem, int threads) {
  const double losses =
      std::visit([&](const auto& kind) { return losses_at_zero(kind, resolve_threads(threads)); }, problem);
  return std::isfinite(losses) ? gap_share * losses : 0;
}

}  // namespace fenchel
