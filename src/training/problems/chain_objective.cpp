// SPDX-License-Identifier: Apache-2.0
// F(W) = Σ_sentences L_Ω(A_s W; y_s) of a tagger. Sentences are divided into parts, whose number depends on
// the data alone; threads take whole parts, each with a gradient of its own, and the parts are added in their
// order. What belongs to attributes of a single token needs no such copy.
#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "training/problems/chain_losses.hpp"
#include "training/problems/chain_plan.hpp"
#include "training/problems/kinds.hpp"

namespace fenchel {
namespace {

/// Weights are copied and gradients added up in blocks of that many rows or singles.
constexpr std::size_t copy_block = 4096;

/// What one part of the sentences adds up.
struct PartSums {
  std::vector<double> rows;
  std::vector<double> singles;
  std::vector<double> counts;       // of transitions, to be multiplied by their exponentials: [m, width]
  std::vector<double> transitions;  // of transitions, as they are: [m, m]
  std::vector<double> boundary;     // start and end: [2, m]
  double value = 0;
  Report report;

  void clear() {
    for (auto* values : {&rows, &singles, &counts, &transitions, &boundary}) std::ranges::fill(*values, 0.0);
    value = 0;
    report = {};
  }
};

/// The objective of a tagger. The problem's data and features must outlive it.
class ChainObjective final : public Objective {
 public:
  ChainObjective(const ChainProblem& problem, int threads)
      : data_(problem.data),
        features_(problem.features),
        losses_(problem),
        threads_(threads),
        layout_(data_, features_),
        tokens_(layout_.token_features()),
        row_weights_(layout_.row_attributes.size() * layout_.width),
        single_weights_(layout_.single_weights.size()),
        transitions_(features_.labels * features_.labels),
        edges_(features_.labels),
        parts_(layout_.part_count()) {
    const std::size_t m = features_.labels;
    for (PartSums& part : parts_) {
      part.rows.resize(row_weights_.size());
      part.singles.resize(single_weights_.size());
      part.counts.resize(edges_.scores.size());
      part.transitions.resize(m * m);
      part.boundary.resize(2 * m);
    }
  }

  ParameterShape shape() const override { return {features_.parameters(), features_.parameters(), 1}; }
  std::size_t shards() const override { return 1; }
  Report predictions() const override { return report_; }

  double accumulate(std::size_t /*shard*/, std::span<const double> w, std::span<double> gradient) override {
    copy_weights(w);
    for_each_block(parts_.size(), 1, threads_, [&](std::size_t first, std::size_t) {
      run_part(layout_.parts[first], layout_.parts[first + 1], w, gradient, parts_[first]);
    });
    add_states(gradient);
    add_transitions(gradient);
    CompensatedSum value;
    for (const PartSums& part : parts_) {
      value += part.value;
      report_ = worst(report_, part.report);
    }
    return value.value();
  }

 private:
  void copy_weights(std::span<const double> w) {
    features_.transition_scores(w, transitions_);
    kernels::prepare_edges(transitions_, edges_);
    for_each_block(layout_.row_attributes.size(), copy_block, threads_,
                   [&](std::size_t first, std::size_t last) {
                     for (std::size_t r = first; r < last; ++r) {
                       const auto a = static_cast<std::size_t>(layout_.row_attributes[r]);
                       double* row = row_weights_.data() + r * layout_.width;
                       for (std::size_t k = features_.state_begin(a); k < features_.state_begin(a + 1); ++k) {
                         row[features_.label(k)] = w[k];
                       }
                     }
                   });
    for_each_block(single_weights_.size(), copy_block, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) single_weights_[k] = w[layout_.single_weights[k]];
    });
  }

