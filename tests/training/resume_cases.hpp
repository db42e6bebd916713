// SPDX-License-Identifier: Apache-2.0
// Every solver on every kind of problem that it trains, small: what tests of saved and restored runs
// go through.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fenchel/models/attributes.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/training/all.hpp"
#include "fenchel/training/train.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel::test {

/// A solver on a problem, with what it starts from.
struct ResumeCase {
  std::string name;
  Problem problem;
  AnySolver solver;
  Penalty penalty = L2(0.1);
  std::vector<double> start = {};

  TrainOptions options(double tolerance, int max_iterations) const {
    return {.penalty = penalty,
            .solver = solver,
            .tolerance = tolerance,
            .max_iterations = max_iterations,
            .threads = 1,
            .start = start};
  }
  std::unique_ptr<Algorithm> make(double tolerance, int max_iterations) const {
    return solver.start(problem, options(tolerance, max_iterations));
  }
};

/// The data of the cases.
class ResumeCases {
 public:
  ResumeCases() : features_(tagger_features(sentences_, {})) {
    const std::vector<double> warm(18, 0.1);
    add("lbfgs", linear(Tsallis{1.5}), Lbfgs{});
    cases.push_back({"warm lbfgs", linear(Tsallis{1.5}), Lbfgs{}, L2(0.1), warm});
    cases.push_back({"centred lbfgs", centred(Shannon{}, Intercept::free), Lbfgs{}});
    cases.push_back({"lbfgs without l2", linear(Tsallis{1.5}), Lbfgs{}, L2(0)});
    add("separate lbfgs", linear(Sigmoid{}), Lbfgs{});
    cases.push_back({"warm separate lbfgs", linear(Sigmoid{}), Lbfgs{}, L2(0.1), warm});
    cases.push_back({"fista", centred(Tsallis{2}, Intercept::free), Fista{}, ElasticNet(0.1, 0.5)});
    cases.push_back({"fista without l2", linear(Tsallis{2}), Fista{}, L1(0.5)});
    cases.push_back({"owlqn", centred(Shannon{}, Intercept::free), Owlqn{}, ElasticNet(0.1, 0.5)});
    cases.push_back({"warm owlqn", linear(Tsallis{1.5}), Owlqn{}, ElasticNet(0.1, 0.5), warm});
    cases.push_back({"owlqn without l2", linear(Tsallis{2}), Owlqn{.memory = 2}, L1(0.5)});
    cases.push_back({"prox_newton", centred(Shannon{}, Intercept::free), ProxNewton{}, ElasticNet(0.1, 0.5)});
    cases.push_back({"warm prox_newton", linear(Sigmoid{}), ProxNewton{}, ElasticNet(0.1, 0.5), warm});
    cases.push_back({"prox_newton without l2", linear(Shannon{}), ProxNewton{}, L1(0.5)});
    cases.push_back({"prox_newton with groups", linear(Tsallis{2}), ProxNewton{}, {.l2 = 0.1, .group = 0.2}});
    cases.push_back({"saga", linear(Shannon{}), Saga{}, ElasticNet(0.1, 0.5)});
    cases.push_back({"saga with a free intercept", centred(Shannon{}, Intercept::free), Saga{}});
    cases.push_back({"saga without l2", linear(Shannon{}), Saga{}, L1(0.5)});
    add("subgradient", linear(Tsallis{2}), Subgradient{});
    cases.push_back({"subgradient without l2", linear(Tsallis{2}), Subgradient{}, L1(0.5)});
    add("dual_ascent", linear(Tsallis{2}), DualAscent{});
    add("dual_ascent with kinks", linear(Argmax{}), DualAscent{});
    cases.push_back({"dual_ascent with a weak penalty", linear(Tsallis{2}), DualAscent{}, L2(1e-5)});
    add("dense dual_ascent", linear(Shannon{}), DualAscent{});
    add("centred dual_ascent", centred(Tsallis{2}, Intercept::penalised), DualAscent{});
    add("dual_ascent in parts", linear(Sigmoid{}, wide_), DualAscent{});
    cases.push_back({"dual_ascent with l1", linear(Tsallis{1.5}), DualAscent{}, ElasticNet(0.1, 0.5)});
    add("frank_wolfe", linear(Tsallis{2}), FrankWolfe{});
    add("kernel_ascent", kernel(), DualAscent{});
    for (const SolverEntry& entry : solver_list()) {
      add_where_taken("rows", linear(Tsallis{1.5}), entry.solver);
      add_where_taken("documents", documents(), entry.solver);
      add_where_taken("chains", ChainProblem{sentences_, features_, TaggingLoss{features_.labels}("crf")},
                      entry.solver);
    }
    sentences_.weights.resize(sentences_.sentence_count(), 1);
    sentences_.weights[1] = 2.5;
    sentences_.weights[2] = 0;
    add("dual_ascent on chains", chains("sparsemap"), DualAscent{});
    add("dual_ascent on chains by steps", chains("sparsemap:polytope=sequence"), DualAscent{});
    add("dual_ascent on chains with kinks", chains("hinge"), DualAscent{});
    const std::vector<double> small(features_.parameters(), 0.1);
    cases.push_back({"warm dual_ascent on chains", chains("sparsemap"), DualAscent{}, L2(0.1), small});
    cases.push_back({"warm dual_ascent on chains with kinks", chains("hinge"), DualAscent{}, L2(0.1), small});
  }
  ResumeCases(const ResumeCases&) = delete;
  ResumeCases& operator=(const ResumeCases&) = delete;

