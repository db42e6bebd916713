// SPDX-License-Identifier: Apache-2.0
// Rankings of documents: the losses of queries, their sum, and queries one at a time.
#include "fenchel/training/problems/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/models/task_targets.hpp"
#include "losses/dual_bound.hpp"
#include "losses/row_loss.hpp"
#include "models/loss_checks.hpp"
#include "training/problems/feature_range.hpp"
#include "training/problems/kinds.hpp"

namespace fenchel {
namespace {

// Queries in a block: a few, because they are of very different sizes.
constexpr std::size_t queries_per_block = 8;
// Blocks of documents whose parts of the gradient are summed apart: enough for threads to share, few enough
// that the parts take little memory.
constexpr std::size_t gradient_blocks = 8;

template <Real T>
void check_documents(const DocumentProblem<T>& problem) {
  check_size("relevance", problem.relevance.size(), problem.x.rows());
  check_finite("relevance", problem.relevance);
  check_not_empty("queries", problem.queries.size());
  if (problem.queries.front() != 0 || problem.queries.back() != static_cast<std::int64_t>(problem.x.rows())) {
    throw std::invalid_argument(fmt::format("queries go from row {} to {}; expected 0 to {}",
                                            problem.queries.front(), problem.queries.back(),
                                            problem.x.rows()));
  }
  for (std::size_t q = 0; q + 1 < problem.queries.size(); ++q) {
    if (problem.queries[q + 1] < problem.queries[q]) {
      throw std::invalid_argument(fmt::format("queries[{}] is {}, after {}; expected offsets in order", q + 1,
                                              problem.queries[q + 1], problem.queries[q]));
    }
  }
  if (!problem.weights.empty()) check_size("weights", problem.weights.size(), problem.examples());
  for (const double weight : problem.weights) check_at_least("weights", weight, 0);
  check_finite("weights", problem.weights);
  if (!problem.center.empty()) check_size("center", problem.center.size(), problem.x.cols());
  check_finite("center", problem.center);
  for (std::size_t i = 0; i < problem.x.rows(); ++i) {
    check_finite("x", problem.x.values(i), static_cast<std::ptrdiff_t>(i));
    check_feature_range(problem.x.values(i), i, [&](std::size_t e) {
      return problem.x.sparse() ? static_cast<std::size_t>(problem.x.sparse_rows().indices(i)[e]) : e;
    });
  }
  problem.loss(1);
}

/// Targets, and one loss for each number of documents that occurs.
class DocumentLosses {
 public:
  template <Real T>
  explicit DocumentLosses(const DocumentProblem<T>& problem)
      : queries_(problem.queries.begin(), problem.queries.end()),
        weights_(problem.weights.begin(), problem.weights.end()),
        targets_(problem.relevance.size()) {
    check_problem(problem);
    std::map<std::size_t, std::vector<double>> worths;
    for (std::size_t q = 0; q < queries(); ++q) {
      const std::size_t documents = size(q);
      if (documents == 0) continue;
      if (!worths.contains(documents)) {
        LossChoice choice = problem.loss(documents);
        check_loss_of_size(choice.loss, "documents", documents, documents);
        losses_.emplace(documents, RowLoss(choice.loss));
        worths.emplace(documents, std::move(choice.worths));
      }
      worths_of_order(problem.relevance.subspan(first(q), documents), worths.at(documents),
                      std::span(targets_).subspan(first(q), documents));
    }
  }

  /// w_q L_Ω(θ; y_q); w_q (ŷ − y_q) goes into `gradient`.
  double evaluate(std::size_t query, std::span<const double> theta, std::span<double> gradient,
                  Workspace& scratch, Report& report) const {
    if (theta.empty()) return 0;
    if (weight(query) == 0) {  // also where scores overflow: 0 · inf counts as nothing
      std::ranges::fill(gradient, 0.0);
      return 0;
    }
    const double value = losses_.at(theta.size())(theta, target(query), {gradient, report}, scratch);
    for (double& entry : gradient) entry *= weight(query);
    return weight(query) * value;
  }
  /// The largest a with a + ⟨θ, g⟩ ≤ w_q L_Ω(θ; y_q) for all θ.
  double dual_bound(std::size_t query, std::span<const double> g, Workspace& scratch) const {
    return weighted_dual_bound(losses_.at(g.size()).loss(), target(query), {weight(query), g}, scratch);
  }
  std::size_t first(std::size_t query) const { return static_cast<std::size_t>(queries_[query]); }
  std::size_t size(std::size_t query) const { return first(query + 1) - first(query); }
  std::size_t queries() const { return queries_.empty() ? 0 : queries_.size() - 1; }

 private:
  double weight(std::size_t query) const { return weights_.empty() ? 1 : weights_[query]; }
  std::span<const double> target(std::size_t query) const {
    return std::span(targets_).subspan(first(query), size(query));
  }

