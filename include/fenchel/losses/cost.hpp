// SPDX-License-Identifier: Apache-2.0
// Costs c_y that a loss adds to the scores: L(θ; y) = L_Ω(θ + c_y; y) (paper §3.4). They may depend on the
// truth, so predictions leave them out: if the cost-augmented argmax is the truth, so is the plain one.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "fenchel/polytopes/any.hpp"

namespace fenchel {

/// A fixed cost vector, a matrix with a row of costs for each label, or a callable of y.
class Cost {
 public:
  using Callable = std::function<void(std::span<const double> y, std::span<double> cost)>;

  Cost() = default;  ///< none
  // NOLINTBEGIN(google-explicit-constructor): each of these is a cost as it stands
  Cost(std::vector<double> fixed);
  Cost(std::vector<std::vector<double>> by_label);
  /// From anything that can be called as Callable, a lambda for example.
  template <class F>
  requires(std::invocable<const F&, std::span<const double>, std::span<double>>) Cost(F of_y)
      : cost_(Callable(std::move(of_y))) {}
  // NOLINTEND(google-explicit-constructor)

  bool empty() const { return std::holds_alternative<std::monostate>(cost_); }
  /// Writes c_y; with a matrix C it is Σ_k y_k C_k: the row of a label, mixed as y mixes labels.
  void write(std::span<const double> y, std::span<double> cost) const;

 private:
  std::variant<std::monostate, std::vector<double>, std::vector<std::vector<double>>, Callable> cost_;
};

/// The 0/1 cost c_y = 1 − y, which makes hinge losses out of perceptrons.
Cost zero_one_cost();

/// The Hamming cost of structures, c_y with ⟨c_y, z⟩ − ⟨c_y, y⟩ = scale · ‖z − y‖² (paper §7.4): 1 − 2y where
/// structures are binary, −2y where they have one norm. It makes structured hinge losses out of structured
/// perceptrons. The scale ½ counts wrong heads of trees and wrong pairs of matchings.
Cost hamming_cost(const AnyPolytope& polytope, double scale = 1);

}  // namespace fenchel
