// SPDX-License-Identifier: Apache-2.0
// Reads a regularizer, a polytope or a solver from a spec: one overload of `assign` for each type of member,
// and the loop over the type's parameters().
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "fenchel/core/spec.hpp"

namespace fenchel {

namespace spec {

// "; did you mean 'tsallis'?", or nothing where no known name is near.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> known);

[[noreturn]] void reject_value(std::string_view key, const SpecValue& value, std::string_view expected);
[[noreturn]] void reject_key(std::string_view owner, std::string_view key,
                             std::span<const std::string_view> known);
[[noreturn]] void reject_missing(std::string_view owner, std::string_view key, std::string_view meaning);

void assign(std::string_view key, const SpecValue& value, double& member);
void assign(std::string_view key, const SpecValue& value, std::size_t& member);
void assign(std::string_view key, const SpecValue& value, bool& member);
void assign(std::string_view key, const SpecValue& value, std::string& member);
void assign(std::string_view key, const SpecValue& value, std::vector<double>& member);
void assign(std::string_view key, const SpecValue& value, std::vector<std::vector<double>>& member);

// How ParameterEntry calls the type of a member; what nests is named where it is known.
template <class Value>
inline constexpr std::string_view parameter_type{};
template <>
inline constexpr std::string_view parameter_type<double> = "number";
template <>
inline constexpr std::string_view parameter_type<std::size_t> = "size";
template <>
inline constexpr std::string_view parameter_type<bool> = "truth";
template <>
inline constexpr std::string_view parameter_type<std::string> = "word";
template <>
inline constexpr std::string_view parameter_type<std::vector<double>> = "list";
template <>
inline constexpr std::string_view parameter_type<std::vector<std::vector<double>>> = "matrix";

// The names of the parameters of a type.
template <class T>
std::vector<std::string_view> parameter_names() {
  if constexpr (requires { T::parameters(); }) {
    return std::apply(
        [](const auto&... parameter) { return std::vector<std::string_view>{parameter.name...}; },
        T::parameters());
  } else {
    return {};
  }
}

// Whether a spec has to give a parameter: those without a sensible default, and specs in specs.
template <class T, class Value>
constexpr bool is_required(const Parameter<T, Value>& parameter) {
  return parameter.required || requires(const Value& value) { value.spec(); };
}

// The parameters of a type, in order.
template <class T>
std::vector<ParameterEntry> parameter_entries() {
  std::vector<ParameterEntry> entries;
  if constexpr (requires { T::parameters(); }) {
    const T object{};
    const auto add = [&]<class Value>(const Parameter<T, Value>& parameter) {
      constexpr bool nested = requires(const Value& value) { value.spec(); };
      const auto standard = [&]() -> SpecValue {
        if constexpr (nested) return std::shared_ptr<const Spec>();
        return to_spec_value(object.*parameter.member);
      };
      entries.push_back(
          {parameter.name, parameter.meaning, parameter_type<Value>, is_required(parameter), standard()});
    };
    std::apply([&](const auto&... parameter) { (add(parameter), ...); }, T::parameters());
  }
  return entries;
}

// The name of a class as C++ has it, without its namespace.
template <class T>
std::string_view class_name() {
  std::string_view text =
      __PRETTY_FUNCTION__;  // "... [with T = fenchel::Tsallis; ...]", or "[T = fenchel::Tsallis]"
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

// Throws std::invalid_argument for the first parameter that has to be given and is not.
template <class T>
void check_given(const Spec& spec) {
  if constexpr (requires { T::parameters(); }) {
    const auto check = [&](const auto& parameter) {
      if (is_required(parameter) && !spec.find(parameter.name)) {
        reject_missing(spec.name, parameter.name, parameter.meaning);
      }
    };
    std::apply([&](const auto&... parameter) { (check(parameter), ...); }, T::parameters());
  }
}

// Sets one parameter of `object`; false if it has none of that name. `set(value, member)` assigns.
template <class T, class Set>
bool set_parameter(T& object, std::string_view key, const Set& set) {
  bool known = false;
  if constexpr (requires { T::parameters(); }) {
    std::apply(
        [&](const auto&... parameter) {
          ((parameter.name == key ? (set(object.*parameter.member), known = true) : false), ...);
        },
        T::parameters());
  }
  return known;
}

// An object with the parameters of a spec. `set(key, value, member)` assigns; keys among `others` are the
// caller's.
template <class T, class Set>
T read(const Spec& spec, const Set& set, std::span<const std::string_view> others) {
  T object;
  for (const auto& given : spec.parameters) {
    const std::string& key = given.first;
    const SpecValue& value = given.second;
    if (std::ranges::find(others, key) != others.end()) continue;
    if (set_parameter(object, key, [&](auto& member) { set(key, value, member); })) continue;
    std::vector<std::string_view> names(others.begin(), others.end());
    for (const std::string_view name : parameter_names<T>()) names.push_back(name);
    reject_key(spec.name, key, names);
  }
  check_given<T>(spec);
  return object;
}
template <class T>
T read(const Spec& spec) {
  return read<T>(
      spec, [](std::string_view key, const SpecValue& value, auto& member) { assign(key, value, member); },
      {});
}

// Calls use(std::type_identity<T>) for the type of the list with that name; false if there is none.
template <class... Types, class Use>
bool visit_named(TypeList<Types...>, std::string_view name, const Use& use) {
  return ((name == Types::traits.name ? (use(std::type_identity<Types>()), true) : false) || ...);
}

}  // namespace spec
}  // namespace fenchel
