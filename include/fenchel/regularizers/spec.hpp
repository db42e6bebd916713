// SPDX-License-Identifier: Apache-2.0
// Regularizers by name (core/spec.hpp has the notation). Any Ω may carry `temperature` (t·Ω), `constant`
// (Ω + c) and `cost` (Ω − ⟨c, ·⟩).
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "fenchel/core/spec.hpp"

namespace fenchel {

class AnyRegularizer;
/// The regularizer that a spec (or its text) describes. Unknown names and parameters suggest the nearest
/// known one; values are checked.
AnyRegularizer make_regularizer(const Spec& spec);
AnyRegularizer make_regularizer(std::string_view text);

/// An Ω of the list, for tables and for tests that iterate over all of them.
struct RegularizerEntry {
  std::string_view name;
  std::string_view class_name;  ///< of C++ and of Python
  std::vector<ParameterEntry> parameters;
  std::vector<AnyRegularizer> examples;  ///< instances that cover its special cases
};

/// Every Ω of regularizers/all.hpp, in its order.
const std::vector<RegularizerEntry>& regularizer_list();

/// Other names in use: alias, and the spec it stands for.
const std::vector<std::pair<std::string_view, std::string_view>>& regularizer_aliases();

}  // namespace fenchel
