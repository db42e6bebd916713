// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/document_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/models/task.hpp"
#include "training/document_rows.hpp"

namespace fenchel {
namespace {

// Queries in a block: a few, because they are of very different sizes.
constexpr std::size_t queries_per_block = 8;
// Blocks of documents whose parts of the gradient are summed apart: enough for threads to share, few enough
// that the parts take little memory.
constexpr std::size_t gradient_blocks = 8;

template <Real T>
void check_features(const FeaturesView<T>& x) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::span<const T> row = x.sparse() ? x.sparse_rows().values(i) : x.dense_rows().row(i);
    check_finite("x", row, static_cast<std::ptrdiff_t>(i));
  }
}

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
  check_features(problem.x);
  resolve_loss(problem.loss, Task::ranking, 1);
}

}  // namespace

void check_problem(const DocumentProblem<float>& problem) { check_documents(problem); }
void check_problem(const DocumentProblem<double>& problem) { check_documents(problem); }

template <Real T>
DocumentLosses::DocumentLosses(const DocumentProblem<T>& problem)
    : queries_(problem.queries.begin(), problem.queries.end()),
      weights_(problem.weights.begin(), problem.weights.end()),
      targets_(problem.relevance.size()) {
  check_problem(problem);
  for (std::size_t q = 0; q < queries(); ++q) {
    const std::size_t documents = size(q);
    if (documents == 0) continue;
    auto found = losses_.find(documents);
    if (found == losses_.end()) {
      found = losses_.emplace(documents, resolve_loss(problem.loss, Task::ranking, documents)).first;
    }
    worths_of_order(problem.relevance.subspan(first(q), documents), found->second.worths,
                    std::span(targets_).subspan(first(q), documents));
  }
}
template DocumentLosses::DocumentLosses(const DocumentProblem<float>& problem);
template DocumentLosses::DocumentLosses(const DocumentProblem<double>& problem);

double DocumentLosses::evaluate(std::size_t query, std::span<const double> theta, std::span<double> gradient,
                                Workspace& scratch, Report& report) const {
  if (theta.empty()) return 0;
  const LossChoice& loss = losses_.at(theta.size());
  const std::span<const double> y = target(query);
  const Workspace::Frame frame(scratch);
  const auto augmented = scratch.take<double>(theta.size());
  std::ranges::fill(augmented, 0.0);
  if (!loss.cost.empty()) loss.cost.write(y, augmented);
  for (std::size_t i = 0; i < theta.size(); ++i) augmented[i] += theta[i];
  report = worst(report, loss.omega.predict(augmented, gradient, scratch));
  const double weight = weights_.empty() ? 1 : weights_[query];
  const double value = loss.omega.loss(augmented, y, gradient);
  for (std::size_t i = 0; i < theta.size(); ++i) gradient[i] = weight * (gradient[i] - y[i]);
  return weight * value;
}

template <Real T>
DocumentObjective<T>::DocumentObjective(const DocumentProblem<T>& problem, int threads)
    : problem_(problem),
      losses_(problem),
      threads_(threads),
      residuals_(problem.x.rows()),
      values_(problem.examples()) {}

template <Real T>
void DocumentObjective<T>::evaluate_queries(std::span<const double> w) {
  const double offset = document_rows::centered(problem_.center, w);
  std::mutex mutex;
  for_each_block(losses_.queries(), queries_per_block, threads_, [&](std::size_t begin, std::size_t end) {
    Workspace& scratch = thread_workspace();
    Report report;
    for (std::size_t q = begin; q < end; ++q) {
      const Workspace::Frame frame(scratch);
      const auto theta = scratch.take<double>(losses_.size(q));
      const std::size_t first = losses_.first(q);
      for (std::size_t i = 0; i < theta.size(); ++i) {
        theta[i] = document_rows::dot(problem_.x, first + i, w) - offset;
      }
      const auto residual = std::span(residuals_).subspan(first, theta.size());
      values_[q] = losses_.evaluate(q, theta, residual, scratch, report);
    }
    const std::lock_guard lock(mutex);
    report_ = worst(report_, report);
  });
}

template <Real T>
void DocumentObjective<T>::add_products(std::span<double> gradient) const {
  const std::size_t documents = problem_.x.rows();
  const std::size_t block = std::max<std::size_t>(1, (documents + gradient_blocks - 1) / gradient_blocks);
  Matrix<double> parts((documents + block - 1) / block, gradient.size());
  for_each_block(documents, block, threads_, [&](std::size_t begin, std::size_t end) {
    const auto part = parts.row(begin / block);
    for (std::size_t i = begin; i < end; ++i) document_rows::add(problem_.x, i, residuals_[i], part);
  });
  for (std::size_t b = 0; b < parts.rows(); ++b) {
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += parts(b, j);
  }
  if (problem_.center.empty()) return;
  const double sum = sum_of(residuals_);
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] -= sum * problem_.center[j];
}

template <Real T>
double DocumentObjective<T>::accumulate(std::size_t /*shard*/, std::span<const double> w,
                                        std::span<double> gradient) {
  check_size("w", w.size(), problem_.x.cols());
  check_size("gradient", gradient.size(), problem_.x.cols());
  evaluate_queries(w);
  add_products(gradient);
  return sum_of(values_);
}

template class DocumentObjective<float>;
template class DocumentObjective<double>;

}  // namespace fenchel
