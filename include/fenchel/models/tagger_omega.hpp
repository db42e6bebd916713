// SPDX-License-Identifier: Apache-2.0
// The Ω that taggers choose from, over the chain polytope of a sentence (paper §7.3 "Sequences").
#pragma once

#include <string_view>

namespace fenchel {

/// Ω of a tagger.
enum class TaggerOmega {
  crf,         ///< −(largest entropy): conditional random field
  sparsemap,   ///< ½‖μ‖²: a mixture of few sequences
  hinge,       ///< 0 with the Hamming cost: structured hinge
  perceptron,  ///< 0: structured perceptron
};

/// "crf", "sparsemap", "hinge" or "perceptron".
std::string_view to_string(TaggerOmega omega);
/// The inverse; throws std::invalid_argument for other names.
TaggerOmega tagger_omega(std::string_view name);
/// Whether the loss has a continuous gradient.
constexpr bool smooth(TaggerOmega omega) {
  return omega == TaggerOmega::crf || omega == TaggerOmega::sparsemap;
}

}  // namespace fenchel
