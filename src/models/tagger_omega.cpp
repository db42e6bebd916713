// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/tagger_omega.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace fenchel {

std::string_view to_string(TaggerOmega omega) {
  switch (omega) {
    case TaggerOmega::crf:
      return "crf";
    case TaggerOmega::sparsemap:
      return "sparsemap";
    case TaggerOmega::hinge:
      return "hinge";
    case TaggerOmega::perceptron:
      return "perceptron";
  }
  return "unknown";
}

TaggerOmega tagger_omega(std::string_view name) {
  for (const TaggerOmega omega :
       {TaggerOmega::crf, TaggerOmega::sparsemap, TaggerOmega::hinge, TaggerOmega::perceptron}) {
    if (name == to_string(omega)) return omega;
  }
  throw std::invalid_argument(
      fmt::format("no omega of a tagger is called '{}'; expected crf, sparsemap, hinge or perceptron", name));
}

}  // namespace fenchel
