// SPDX-License-Identifier: Apache-2.0
// A training problem of any kind: min_W F(W) + G(W), F(W) = Σ_i w_i L(A_i W; y_i) (paper §8.1). The kinds
// differ in what A_i is made from; solvers see an objective F, or one example at a time, or the rows
// themselves.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <variant>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/training/examples.hpp"
#include "fenchel/training/objective.hpp"
#include "fenchel/training/penalty.hpp"
#include "fenchel/training/problems/chains.hpp"
#include "fenchel/training/problems/documents.hpp"
#include "fenchel/training/problems/kernel.hpp"
#include "fenchel/training/problems/linear.hpp"

namespace fenchel {

/// A model of your own that is linear in its parameters: F as a whole, or example by example; either may be
/// missing if the solver does not need it.
struct OwnProblem {
  std::shared_ptr<Objective> objective = nullptr;
  std::shared_ptr<const Examples> examples = nullptr;
  bool smooth = true;  ///< whether F has a gradient everywhere
};

/// The kinds.
using Problem =
    std::variant<LinearProblem<float>, LinearProblem<double>, KernelProblem<float>, KernelProblem<double>,
                 DocumentProblem<float>, DocumentProblem<double>, ChainProblem, OwnProblem>;

/// What the choice of a solver depends on, whatever the kind.
struct ProblemFacts {
  std::string_view kind;       ///< in words: "linear models"
  std::string_view loss = {};  ///< the name of Ω; empty for a model of your own
  ParameterShape shape;
  bool smooth = true;  ///< the loss has a gradient everywhere (paper Proposition 2.4)
  bool convex = true;  ///< Ω is convex
  /// Part of the parameters is not penalised and couples all examples: a free intercept.
  bool coupled = false;
};
ProblemFacts facts_of(const Problem& problem);

/// Throws std::invalid_argument saying what does not fit.
void check_problem(const Problem& problem);

/// F, evaluated by this many threads (0: as many as the machine offers). The problem's views must outlive it.
std::shared_ptr<Objective> make_objective(const Problem& problem, int threads = 0);
/// The examples one at a time.
std::shared_ptr<const Examples> make_examples(const Problem& problem);

}  // namespace fenchel
