// SPDX-License-Identifier: Apache-2.0
// The objectives and the examples of each kind of problem, behind make_objective and make_examples. Problems
// are checked already, and their views must outlive what is made of them.
#pragma once

#include <memory>

#include "fenchel/training/problem.hpp"

namespace fenchel {

template <Real T>
std::shared_ptr<Objective> objective_of(const DocumentProblem<T>& problem, int threads);
std::shared_ptr<Objective> objective_of(const ChainProblem& problem, int threads);

template <Real T>
std::shared_ptr<const Examples> examples_of(const LinearProblem<T>& problem);
template <Real T>
std::shared_ptr<const Examples> examples_of(const DocumentProblem<T>& problem);
std::shared_ptr<const Examples> examples_of(const ChainProblem& problem);

}  // namespace fenchel
