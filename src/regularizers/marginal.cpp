// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/marginal.hpp"

#include <algorithm>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {
namespace {

bool is_score_vector(std::span<const double> theta) {
  return std::ranges::all_of(theta, [](double score) { return score < infinity; });  // neither NaN nor +inf
}

// The first row whose scores are bad or leave no structure, or their number.
std::size_t predict_rows(const AnyPolytope& polytope, MatrixView<const double> theta, MatrixView<double> out,
                         RowSummaries summaries, Workspace& scratch) {
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    if (!is_score_vector(theta.row(i)) || polytope.overflows(theta.row(i))) return i;
  }
  const Workspace::Frame frame(scratch);
  const std::span<double> log_partitions =
      summaries.wanted() ? summaries.conjugate : scratch.take<double>(theta.rows());
  polytope.marginals_block(theta, out, log_partitions, scratch);
  std::ranges::fill(summaries.shift, 0.0);
  const auto none_left = std::ranges::find(log_partitions, -infinity);
  return static_cast<std::size_t>(none_left - log_partitions.begin());
}

}  // namespace

std::vector<Marginal> Marginal::examples() {
  return {
      {Sequence{3, 2}}, {Chain{3, 2, true}}, {Alignment{2, 3}}, {Arborescence{3}}, {Arborescence{3, true}},
      {KSubsets{5, 2}}, {ProjectiveTree{3}}, {Cube{3}},         {Simplex{4}}};
}

void Marginal::check() const {
  structured::check_polytope(traits.name, polytope);
  if (!polytope.offers(Oracle::marginals)) {
    polytope.log_partition({}, thread_workspace());  // throws, saying why there is none
  }
}

operations::SolvedValue Marginal::solve_value(std::span<const double> mu) const {
  return structured::solve_value_of(*this, 0, mu);
}

double Marginal::predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                                       Workspace& scratch) const {
  const double log_partition = polytope.marginals(theta, out, scratch);
  if (log_partition == -infinity) polytope.reject_masked();
  return log_partition;
}

void Marginal::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  predict_and_conjugate(theta, out, scratch);
}

double Marginal::conjugate(std::span<const double> theta, std::span<const double>) const {
  return polytope.log_partition(theta, thread_workspace());
}

void Marginal::gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
  const auto conjugate_at = [&](std::span<const double> theta, std::span<double> prediction) {
    return predict_and_conjugate(theta, prediction, scratch);
  };
  const auto jvp_at = [&](std::span<const double> theta, std::span<const double> prediction,
                          std::span<const double> v,
                          std::span<double> product) { jvp(theta, prediction, v, product, scratch); };
  structured::solve_dual(polytope, {conjugate_at, jvp_at, polytope.traits().masks}, mu, out, scratch);
}

Report Marginal::prox(std::span<const double> eta, double tau, std::span<double> out,
                      Workspace& scratch) const {
  return structured::prox_of(*this, eta, tau, out, scratch);
}

void Marginal::jvp(std::span<const double> theta, std::span<const double> prediction,
                   std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  polytope.marginals_jvp(theta, prediction, v, out, scratch);
}

std::size_t Marginal::predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                    RowSummaries summaries) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const std::size_t rows = theta.rows(), cols = theta.cols();
  const MatrixView<double> scores(scratch.take<double>(rows * cols).data(), rows, cols);
  const MatrixView<double> mus(scratch.take<double>(rows * cols).data(), rows, cols);
  for (std::size_t i = 0; i < rows; ++i) std::ranges::copy(theta.row(i), scores.row(i).begin());
  const std::size_t bad = predict_rows(polytope, scores, mus, summaries, scratch);
  for (std::size_t i = 0; i < bad; ++i) {
    std::ranges::transform(mus.row(i), out.row(i).begin(), [](double mu) { return static_cast<float>(mu); });
  }
  return bad;
}

std::size_t Marginal::predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                    RowSummaries summaries) const {
  Workspace& scratch = thread_workspace();
  if (theta.data() != out.data()) return predict_rows(polytope, theta, out, summaries, scratch);
  const Workspace::Frame frame(scratch);
  const std::size_t rows = theta.rows(), cols = theta.cols();
  const MatrixView<double> scores(scratch.take<double>(rows * cols).data(), rows, cols);
  for (std::size_t i = 0; i < rows; ++i) std::ranges::copy(theta.row(i), scores.row(i).begin());
  return predict_rows(polytope, scores, out, summaries, scratch);
}

}  // namespace fenchel
