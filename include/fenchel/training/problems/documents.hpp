// SPDX-License-Identifier: Apache-2.0
// Ranking documents: a query q has n_q documents with scores θ_q = X_q w, one weight per feature, and the
// loss L_Ω(θ_q; y_q) over the permutahedron of n_q places (paper §7.3). The target y_q gives the most
// relevant document the worth of the first place, and so on; equally relevant ones share the mean of their
// places, which is a point of the permutahedron. There is no intercept: it would move all scores of a query
// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/core/features.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// Everything F(w) = Σ_q w_q L_Ω(X_q w; y_q) depends on. Views only: whoever makes it keeps the memory alive.
template <Real T>
struct DocumentProblem {
  FeaturesView<T> x;                      ///< one document per row
  std::span<const double> relevance;      ///< one per document
  std::span<const std::int64_t> queries;  ///< queries[q] … queries[q+1] − 1 are the documents of query q
  LossOfSize loss = ranking_loss("sparsemap");  ///< by the number of documents
  std::span<const double> weights = {};         ///< w_q ≥ 0 of the queries; all 1 if empty
  std::span<const double> center = {};          ///< subtracted from every row of x, which is not touched

  std::size_t examples() const { return queries.empty() ? 0 : queries.size() - 1; }
  ParameterShape shape() const { return {x.cols(), x.cols(), 1}; }
};

/// Throws std::invalid_argument if sizes do not fit, a number is not finite, a weight is negative, or the
/// loss is not over rankings.
void check_problem(const DocumentProblem<float>& problem);
void check_problem(const DocumentProblem<double>& problem);

}  // namespace fenchel
