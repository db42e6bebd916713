// SPDX-License-Identifier: Apache-2.0
// From a name that people use to Ω and a cost: the same name means what it should for the task. `hinge` is
// argmax with the 0/1 cost for classes, its sum over labels for sets, and MAP with the Hamming cost for
// orders.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fenchel/core/task.hpp"
#include "fenchel/losses/cost.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// Ω and the cost of a loss over so many outputs.
struct LossChoice {
  AnyRegularizer omega;
  Cost cost = {};                   ///< for training only
  std::string text;                 ///< what was asked for: resolve_loss(text, …) gives it again
  std::string description;          ///< in words
  std::vector<double> worths = {};  ///< ranking and label-ranking: what places are worth, best first
};

/// The loss that `text` means. It is the text of an Ω (regularizers/spec.hpp) or one of loss_names(). For
/// ranking and label-ranking it may also say what places are worth: "sparsemap:w=partial,k=3", where w is
/// top1, k-subsets, full, partial (all sum to 1, paper §7.3) or ranking (d, …, 1), and k is at most the
/// number of places; half of them, but no more than 10, if not given. Throws std::invalid_argument if the
/// name is unknown or does not fit the task. Losses of chains of tags are the tagger's.
LossChoice resolve_loss(std::string_view text, Task task, std::size_t outputs);

/// logistic, sparsemap for orders, squared for numbers.
std::string_view default_loss(Task task);

/// Names of losses beside those of Ω, and what they mean.
const std::vector<std::pair<std::string_view, std::string_view>>& loss_names();

}  // namespace fenchel
