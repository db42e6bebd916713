// SPDX-License-Identifier: Apache-2.0
// What follows from Ω where it has no closed form of its own, one row at a time in double: the fallbacks of
// AnyRegularizer. Arguments are assumed checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "fenchel/core/differences.hpp"
#include "fenchel/core/function_ref.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/regularizers/traits.hpp"

namespace fenchel::operations {

using ValueFunction = FunctionRef<double(std::span<const double>)>;
using PredictFunction = VectorMap;
/// Returns Ω*(θ) and fills ŷ_Ω(θ).
using ConjugateFunction = FunctionRef<double(std::span<const double> theta, std::span<double> prediction)>;

/// Moves scores to where Ω expects them and returns by how much: on the simplex, where a shift changes no
/// prediction, their maximum becomes 0.
template <Real T>
T shift_scores(Domain domain, std::span<T> theta) {
  if (domain != Domain::simplex) return 0;
  T shift = -std::numeric_limits<T>::infinity();
  for (const T score : theta) shift = std::max(shift, score);
  for (T& score : theta) score -= shift;
  return shift;
}

/// ŷ_Ω(θ) into `out`, and Ω*(θ), for scores with any shift: over the simplex they are shifted as Ω expects.
double conjugate_at(ValueFunction value, PredictFunction predict, std::span<const double> theta,
                    Domain domain, std::span<double> out, Workspace& scratch);

/// Throws where Ω is not convex, so that its proximity operator is not defined.
void check_convex(const Traits& traits);

void gradient_by_differences(ValueFunction value, std::span<const double> mu, const Traits& traits,
                             std::span<double> out, Workspace& scratch);
Report prox_by_moreau(ConjugateFunction conjugate, std::span<const double> eta, double tau,
                      std::span<double> out, Workspace& scratch);

/// A value of Ω that an iterative method found, and how it went.
struct SolvedValue {
  double value = 0;
  Report report;
};
/// J v at θ, given ŷ_Ω(θ).
using JvpFunction = FunctionRef<void(std::span<const double> theta, std::span<const double> prediction,
                                     std::span<const double> v, std::span<double> out)>;
/// What value_by_conjugate maximises.
struct ConjugateProblem {
  ConjugateFunction conjugate;
  JvpFunction jvp;
  bool masks;  ///< θ is −inf where μ is 0: no structure with mass there takes part
};
/// Ω(μ) = max_θ ⟨θ, μ⟩ − Ω*(θ); writes the maximiser, a subgradient of Ω at μ, into `theta`. By L-BFGS,
/// then Newton steps.
SolvedValue value_by_conjugate(const ConjugateProblem& problem, std::span<const double> mu,
                               std::span<double> theta, Workspace& scratch);
std::optional<double> margin_by_search(ValueFunction value, std::size_t d);

}  // namespace fenchel::operations
