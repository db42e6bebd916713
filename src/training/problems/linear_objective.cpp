// SPDX-License-Identifier: Apache-2.0
#include "training/problems/linear_objective.hpp"

#include "training/problems/linear_parts.hpp"

namespace fenchel {

double OutputsObjective::evaluate_outputs(std::span<const double> w, std::span<double> gradient,
                                          std::span<double> values) {
  std::ranges::fill(gradient, 0.0);
  std::ranges::fill(values, 0.0);
  double value = 0;
  for (std::size_t shard = 0; shard < shards(); ++shard)
    value += accumulate_outputs(shard, w, gradient, values);
  return value;
}

template <Real T>
std::unique_ptr<OutputsObjective> make_linear_objective(const LinearProblem<T>& problem, int threads) {
  return problem.x.sparse() ? make_sparse_objective(problem, threads)
                            : make_dense_objective(problem, threads);
}
template std::unique_ptr<OutputsObjective> make_linear_objective(const LinearProblem<float>&, int);
template std::unique_ptr<OutputsObjective> make_linear_objective(const LinearProblem<double>&, int);

}  // namespace fenchel
