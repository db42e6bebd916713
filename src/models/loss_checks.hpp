// SPDX-License-Identifier: Apache-2.0
// What models and trainers may take for granted about a loss by size, which may be of somebody's own.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/polytopes/chain.hpp"

namespace fenchel {

/// Throws unless the loss of an example of `size` tokens or documents takes `dimension` scores.
inline void check_loss_of_size(const FenchelYoungLoss& loss, std::string_view what, std::size_t size,
                               std::size_t dimension) {
  const auto own = loss.omega().dimension();
  if (!own || *own == dimension) return;
  throw std::invalid_argument(
      fmt::format("the loss for {} {} takes {} scores; expected {}", size, what, *own, dimension));
}

/// Whether Ω is that of the conditional random field over all sequences of labels, whose marginals kernels
/// compute. A set of somebody's own, with constraints for example, is another.
inline bool is_random_field(const AnyRegularizer& omega) {
  const AnyPolytope* polytope = omega.polytope();
  return omega.gibbs() && polytope && polytope->get_if<Chain>();
}

}  // namespace fenchel
