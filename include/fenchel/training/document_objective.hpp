// SPDX-License-Identifier: Apache-2.0
// Ranking documents: a query q has n_q documents with scores θ_q = X_q w, one weight a feature, and the loss
// L_Ω(θ_q; y_q) over the permutahedron of n_q places (paper §7.3). The target y_q gives the most relevant
// document the worth of the first place, and so on; equally relevant ones share the mean of their places,
// which is a point of the permutahedron. There is no intercept: it would move all scores of a query alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/features.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/training/objective.hpp"

namespace fenchel {

/// Everything F depends on. Views only: whoever makes it keeps the memory alive.
template <Real T>
struct DocumentProblem {
  FeaturesView<T> x;                      ///< one document a row
  std::span<const double> relevance;      ///< one a document
  std::span<const std::int64_t> queries;  ///< queries[q] … queries[q+1] − 1 are the documents of query q
  std::string loss = "sparsemap";         ///< as in resolve_loss for Task::ranking
  std::span<const double> weights = {};   ///< w_q ≥ 0 of the queries; all 1 if empty
  std::span<const double> center = {};    ///< subtracted from every row of x, which is not touched

  std::size_t examples() const { return queries.empty() ? 0 : queries.size() - 1; }
  ParameterShape shape() const { return {x.cols(), x.cols(), 1}; }
};

/// Throws std::invalid_argument if sizes do not fit, a number is not finite, a weight is negative, or the
/// loss is none of rankings.
void check_problem(const DocumentProblem<float>& problem);
void check_problem(const DocumentProblem<double>& problem);

/// Targets, and one loss for each number of documents that occurs.
class DocumentLosses {
 public:
  template <Real T>
  explicit DocumentLosses(const DocumentProblem<T>& problem);

  /// w_q L_Ω(θ; y_q); w_q (ŷ − y_q) goes into `gradient`.
  double evaluate(std::size_t query, std::span<const double> theta, std::span<double> gradient,
                  Workspace& scratch, Report& report) const;
  std::span<const double> target(std::size_t query) const {
    return std::span(targets_).subspan(first(query), size(query));
  }
  std::size_t first(std::size_t query) const { return static_cast<std::size_t>(queries_[query]); }
  std::size_t size(std::size_t query) const { return first(query + 1) - first(query); }
  std::size_t queries() const { return queries_.empty() ? 0 : queries_.size() - 1; }

 private:
  std::vector<std::int64_t> queries_;
  std::vector<double> weights_;
  std::vector<double> targets_;
  std::map<std::size_t, LossChoice> losses_;  // by number of documents
};

/// F(w) = Σ_q w_q L_Ω(X_q w; y_q) in one shard. Threads take blocks of queries, then blocks of documents,
/// whose sums are added in their order.
template <Real T>
class DocumentObjective final : public Objective {
 public:
  explicit DocumentObjective(const DocumentProblem<T>& problem, int threads = 0);

  ParameterShape shape() const override { return problem_.shape(); }
  std::size_t shards() const override { return 1; }
  double accumulate(std::size_t shard, std::span<const double> w, std::span<double> gradient) override;
  Report predictions() const override { return report_; }

 private:
  void evaluate_queries(std::span<const double> w);
  void add_products(std::span<double> gradient) const;

  DocumentProblem<T> problem_;
  DocumentLosses losses_;
  int threads_;
  std::vector<double> residuals_;  // w_q (ŷ − y), one a document
  std::vector<double> values_;     // one a query
  Report report_;
};

extern template class DocumentObjective<float>;
extern template class DocumentObjective<double>;

}  // namespace fenchel
