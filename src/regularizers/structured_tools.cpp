// SPDX-License-Identifier: Apache-2.0
#include "regularizers/structured_tools.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace fenchel::structured {

void check_polytope(std::string_view owner, const AnyPolytope& polytope) {
  if (!polytope.empty()) return;
  throw std::invalid_argument(fmt::format(
      "{} has no polytope; expected one, such as {{\"name\": \"sequence\", \"n\": 5, \"m\": 3}}", owner));
}

operations::SolvedValue solve_value(const AnyPolytope& polytope, const operations::ConjugateProblem& problem,
                                    double at_vertices, std::span<const double> mu) {
  if (polytope.is_vertex(mu)) return {at_vertices, {}};
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto theta = scratch.take<double>(mu.size());
  return operations::value_by_conjugate(problem, mu, theta, scratch);
}

}  // namespace fenchel::structured