  /// Σ over parts, in their order, for every row and single.
  void add_states(std::span<double> gradient) const {
    for_each_block(
        layout_.row_attributes.size(), copy_block, threads_, [&](std::size_t first, std::size_t last) {
          for (std::size_t r = first; r < last; ++r) {
            const auto a = static_cast<std::size_t>(layout_.row_attributes[r]);
            for (std::size_t k = features_.state_begin(a); k < features_.state_begin(a + 1); ++k) {
              const std::size_t at = r * layout_.width + static_cast<std::size_t>(features_.label(k));
              double sum = 0;
              for (const PartSums& part : parts_) sum += part.rows[at];
              gradient[k] += sum;
            }
          }
        });
    for_each_block(single_weights_.size(), copy_block, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) {
        double sum = 0;
        for (const PartSums& part : parts_) sum += part.singles[k];
        gradient[layout_.single_weights[k]] += sum;
      }
    });
  }

  void add_transitions(std::span<double> gradient) const {
    const std::size_t m = features_.labels;
    const std::span<double> out = gradient.subspan(features_.state_weights());
    for (std::size_t k = 0; k < features_.transitions.size(); ++k) {
      const auto edge = static_cast<std::size_t>(features_.transitions[k]);
      const std::size_t at = edge / m * layout_.width + edge % m;
      double sum = 0;
      for (const PartSums& part : parts_)
        sum += part.counts[at] * edges_.forward[at] + part.transitions[edge];
      out[k] += sum;
    }
    if (!features_.boundary) return;
    const std::span<double> boundary = gradient.subspan(features_.boundary_begin());
    for (std::size_t k = 0; k < 2 * m; ++k) {
      for (const PartSums& part : parts_) boundary[k] += part.boundary[k];
    }
  }

  void run_part(std::size_t first, std::size_t last, std::span<const double> w, std::span<double> gradient,
                PartSums& sums) const {
    sums.clear();
    Workspace& scratch = thread_workspace();
    CompensatedSum value;
    for (std::size_t s = first; s < last; ++s) {
      const kernels::TokenRange tokens = range(s);
      if (tokens.count == 0 || losses_.weight(s) == 0) continue;
      const Workspace::Frame frame(scratch);
      const std::span<double> theta = scratch.take<double>(tokens.count * layout_.width);
      state_scores(tokens, w, theta);
      value += loss(s, w, theta, sums, scratch);
      add_gradients(tokens, theta, gradient, sums);
    }
    sums.value = value.value();
  }

  kernels::TokenRange range(std::size_t s) const {
    return {static_cast<std::size_t>(data_.sentences[s]), losses_.tokens(s)};
  }

  /// θ, the boundary scores included.
  void state_scores(kernels::TokenRange tokens, std::span<const double> w, std::span<double> theta) const {
    kernels::token_scores(tokens_, tokens, row_weights_, single_weights_, theta);
    for (std::size_t t = 0; t < tokens.count; ++t) {
      double* row = theta.data() + t * layout_.width;
      for_each_own(tokens.first + t,
                   [&](std::size_t weight, std::size_t label, double x) { row[label] += x * w[weight]; });
    }
    if (!features_.boundary) return;
    const double* start = w.data() + features_.boundary_begin();
    double* last = theta.data() + (tokens.count - 1) * layout_.width;
    for (std::size_t i = 0; i < features_.labels; ++i) {
      theta[i] += start[i];
      last[i] += start[features_.labels + i];
    }
  }

  template <class Body>
  void for_each_own(std::size_t token, const Body& body) const {
    const auto last = static_cast<std::size_t>(layout_.own.offsets[token + 1]);
    for (auto k = static_cast<std::size_t>(layout_.own.offsets[token]); k < last; ++k) {
      const auto a = static_cast<std::size_t>(layout_.own.entries[k]);
      const double x = layout_.own.values.empty() ? 1 : static_cast<double>(layout_.own.values[k]);
      const std::size_t end = features_.state_begin(a + 1);
      for (std::size_t weight = features_.state_begin(a); weight < end; ++weight) {
        body(weight, static_cast<std::size_t>(features_.label(weight)), x);
      }
    }
  }

  /// The loss of a sentence; θ becomes w (ŷ − y) of the states.
  double loss(std::size_t s, std::span<const double> w, std::span<double> theta, PartSums& sums,
              Workspace& scratch) const {
    if (losses_.conditional_random_field()) {
      const PairSums pairs{sums.counts, sums.transitions};
      if (const auto value = losses_.fused(s, edges_, theta, pairs, scratch)) return *value;
      state_scores(range(s), w, theta);
    }
    return general_loss(s, w, theta, sums, scratch);
  }

  /// Any loss, by the chain polytope.
  double general_loss(std::size_t s, std::span<const double> w, std::span<double> theta, PartSums& sums,
                      Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const std::size_t m = features_.labels;
    const std::size_t n = losses_.tokens(s);
    const std::size_t size = losses_.layout().chain(n).dimension();
    const std::span<double> scores = scratch.take<double>(size);
    const std::span<double> change = scratch.take<double>(size);
    for (std::size_t t = 0; t < n; ++t)
      std::copy_n(theta.data() + t * layout_.width, m, scores.data() + t * m);
    std::ranges::copy(transitions_, scores.data() + n * m);
    if (features_.boundary) {
      // Ω sees the boundary scores apart from those of the states.
      const double* start = w.data() + features_.boundary_begin();
      std::copy_n(start, 2 * m, scores.data() + n * m + m * m);
      for (std::size_t i = 0; i < m; ++i) {
        scores[i] -= start[i];
        scores[(n - 1) * m + i] -= start[m + i];
      }
    }
    const double loss = losses_.in_chain(s, scores, {change, sums.report}, scratch);
    for (std::size_t t = 0; t < n; ++t) {
      double* row = theta.data() + t * layout_.width;
      std::copy_n(change.data() + t * m, m, row);
      std::fill(row + m, row + layout_.width, 0.0);
    }
    for (std::size_t k = 0; k < m * m; ++k) sums.transitions[k] += change[n * m + k];
    return loss;
  }

  /// ŷ − y of the states goes to all who share them.
  void add_gradients(kernels::TokenRange tokens, std::span<const double> change, std::span<double> gradient,
                     PartSums& sums) const {
    const std::size_t m = features_.labels;
    kernels::add_token_gradients(tokens_, tokens, change, sums.rows, sums.singles);
    for (std::size_t t = 0; t < tokens.count; ++t) {
      const double* row = change.data() + t * layout_.width;
      for_each_own(tokens.first + t, [&](std::size_t weight, std::size_t label, double x) {
        gradient[weight] += x * row[label];
      });
    }
    if (!features_.boundary) return;
    const double* last = change.data() + (tokens.count - 1) * layout_.width;
    for (std::size_t i = 0; i < m; ++i) {
      sums.boundary[i] += change[i];
      sums.boundary[m + i] += last[i];
    }
  }

  const TaggerData& data_;
  const TaggerFeatures& features_;
  ChainLosses losses_;
  int threads_;
  ChainPlan layout_;
  kernels::TokenFeatures tokens_;
  std::vector<double> row_weights_;
  std::vector<double> single_weights_;
  std::vector<double> transitions_;  // [m, m]
  kernels::TaggingEdges edges_;
  std::vector<PartSums> parts_;
  Report report_;
};

}  // namespace

std::shared_ptr<Objective> objective_of(const ChainProblem& problem, int threads) {
  check_problem(problem);
  return std::make_shared<ChainObjective>(problem, threads);
}

}  // namespace fenchel
