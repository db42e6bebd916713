// SPDX-License-Identifier: Apache-2.0
// The linear algebra of the entropic active set method: H = Vᵀ diag(1/(μ + δ)) V for the structures V of a
// mixture, and changes of weights with a given sum.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/structure.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {

class EntropicNewton {
 public:
  /// Takes its memory from the enclosing frame of `scratch`; for at most `capacity` structures.
  EntropicNewton(std::size_t capacity, Workspace& scratch);

  /// Factorises H for these structures; `inverse_mu` is 1/(μ + δ), entry by entry.
  void factorize(std::span<const Structure* const> structures, std::span<const double> inverse_mu);

  /// The x with Σ x = `total` for which H x − r is a constant vector. `change` holds r, then x.
  void solve(std::span<double> change, double total = 0);

 private:
  double* row(std::size_t i) { return rows_.data() + i * capacity_; }
  void assemble(std::span<const Structure* const> structures, std::span<const double> inverse_mu);
  void triangular_solves(std::span<double> vector);

  Workspace& scratch_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::span<double> rows_;  // the lower triangle
  std::span<double> ones_;  // H⁻¹ 1
};

}  // namespace fenchel
