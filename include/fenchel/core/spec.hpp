// SPDX-License-Identifier: Apache-2.0
// Regularizers and polytopes as text: the one place where names and parameters are parsed and written. Two
// notations mean the same: `tsallis:alpha=1.5`, and the JSON object {"name": "tsallis", "alpha": 1.5} where
// parameters nest or are lists.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
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
  bool required = false;  ///< whether there is no sensible default, such as for the size of a set
};
template <class Class, class Value>
Parameter(std::string_view, Value Class::*, std::string_view) -> Parameter<Class, Value>;
template <class Class, class Value>
Parameter(std::string_view, Value Class::*, std::string_view, bool) -> Parameter<Class, Value>;

/// A parameter's value as a spec has it.
template <class Value>
SpecValue to_spec_value(const Value& value) {
  if constexpr (requires { value.spec(); }) {
    return std::make_shared<const Spec>(value.spec());
  } else if constexpr (std::same_as<Value, std::size_t>) {
    return static_cast<double>(value);
  } else {
    return value;
  }
}

/// The spec of an object: its name, and the parameters that its type lists.
template <class T>
Spec spec_of(std::string_view name, const T& object) {
  Spec result{std::string(name), {}};
  if constexpr (requires { T::parameters(); }) {
    const auto add = [&](const auto& parameter) {
      result.parameters.emplace_back(parameter.name, to_spec_value(object.*parameter.member));
    };
    std::apply([&](const auto&... parameter) { (add(parameter), ...); }, T::parameters());
  }
  return result;
}

/// A parameter of any class, for tables and for bindings.
struct ParameterEntry {
  std::string_view name;
  std::string_view meaning;  ///< with its range
  std::string_view type;     ///< number, size, truth, word, list, matrix, omega or polytope
  bool required;
  SpecValue default_value;  ///< null for an omega or a polytope
};

/// Reads either notation; `what` is how messages call it. Throws std::invalid_argument saying what is wrong
/// and where.
Spec parse_spec(std::string_view text, std::string_view what = "omega");

/// Types as values: the lists of all regularizers and of all polytopes.
template <class... Types>
struct TypeList {};

/// The JSON notation; parse_spec(to_json(spec)) gives the same spec back.
std::string to_json(const Spec& spec);

}  // namespace fenchel
