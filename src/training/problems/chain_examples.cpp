// SPDX-License-Identifier: Apache-2.0
// Sentences as examples, one at a time, for stochastic, dual and Frank-Wolfe algorithms.
#include <algorithm>

#include "training/problems/chain_losses.hpp"
#include "training/problems/kinds.hpp"
#include "training/problems/structured_examples.hpp"

namespace fenchel {
namespace {

/// One sentence per example; θ_i in the layout of the loss. The problem's data and features must outlive it.
class ChainExamples final : public StructuredExamples {
 public:
  explicit ChainExamples(const ChainProblem& problem)
      : data_(problem.data), features_(problem.features), losses_(problem) {
    const FenchelYoungLoss loss = problem.loss(1).loss;
    ridge_ = loss.omega().ridge().value_or(0);
    convexity_ = loss.strong_convexity().value_or(0);
  }

  std::size_t size() const override { return data_.sentence_count(); }
  ParameterShape shape() const override { return {features_.parameters(), features_.parameters(), 1}; }
  std::size_t scores_size(std::size_t i) const override { return losses_.dimension(tokens(i)); }

  void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const override {
    if (theta.empty()) return;
    if (!losses_.layout().steps) return chain_scores(i, w, theta);
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto chain = scratch.take<double>(chain_size(i));
    chain_scores(i, w, chain);
    losses_.layout().expand(tokens(i), chain, theta);
  }

  void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const override {
    if (r.empty()) return;
    if (!losses_.layout().steps) return chain_add(i, r, scale, w);
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto chain = scratch.take<double>(chain_size(i));
    losses_.layout().contract(tokens(i), r, chain);
    chain_add(i, chain, scale, w);
  }

  double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
              Workspace& scratch) const override {
    Report report;
    return losses_(i, theta, {gradient, report}, scratch);
  }
  double dual_bound(std::size_t i, std::span<const double> g, Workspace& scratch) const override {
    return g.empty() ? 0 : losses_.dual_bound(i, g, scratch);
  }
  double dual_concavity(std::size_t i) const override {
    return losses_.weight(i) > 0 ? convexity_ / losses_.weight(i) : 0;
  }

  const AnyPolytope& structures(std::size_t i) const override { return *losses_.loss(i).omega().polytope(); }
  double ridge() const override { return ridge_; }
  double weight(std::size_t i) const override { return losses_.weight(i); }
  void target(std::size_t i, std::span<double> y, std::span<double> cost) const override {
    losses_.write_target(i, y);
    losses_.loss(i).cost().write(y, cost);
  }
  void add_cost(std::size_t i, std::span<double> theta) const override {
    if (losses_.loss(i).cost().empty()) return;
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto y = scratch.take<double>(theta.size());
    const auto cost = scratch.take<double>(theta.size());
    target(i, y, cost);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += cost[k];
  }
  void gram(std::size_t i, std::span<const double> v, std::span<double> buffer,
            std::span<double> out) const override {
    add(i, v, 1, buffer);
    scores(i, buffer, out);
    for_each_state(i, [&](std::size_t, std::size_t weight, double) { buffer[weight] = 0; });
    std::ranges::fill(buffer.subspan(features_.state_weights()), 0.0);
  }

 private:
  void chain_scores(std::size_t i, std::span<const double> w, std::span<double> theta) const {
    const std::size_t m = features_.labels;
    const std::size_t edges = tokens(i) * m;
    std::ranges::fill(theta.first(edges), 0.0);
    for_each_state(i, [&](std::size_t at, std::size_t weight, double x) { theta[at] += x * w[weight]; });
    features_.transition_scores(w, theta.subspan(edges, m * m));
    if (features_.boundary) std::ranges::copy(w.last(2 * m), theta.data() + edges + m * m);
  }

  void chain_add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const {
    const std::size_t m = features_.labels;
    const std::size_t edges = tokens(i) * m;
    for_each_state(i, [&](std::size_t at, std::size_t weight, double x) { w[weight] += scale * x * r[at]; });
    const std::span<double> transitions = w.subspan(features_.state_weights());
    for (std::size_t k = 0; k < features_.transitions.size(); ++k) {
      transitions[k] += scale * r[edges + static_cast<std::size_t>(features_.transitions[k])];
    }
    if (!features_.boundary) return;
    const std::span<double> boundary = w.last(2 * m);
    for (std::size_t k = 0; k < 2 * m; ++k) boundary[k] += scale * r[edges + m * m + k];
  }

  /// Calls body(place in θ, place among the parameters, x) for every state weight of sentence i.
  template <class Body>
  void for_each_state(std::size_t i, const Body& body) const {
    const std::size_t m = features_.labels;
    const auto begin = static_cast<std::size_t>(data_.sentences[i]);
    for (std::size_t t = 0; t < tokens(i); ++t) {
      const auto last = static_cast<std::size_t>(data_.offsets[begin + t + 1]);
      for (auto k = static_cast<std::size_t>(data_.offsets[begin + t]); k < last; ++k) {
        const auto a = static_cast<std::size_t>(data_.attributes[k]);
        const double x = data_.values.empty() ? 1 : static_cast<double>(data_.values[k]);
        for (std::size_t f = features_.state_begin(a); f < features_.state_begin(a + 1); ++f) {
          body(t * m + static_cast<std::size_t>(features_.label(f)), f, x);
        }
      }
    }
  }

  std::size_t tokens(std::size_t i) const { return losses_.tokens(i); }
  std::size_t chain_size(std::size_t i) const { return losses_.layout().chain(tokens(i)).dimension(); }

  const TaggerData& data_;
  const TaggerFeatures& features_;
  ChainLosses losses_;
  double ridge_ = 0;
  double convexity_ = 0;
};

}  // namespace

std::shared_ptr<const Examples> examples_of(const ChainProblem& problem) {
  return structured_examples(problem);
}

std::shared_ptr<const StructuredExamples> structured_examples(const ChainProblem& problem) {
  check_problem(problem);
  return std::make_shared<ChainExamples>(problem);
}

}  // namespace fenchel
