// SPDX-License-Identifier: Apache-2.0
// From a name that people use to a loss, Ω and a cost: the same name means what it should for the task.
// `hinge` is argmax with the 0/1 cost for classes, its sum over labels for sets, and MAP with the Hamming
// cost for orders.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/task.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel {

/// A loss over some number of outputs.
struct LossChoice {
  FenchelYoungLoss loss;            ///< its cost is for training only
  std::string text = {};            ///< what was asked for: resolve_loss(text, …) gives it again
  std::string description = {};     ///< in words
  std::vector<double> worths = {};  ///< ranking and label-ranking: what places are worth, best first
};

/// Makes the loss for a ranking of `size` places, or for a sentence of `size` tokens. It may be a function of
/// your own.
using LossOfSize = std::function<LossChoice(std::size_t size)>;

/// The loss that `text` means. It is the text of an Ω (regularizers/spec.hpp) or one of loss_names(). For
/// ranking and label-ranking it may also say what places are worth: "sparsemap:w=partial,k=3", where w is
/// top1, k-subsets, full, partial (all sum to 1, paper §7.3) or ranking (d, …, 1), and k is at most the
/// number of places; half of them, but no more than 10, if not given. Throws std::invalid_argument if the
/// name is unknown or does not fit the task. Losses of chains of tags depend on more: see TaggingLoss. The
/// structured task takes an Ω with a `polytope`, or hinge, crf and the like with one. "+margin" behind a name
/// adds the cost of what is wrong in training, as in "sparsemax+margin" or "tsallis+margin:alpha=1.5": 0/1
/// for classes, 1 for each wrong label of a set or of a sentence, the Hamming cost for structures.
LossChoice resolve_loss(std::string_view text, Task task, std::size_t outputs);

/// The loss that `text` means where no task is known: that of an Ω as it stands, and a name of a loss as for
/// structures if it has a `polytope`, else as for classes. `text` of the result says it in one spelling.
/// Throws std::invalid_argument as above; a name that needs more says what it means, and for which task.
LossChoice resolve_loss(std::string_view text);

/// The loss over orders of the documents of a query, by their number.
LossOfSize ranking_loss(std::string_view text);

/// The loss over sequences of tags, by the number of tokens: crf, sparsemap, hinge (every wrong label costs
/// `cost`), perceptron, or any Ω over structures, such as "structured_sparsemax:k=50" or "entropic".
struct TaggingLoss {
  std::size_t labels = 0;
  bool boundary = false;  ///< scores of the first and the last label of their own
  double cost = 1;

  LossOfSize operator()(std::string_view text) const;
};

/// The number of entries of the structures that a loss of the structured task is over.
std::size_t structure_size(std::string_view text);

/// logistic, sparsemap for orders and structures, squared for numbers.
std::string_view default_loss(Task task);

/// A name of a loss that is not the name of an Ω: what it means depends on the targets.
struct LossName {
  std::string_view name;
  std::string_view meaning;                    ///< in words
  std::vector<std::string_view> aliases = {};  ///< other names of the same loss
  std::string_view omega = {};                 ///< for classes, and for each label of sets; empty: none
  std::string_view structured_omega = {};      ///< over structures; empty: none
  std::string_view one_vs_all = {};            ///< what it is of each class against the others; empty: none
  bool has_cost = false;                       ///< it adds a cost of its own to the scores in training
  double cost_scale = 1;                       ///< what a wrong class or label costs
};

/// All of them.
const std::vector<LossName>& loss_names();

/// The one that a text names, with parameters or without: "svm", "crammer-singer", {"name": "hinge"}. Null
/// where it names something else.
const LossName* named_loss(std::string_view text);

/// Whether the loss adds a cost to the scores in training: by its name, or by "+margin".
bool loss_has_cost(std::string_view text);

/// The text of a loss over structures of a set: "sparsemap" and "birkhoff:n=3" make one.
/// Throws std::invalid_argument if the text names a set already.
std::string over_polytope(std::string_view text, std::string_view polytope);

}  // namespace fenchel
