// SPDX-License-Identifier: Apache-2.0
// Reads the parameters of a regularizer or of a polytope from a spec: one overload of `assign` for each type
// of member, and the loop over the type's parameters().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fenchel/core/spec.hpp"

namespace fenchel {

namespace spec {

// "; did you mean 'tsallis'?", or nothing where no known name is near.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> known);

[[noreturn]] void reject_value(std::string_view key, const SpecValue& value, std::string_view expected);
[[noreturn]] void reject_key(std::string_view owner, std::string_view key,
                             std::span<const std::string_view> known);

void assign(std::string_view key, const SpecValue& value, double& member);
void assign(std::string_view key, const SpecValue& value, std::size_t& member);
void assign(std::string_view key, const SpecValue& value, bool& member);
void assign(std::string_view key, const SpecValue& value, std::string& member);
void assign(std::string_view key, const SpecValue& value, std::vector<double>& member);
void assign(std::string_view key, const SpecValue& value, std::vector<std::vector<double>>& member);

// The names of a type's parameters with their meanings.
template <class T>
std::vector<std::pair<std::string_view, std::string_view>> parameter_names() {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  if constexpr (requires { T::parameters(); }) {
    std::apply(
        [&](const auto&... parameter) { (names.emplace_back(parameter.name, parameter.meaning), ...); },
        T::parameters());
  }
  return names;
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

}  // namespace spec
}  // namespace fenchel
