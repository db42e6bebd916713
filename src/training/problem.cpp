// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/problem.hpp"

#include <stdexcept>

#include "training/problems/kinds.hpp"
#include "training/problems/linear_objective.hpp"

namespace fenchel {
namespace {

// What is known about Ω does not depend on the number of places or tokens.
constexpr std::size_t any_size = 2;

ProblemFacts facts_with(std::string_view kind, const ParameterShape& shape, const FenchelYoungLoss& loss) {
  const Traits traits = loss.traits();
  return {.kind = kind,
          .loss = traits.name,
          .shape = shape,
          .smooth = traits.strictly_convex,
          .convex = traits.convex};
}

template <Real T>
ProblemFacts facts(const LinearProblem<T>& problem) {
  ProblemFacts result = facts_with("linear models", problem.shape(), problem.loss);
  result.coupled = problem.intercept == Intercept::free;
  return result;
}
template <Real T>
ProblemFacts facts(const KernelProblem<T>& problem) {
  return facts_with("kernel models", problem.shape(), problem.loss);
}
template <Real T>
ProblemFacts facts(const DocumentProblem<T>& problem) {
  return facts_with("rankings of documents", problem.shape(), problem.loss(any_size).loss);
}
ProblemFacts facts(const ChainProblem& problem) {
  return facts_with("taggers", problem.shape(), problem.loss(any_size).loss);
}
ProblemFacts facts(const OwnProblem& problem) {
  ProblemFacts result{.kind = "this model", .shape = {}, .smooth = problem.smooth};
  if (problem.objective) result.shape = problem.objective->shape();
  if (!problem.objective && problem.examples) result.shape = problem.examples->shape();
  result.coupled = result.shape.size != result.shape.penalised;
  return result;
}

void check_problem(const OwnProblem& problem) {
  if (!problem.objective && !problem.examples)
    throw std::invalid_argument("objective and examples are both missing");
}

template <Real T>
std::shared_ptr<Objective> objective_of(const LinearProblem<T>& problem, int threads) {
  return make_linear_objective(problem, threads);
}
template <Real T>
std::shared_ptr<Objective> objective_of(const KernelProblem<T>&, int) {
  throw std::invalid_argument("kernel models have no objective in parameters of features");
}
std::shared_ptr<Objective> objective_of(const OwnProblem& problem, int) {
  if (!problem.objective) throw std::invalid_argument("the solver needs an objective, which is missing");
  return problem.objective;
}

template <Real T>
std::shared_ptr<const Examples> examples_of(const KernelProblem<T>&) {
  throw std::invalid_argument("kernel models have no examples in parameters of features");
}
std::shared_ptr<const Examples> examples_of(const OwnProblem& problem) {
  if (!problem.examples) throw std::invalid_argument("the solver needs examples, which are missing");
  return problem.examples;
}

}  // namespace

ProblemFacts facts_of(const Problem& problem) {
  return std::visit([](const auto& kind) { return facts(kind); }, problem);
}

void check_problem(const Problem& problem) {
  std::visit([](const auto& kind) { check_problem(kind); }, problem);
}

std::shared_ptr<Objective> make_objective(const Problem& problem, int threads) {
  return std::visit([threads](const auto& kind) { return objective_of(kind, threads); }, problem);
}

std::shared_ptr<const Examples> make_examples(const Problem& problem) {
  return std::visit([](const auto& kind) { return examples_of(kind); }, problem);
}

}  // namespace fenchel
