// SPDX-License-Identifier: Apache-2.0
// Ω as text: the one place where names and parameters of regularizers are parsed and written. Two notations
// mean the same: `tsallis:alpha=1.5`, and the JSON object {"name": "tsallis", "alpha": 1.5} where
// parameters nest or are lists. Any Ω may carry `temperature` (t·Ω), `constant` (Ω + c) and `cost`
// (Ω − ⟨c, ·⟩).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fenchel {

class AnyRegularizer;
struct Spec;

/// A parameter as written: a number (±inf included), a list, a matrix, or a nested Ω.
using SpecValue =
    std::variant<double, std::vector<double>, std::vector<std::vector<double>>, std::shared_ptr<const Spec>>;

/// A name and its parameters, in order.
struct Spec {
  std::string name;
  std::vector<std::pair<std::string, SpecValue>> parameters;

  /// The parameter called `key`, or nullptr.
  const SpecValue* find(std::string_view key) const;
};

/// Reads either notation. Throws std::invalid_argument saying what is wrong and where.
Spec parse_spec(std::string_view text);

/// The JSON notation; parse_spec(to_json(spec)) gives the same spec back.
std::string to_json(const Spec& spec);

/// The regularizer that a spec (or its text) describes. Unknown names and parameters suggest the nearest
/// known one; values are checked.
AnyRegularizer make_regularizer(const Spec& spec);
AnyRegularizer make_regularizer(std::string_view text);

/// An Ω of the list, for tables and for tests that iterate over all of them.
struct RegularizerEntry {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  ///< name, meaning and range
  std::vector<AnyRegularizer> examples;  ///< instances that cover its special cases
};

/// Every Ω of regularizers/all.hpp, in its order.
const std::vector<RegularizerEntry>& regularizer_list();

/// Other names people use: alias, and the spec it stands for.
const std::vector<std::pair<std::string_view, std::string_view>>& regularizer_aliases();

}  // namespace fenchel
