// SPDX-License-Identifier: Apache-2.0
// Examples whose Ω is (r/2)‖μ‖² plus a constant over structures that a MAP oracle finds, as seen by solvers
// that keep each dual variable as a mixture of structures.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fenchel/polytopes/any.hpp"
#include "fenchel/training/examples.hpp"
#include "fenchel/training/problem.hpp"

namespace fenchel {

class StructuredExamples : public Examples {
 public:
  /// The structures of example i, over vectors of scores_size(i). Not to be asked where that is 0.
  virtual const AnyPolytope& structures(std::size_t i) const = 0;
  /// r.
  virtual double ridge() const = 0;
  virtual double weight(std::size_t i) const = 0;
  /// y_i, and the cost c_i.
  virtual void target(std::size_t i, std::span<double> y, std::span<double> cost) const = 0;
  /// θ += c_i.
  virtual void add_cost(std::size_t i, std::span<double> theta) const = 0;
  /// A_i A_iᵀ v. `buffer` has the size of the parameters and is all 0, before and after.
  virtual void gram(std::size_t i, std::span<const double> v, std::span<double> buffer,
                    std::span<double> out) const = 0;
};

/// The sentences of a tagger whose Ω has this form.
std::shared_ptr<const StructuredExamples> structured_examples(const ChainProblem& problem);

}  // namespace fenchel
