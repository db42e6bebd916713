// SPDX-License-Identifier: Apache-2.0
// A training problem as verification sees it: examples, scores and a penalty, from which a primal and a dual
// value follow (paper §8.2). With r_i = w_i (y_i − μ_i) and V = Σ_i x_i r_iᵀ,
//   P = Σ_i w_i (Ω*(θ_i + c_i) + Ω(y_i) − ⟨θ_i + c_i, y_i⟩) + G(W)
//   D = Σ_i w_i (Ω(y_i) − Ω(μ_i) + ⟨c_i, μ_i − y_i⟩) − G*(V),
// and no parameters have an objective below D, whatever μ is, provided that
// - every μ_i lies in the set of Ω: what is stored is moved into it first;
// - Σ_i r_i = 0 where the intercept is free: all μ_i are mixed with one point that makes up for the
//   difference (numbers without bounds are shifted);
// - G*(V) is finite: without an l2 term the μ_i are drawn towards y_i by the same factor until it is.
// Plain loops in double precision; sums over examples in long double.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/models/task_targets.hpp"
#include "training/verify/plain_omega.hpp"

namespace fenchel::plain {

/// What c_i is: nothing, 1 − y_i (0/1), or 1 − 2y_i (one for each wrong label).
enum class Cost { none, zero_one, hamming };

/// Targets, weights and the loss.
struct Examples {
  const TaskTargets& targets;
  std::vector<double> weights;  ///< one per example
  std::unique_ptr<const Omega> omega;
  Cost cost = Cost::none;
  double cost_scale = 1;

  std::size_t size() const { return weights.size(); }
  std::size_t outputs() const { return targets.outputs; }
  void target(std::size_t i, std::span<double> y) const;
  /// c_i of a target.
  double cost_of(double y) const {
    return cost_scale * (cost == Cost::none ? 0 : cost == Cost::zero_one ? 1 - y : 1 - 2 * y);
  }
};

/// What linear and kernel models differ in.
class Model {
 public:
  virtual ~Model() = default;
  /// θ_i.
  virtual void scores(std::size_t i, std::span<double> theta) const = 0;
  /// G(W).
  virtual double penalty() const = 0;
  /// V += x_i rᵀ.
  virtual void add(std::size_t i, std::span<const double> r) = 0;
  /// The largest γ ≤ 1 for which G*(γV) is finite.
  virtual double largest_factor() const = 0;
  /// G*(γV).
  virtual double conjugate(double factor) const = 0;
};

/// Both values.
struct Bounds {
  double primal = 0;
  double dual = 0;
  double imbalance = 0;  ///< the largest entry of |Σ_i w_i (y_i − μ_i)| as stored, over Σ_i w_i
};

/// `mu` has a row for each example. Throws std::invalid_argument if one cannot be moved into the set of Ω.
Bounds bounds_of(const Examples& examples, Model& model, const CsrMatrix<double>& mu, bool free_intercept);

/// The examples of a task with the loss of that name. Throws std::invalid_argument with the reason where
/// verification does not know them.
Examples make_examples(const TaskTargets& targets, std::vector<double> weights, const Spec& omega,
                       std::string_view loss_name);

}  // namespace fenchel::plain
