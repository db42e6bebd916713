// SPDX-License-Identifier: Apache-2.0
// Regularizers by their textbook formulas, for verification alone. Nothing here is fast, and nothing is
// shared with the code that trains: Ω(μ) is its definition, and Ω*(θ) comes from Lagrange's bound for sets
// with a sum constraint,
//   Ω*(θ) = sup_{p ∈ Δ} ⟨θ, p⟩ − Ω(p)  ≤  τ + sup_{p ≥ 0} ⟨θ − τ1, p⟩ − Ω(p)   for every number τ,
// which bisection makes tight. Whatever τ it stops at, the value is not below Ω*(θ): an objective found from
// it is not below the true one.
#pragma once

#include <memory>
#include <span>

#include "fenchel/core/spec.hpp"

namespace fenchel::plain {

/// Where μ lives.
enum class Set { simplex, cube, reals, cone };

/// An Ω.
class Omega {
 public:
  virtual ~Omega() = default;
  virtual Set set() const = 0;
  /// Ω(μ) of a point of the set.
  virtual double value(std::span<const double> mu) const = 0;
  /// Not below Ω*(θ), and no further above than double precision makes it.
  virtual double conjugate(std::span<const double> theta) const = 0;
};

/// The Ω that a spec names. Throws std::invalid_argument with the reason where there are no plain formulas.
std::unique_ptr<const Omega> make_omega(const Spec& spec);

}  // namespace fenchel::plain
