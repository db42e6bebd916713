// SPDX-License-Identifier: Apache-2.0
// How large the terms of a sum over examples are. They may cancel: at an optimum without regularisation to
// speak of they sum to next to nothing, and rounding is as large as the terms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/training/examples.hpp"

namespace fenchel {

/// Σ_i factor() A_iᵀ g_i, where gradient(i, g) writes g_i.
template <class Gradient, class Factor>
std::vector<double> sum_of_terms(const Examples& examples, const Gradient& gradient, Factor&& factor) {
  Workspace& scratch = thread_workspace();
  std::vector<double> sum(examples.shape().size);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Workspace::Frame frame(scratch);
    const auto g = scratch.take<double>(examples.scores_size(i));
    gradient(i, g);
    examples.add(i, g, factor(), sum);
  }
  return sum;
}

/// About the largest entry of the A_iᵀ g_i, where gradient(i, g) writes g_i: that of a sum in which each
/// counts with a random factor of its own, so that only by chance do they cancel.
template <class Gradient>
double term_size(const Examples& examples, const Gradient& gradient) {
  Random random(1);
  return max_abs(sum_of_terms(examples, gradient, [&] { return 0.5 + random.uniform(); }));
}

/// The scale of what rounding does to W = −Σ_i A_iᵀ g_i / l2: that of the terms now, or of those with the
/// gradients at W = 0, which is about where training began.
template <class Gradient>
double rounding_scale(const Examples& examples, double l2, const Gradient& gradient) {
  const double first = term_size(examples, [&](std::size_t i, std::span<double> g) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto theta = scratch.take<double>(g.size());
    for (double& score : theta) score = 0;
    examples.loss(i, theta, g, scratch);
  });
  const double scale = std::max(first, term_size(examples, gradient)) / l2;
  return std::min(scale, std::numeric_limits<double>::max());
}

}  // namespace fenchel
