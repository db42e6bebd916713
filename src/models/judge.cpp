// SPDX-License-Identifier: Apache-2.0
#include "models/judge.hpp"

#include <algorithm>
#include <utility>

#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

// The structures that rows are, or are nearest to. A row that was predicted as it is needs no search: the
// nearest structure can be found only in sets whose structures have one norm.
Matrix<double> true_structures(const AnyPolytope& set, MatrixView<const double> rows,
                               MatrixView<const double> predicted) {
  Matrix<double> result(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (std::ranges::equal(rows.row(i), predicted.row(i))) {
      std::ranges::copy(rows.row(i), result.row(i).begin());
    } else {
      nearest_structure(set, rows.row(i), result.row(i));
    }
  }
  return result;
}

}  // namespace

std::vector<metrics::Metric> judge(const ModelHead& model, MatrixView<const double> scores,
                                   MatrixView<const double> outputs, const metrics::Truth& truth,
                                   metrics::Details* details) {
  Matrix<double> sets, true_sets;
  metrics::Truth complete = truth;
  if (model.task == Task::multilabel || model.task == Task::structured) {
    sets = predicted_sets(model.loss.omega(), scores, outputs);
  }
  const AnyPolytope* polytope = model.loss.omega().polytope();
  if (model.task == Task::structured && polytope) {
    check_size("a row of targets", truth.rows.cols(), polytope->dimension());
    true_sets = true_structures(*polytope, truth.rows, std::as_const(sets).view());
    complete.sets = std::as_const(true_sets).view();
  }
  const metrics::Predictions predictions{outputs, scores, std::as_const(sets).view()};
  if (details) *details = metrics::details(model.task, predictions, complete);
  return metrics::evaluate(model.task, predictions, complete);
}

}  // namespace fenchel
