// SPDX-License-Identifier: Apache-2.0
// Regularizers and polytopes as text: the one place where names and parameters are parsed and written. Two
// notations mean the same: `tsallis:alpha=1.5`, and the JSON object {"name": "tsallis", "alpha": 1.5} where
// parameters nest or are lists.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fenchel {

struct Spec;

/// A parameter as written: a number (±inf included), a truth value, a word, a list, a matrix, or a nested
/// spec.
using SpecValue = std::variant<double, bool, std::string, std::vector<double>,
                               std::vector<std::vector<double>>, std::shared_ptr<const Spec>>;

/// A name and its parameters, in order.
struct Spec {
  std::string name;
  std::vector<std::pair<std::string, SpecValue>> parameters;

  /// The parameter called `key`, or nullptr.
  const SpecValue* find(std::string_view key) const;
};

/// A parameter that text can set: its name, the member, and what it means (with its range).
template <class Class, class Value>
struct Parameter {
  std::string_view name;
  Value Class::*member;
  std::string_view meaning;
};
template <class Class, class Value>
Parameter(std::string_view, Value Class::*, std::string_view) -> Parameter<Class, Value>;

/// Reads either notation; `what` is how messages call it. Throws std::invalid_argument saying what is wrong
/// and where.
Spec parse_spec(std::string_view text, std::string_view what = "omega");

/// Types as values: the lists of all regularizers and of all polytopes.
template <class... Types>
struct TypeList {};

/// The JSON notation; parse_spec(to_json(spec)) gives the same spec back.
std::string to_json(const Spec& spec);

}  // namespace fenchel
