// SPDX-License-Identifier: Apache-2.0
// dom(Ω): where predictions live, and with it which scores and targets are legal (paper §2.1).
#pragma once

#include <string_view>

namespace fenchel {

/// The domain of a regularizer.
enum class Domain {
  reals,     ///< R^d
  simplex,   ///< the probability simplex
  cube,      ///< [0, 1]^d
  cone,      ///< the non-negative orthant R^d_+
  polytope,  ///< conv(Y) of a set of structures
};

/// The domain in words, as in the table that `fenchel losses` prints.
constexpr std::string_view to_string(Domain domain) {
  switch (domain) {
    case Domain::reals:
      return "R^d";
    case Domain::simplex:
      return "simplex";
    case Domain::cube:
      return "cube";
    case Domain::cone:
      return "cone";
    case Domain::polytope:
      return "conv(Y)";
  }
  return "unknown";
}

/// Whether a score of −inf is allowed there: it masks an output, whose prediction is then exactly 0.
constexpr bool allows_masks(Domain domain) {
  return domain == Domain::simplex || domain == Domain::cube || domain == Domain::polytope;
}

}  // namespace fenchel
