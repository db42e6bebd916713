// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/linear_objective.hpp"

#include "training/linear_parts.hpp"

namespace fenchel {
namespace {

template <Real T>
std::unique_ptr<OutputsObjective> make(const LinearProblem<T>& problem, int threads) {
  return problem.x.sparse() ? make_sparse_objective(problem, threads)
                            : make_dense_objective(problem, threads);
}

}  // namespace

double OutputsObjective::evaluate_outputs(std::span<const double> w, std::span<double> gradient,
                                          std::span<double> values) {
  std::ranges::fill(gradient, 0.0);
  std::ranges::fill(values, 0.0);
  double value = 0;
  for (std::size_t shard = 0; shard < shards(); ++shard)
    value += accumulate_outputs(shard, w, gradient, values);
  return value;
}

std::unique_ptr<OutputsObjective> make_linear_objective(const LinearProblem<float>& problem, int threads) {
  return make(problem, threads);
}
std::unique_ptr<OutputsObjective> make_linear_objective(const LinearProblem<double>& problem, int threads) {
  return make(problem, threads);
}

}  // namespace fenchel
