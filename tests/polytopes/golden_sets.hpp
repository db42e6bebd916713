// SPDX-License-Identifier: Apache-2.0
// The golden cases over one polytope, read once for the tests of single polytopes.
#pragma once

#include <string>
#include <vector>

#include "fenchel/polytopes/any.hpp"

namespace fenchel::test {

/// A case without a cost: op(θ) of an Ω over the set.
struct GoldenSet {
  std::string id;
  std::string op;
  std::string omega;
  AnyPolytope set;
  std::vector<double> theta;
  std::vector<double> expect;  ///< one number for conjugates
};

/// The predictions and conjugates over the polytope of this name.
std::vector<GoldenSet> golden_over(const std::string& polytope);

}  // namespace fenchel::test
