// SPDX-License-Identifier: Apache-2.0
// What an objective F knows about its shape without being evaluated. Algorithms choose their variables by it.
#pragma once

#include <vector>

namespace fenchel {

/// One number for each row of parameters (the weights of a feature, or the intercept). Empty: nothing is
/// known.
struct Curvature {
  /// About the size of the second derivatives of F in that row; infinite where it is beyond the range of
  /// numbers, and slopes say nothing.
  std::vector<double> diagonal;
  std::vector<double> mean;  ///< of each feature, where a free intercept can make up for it; else empty
};

}  // namespace fenchel
