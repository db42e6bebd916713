// SPDX-License-Identifier: Apache-2.0
// Texts for people about regularizers and their losses: a page about one, and the table of all. The tool
// prints them, Python returns them.
#pragma once

#include <string>
#include <string_view>

#include "fenchel/regularizers/any.hpp"

namespace fenchel {

/// Ω as the name alone stands for it; the first example of one that needs parameters, such as a set.
AnyRegularizer default_of(const RegularizerEntry& entry);
/// The Ω of a text such as "tsallis:alpha=1.5"; of an Ω over structures the name alone is enough.
AnyRegularizer regularizer_called(std::string_view text);

/// The formula, parameters, properties, margin, place in the paper and a small example of one Ω.
std::string explain(const AnyRegularizer& omega);
/// The same for a text, as regularizer_called() reads it.
std::string explain_regularizer(std::string_view text);

/// A table, one row per Ω: domain, sparse, smooth, margin, prox, and the name of its loss.
std::string table_of_regularizers();

}  // namespace fenchel