  std::vector<std::int64_t> queries_;
  std::vector<double> weights_;
  std::vector<double> targets_;
  std::map<std::size_t, RowLoss> losses_;  // by number of documents
};

/// ⟨x_i, w⟩ − offset of the rows from `first` on.
template <Real T>
void score(const FeaturesView<T>& x, std::size_t first, std::span<const double> w, double offset,
           std::span<double> theta) {
  for (std::size_t k = 0; k < theta.size(); ++k) {
    double sum = 0;
    x.for_each(first + k, [&](std::size_t j, double value) { sum += value * w[j]; });
    theta[k] = sum - offset;
  }
}

/// w += scale · x_i.
template <Real T>
void add_row(const FeaturesView<T>& x, std::size_t i, double scale, std::span<double> w) {
  if (scale == 0) return;
  x.for_each(i, [&](std::size_t j, double value) { w[j] += scale * value; });
}

/// F(w) = Σ_q w_q L_Ω(X_q w; y_q) in one shard. Threads take blocks of queries, then blocks of documents,
/// whose sums are added in their order.
template <Real T>
class DocumentObjective final : public Objective {
 public:
  DocumentObjective(const DocumentProblem<T>& problem, int threads)
      : problem_(problem),
        losses_(problem),
        threads_(threads),
        residuals_(problem.x.rows()),
        values_(problem.examples()) {}

  ParameterShape shape() const override { return problem_.shape(); }
  std::size_t shards() const override { return 1; }
  Report predictions() const override { return report_; }
  double accumulate(std::size_t /*shard*/, std::span<const double> w, std::span<double> gradient) override {
    check_size("w", w.size(), problem_.x.cols());
    check_size("gradient", gradient.size(), problem_.x.cols());
    evaluate_queries(w);
    add_products(gradient);
    return sum_of(values_);
  }

 private:
  void evaluate_queries(std::span<const double> w) {
    const double offset = dot(problem_.center, w);
    std::mutex mutex;
    for_each_block(losses_.queries(), queries_per_block, threads_, [&](std::size_t begin, std::size_t end) {
      Workspace& scratch = thread_workspace();
      Report report;
      for (std::size_t q = begin; q < end; ++q) {
        const Workspace::Frame frame(scratch);
        const auto theta = scratch.take<double>(losses_.size(q));
        const std::size_t first = losses_.first(q);
        score(problem_.x, first, w, offset, theta);
        const auto residual = std::span(residuals_).subspan(first, theta.size());
        values_[q] = losses_.evaluate(q, theta, residual, scratch, report);
      }
      const std::lock_guard lock(mutex);
      report_ = worst(report_, report);
    });
  }

  void add_products(std::span<double> gradient) const {
    const std::size_t documents = problem_.x.rows();
    const std::size_t block = std::max<std::size_t>(1, (documents + gradient_blocks - 1) / gradient_blocks);
    Matrix<double> parts((documents + block - 1) / block, gradient.size());
    for_each_block(documents, block, threads_, [&](std::size_t begin, std::size_t end) {
      const auto part = parts.row(begin / block);
      for (std::size_t i = begin; i < end; ++i) add_row(problem_.x, i, residuals_[i], part);
    });
    for (std::size_t b = 0; b < parts.rows(); ++b) {
      for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += parts(b, j);
    }
    if (problem_.center.empty()) return;
    const double sum = sum_of(residuals_);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] -= sum * problem_.center[j];
  }

  DocumentProblem<T> problem_;
  DocumentLosses losses_;
  int threads_;
  std::vector<double> residuals_;  // w_q (ŷ − y), one per document
  std::vector<double> values_;     // one per query
  Report report_;
};

/// One query per example; θ_q has one score per document.
template <Real T>
class DocumentExamples final : public Examples {
 public:
  explicit DocumentExamples(const DocumentProblem<T>& problem) : problem_(problem), losses_(problem) {}

  std::size_t size() const override { return losses_.queries(); }
  ParameterShape shape() const override { return problem_.shape(); }
  std::size_t scores_size(std::size_t i) const override { return losses_.size(i); }
  void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const override {
    score(problem_.x, losses_.first(i), w, dot(problem_.center, w), theta);
  }
  void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const override {
    double sum = 0;
    for (std::size_t k = 0; k < r.size(); ++k) {
      add_row(problem_.x, losses_.first(i) + k, scale * r[k], w);
      sum += scale * r[k];
    }
    for (std::size_t j = 0; j < problem_.center.size(); ++j) w[j] -= sum * problem_.center[j];
  }
  double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
              Workspace& scratch) const override {
    Report report;
    return losses_.evaluate(i, theta, gradient, scratch, report);
  }
  double dual_bound(std::size_t i, std::span<const double> g, Workspace& scratch) const override {
    return g.empty() ? 0 : losses_.dual_bound(i, g, scratch);
  }

 private:
  DocumentProblem<T> problem_;
  DocumentLosses losses_;
};

}  // namespace

void check_problem(const DocumentProblem<float>& problem) { check_documents(problem); }
void check_problem(const DocumentProblem<double>& problem) { check_documents(problem); }

template <Real T>
std::shared_ptr<Objective> objective_of(const DocumentProblem<T>& problem, int threads) {
  return std::make_shared<DocumentObjective<T>>(problem, threads);
}
template std::shared_ptr<Objective> objective_of(const DocumentProblem<float>&, int);
template std::shared_ptr<Objective> objective_of(const DocumentProblem<double>&, int);

template <Real T>
std::shared_ptr<const Examples> examples_of(const DocumentProblem<T>& problem) {
  return std::make_shared<DocumentExamples<T>>(problem);
}
template std::shared_ptr<const Examples> examples_of(const DocumentProblem<float>&);
template std::shared_ptr<const Examples> examples_of(const DocumentProblem<double>&);

}  // namespace fenchel