  std::vector<ResumeCase> cases;

 private:
  void add(const std::string& name, const Problem& problem, const AnySolver& solver) {
    cases.push_back({name, problem, solver});
  }
  // With the plain penalty, and with l1 beside it.
  void add_where_taken(const std::string& kind, const Problem& problem, const AnySolver& solver) {
    for (const Penalty& penalty : {Penalty(L2(0.1)), Penalty(ElasticNet(0.1, 0.5))}) {
      const std::string name =
          std::string(solver.name()) + " on " + kind + (penalty.l1 > 0 ? " with l1" : "");
      const ResumeCase one{name, problem, solver, penalty};
      if (!solver.refuses(problem, one.options(0, 1))) cases.push_back(one);
    }
  }
  LinearProblem<double> linear(const AnyRegularizer& omega) const { return linear(omega, data_); }
  static LinearProblem<double> linear(const AnyRegularizer& omega, const SmallData& of) {
    return {.x = of.sparse,
            .y = MatrixView<const double>(of.targets.view()),
            .outputs = of.targets.cols(),
            .loss = omega,
            .weights = of.weights,
            .intercept = Intercept::none};
  }
  LinearProblem<double> centred(const AnyRegularizer& omega, Intercept intercept) const {
    return {.x = data_.dense,
            .y = data_.labels,
            .outputs = 3,
            .loss = omega,
            .center = data_.center,
            .intercept = intercept};
  }
  KernelProblem<double> kernel() const {
    return {.x = data_.sparse,
            .y = data_.labels,
            .outputs = 3,
            .loss = Tsallis{1.5},
            .kernel = make_kernel("rbf:gamma=0.2")};
  }
  ChainProblem chains(const std::string& loss) const {
    return {sentences_, features_, TaggingLoss{features_.labels}(loss)};
  }
  DocumentProblem<double> documents() const {
    return {.x = data_.dense,
            .relevance = relevance_,
            .queries = queries_,
            .loss = ranking_loss("sparsemap:w=full")};
  }

  const SmallData data_ = small_data(40, 6, 3, 2);
  const SmallData wide_ = small_data(40, 6, 9, 3);  // more outputs than a part of a dual ascent has
  const std::vector<double> relevance_{data_.labels.begin(), data_.labels.end()};
  const std::vector<std::int64_t> queries_{0, 5, 12, 12, 20, 31, 40};
  TaggerData sentences_ = random_tagging({.sentences = 8}, 4);
  const TaggerFeatures features_;
};

}  // namespace fenchel::test
