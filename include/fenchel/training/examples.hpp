// SPDX-License-Identifier: Apache-2.0
// A model θ_i = A_i W that is linear in its parameters, one example at a time: what stochastic and
// Frank-Wolfe algorithms need. Linear models, chains of tags and rankings of documents all are such models.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// Examples with their losses L_i(W) = w_i L_Ω(A_i W; y_i).
class Examples {
 public:
  virtual ~Examples() = default;

  virtual std::size_t size() const = 0;
  virtual ParameterShape shape() const = 0;
  /// The size of θ_i.
  virtual std::size_t scores_size(std::size_t i) const = 0;
  /// θ_i = A_i W.
  virtual void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const = 0;
  /// W += scale · A_iᵀ r.
  virtual void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const = 0;
  /// w_i L_Ω(θ; y_i); w_i (ŷ − y_i) goes into `gradient`. With cost where the loss has one.
  virtual double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
                      Workspace& scratch) const = 0;
  /// The largest a with a + ⟨θ, g⟩ ≤ L_i for all θ; −inf if there is none, +inf if it is not known. It is
  /// attained where g is the gradient of the loss. States of Frank-Wolfe that are read from a file are
  /// checked by it.
  virtual double dual_bound(std::size_t /*i*/, std::span<const double> /*g*/, Workspace& /*scratch*/) const {
    return infinity;
  }
  /// c such that the largest a of dual_bound is c-strongly concave in g; 0 where that is not known. It is
  /// γ/w_i for a γ-strongly convex Ω.
  virtual double dual_concavity(std::size_t /*i*/) const { return 0; }
};

}  // namespace fenchel
