// SPDX-License-Identifier: Apache-2.0
// Sentences as examples, one at a time, for stochastic and Frank-Wolfe algorithms.
#include <algorithm>

#include "training/problems/chain_losses.hpp"
#include "training/problems/kinds.hpp"

namespace fenchel {
namespace {

/// One sentence per example; θ_i in the layout of the polytope Chain. The problem's data and features must
/// outlive it.
class ChainExamples final : public Examples {
 public:
  explicit ChainExamples(const ChainProblem& problem)
      : data_(problem.data), features_(problem.features), losses_(problem) {
    check_problem(problem);
  }

  std::size_t size() const override { return data_.sentence_count(); }
  ParameterShape shape() const override { return {features_.parameters(), features_.parameters(), 1}; }
  std::size_t scores_size(std::size_t i) const override { return losses_.dimension(tokens(i)); }

  void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const override {
    if (theta.empty()) return;
    const std::size_t m = features_.labels;
    const std::size_t edges = tokens(i) * m;
    std::ranges::fill(theta.first(edges), 0.0);
    for_each_state(i, [&](std::size_t at, std::size_t weight, double x) { theta[at] += x * w[weight]; });
    features_.transition_scores(w, theta.subspan(edges, m * m));
    if (features_.boundary) std::ranges::copy(w.last(2 * m), theta.data() + edges + m * m);
  }

  void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const override {
    if (r.empty()) return;
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

  double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
              Workspace& scratch) const override {
    if (theta.empty()) return 0;
    Report report;
    return losses_(theta, labels(i), {gradient, report}, scratch);
  }
  double dual_bound(std::size_t i, std::span<const double> g, Workspace& scratch) const override {
    return g.empty() ? 0 : losses_.dual_bound(labels(i), g, scratch);
  }

 private:
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

  std::span<const std::int32_t> labels(std::size_t i) const {
    return std::span(data_.labels).subspan(static_cast<std::size_t>(data_.sentences[i]), tokens(i));
  }
  std::size_t tokens(std::size_t i) const {
    return static_cast<std::size_t>(data_.sentences[i + 1] - data_.sentences[i]);
  }

  const TaggerData& data_;
  const TaggerFeatures& features_;
  ChainLosses losses_;
};

}  // namespace

std::shared_ptr<const Examples> examples_of(const ChainProblem& problem) {
  return std::make_shared<ChainExamples>(problem);
}

}  // namespace fenchel
