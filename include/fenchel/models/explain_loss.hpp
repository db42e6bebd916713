// SPDX-License-Identifier: Apache-2.0
// A text for people about a loss by any of its names: what the name means for each kind of target, and its Ω.
#pragma once

#include <string>
#include <string_view>

namespace fenchel {

/// What a loss is for which targets, and then its Ω as explain_regularizer has it; that alone where the text
/// names an Ω. Throws std::invalid_argument for a name that is not known.
std::string explain_loss(std::string_view text);

/// The table of every Ω, and the names of losses below it.
std::string table_of_losses();

}  // namespace fenchel
