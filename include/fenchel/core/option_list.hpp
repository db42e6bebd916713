// SPDX-License-Identifier: Apache-2.0
// The members of an aggregate of options as a list, for code that treats them all alike. A list that lacks a
// member does not compile.
#pragma once

#include <string_view>
#include <tuple>
#include <utility>

namespace fenchel {

/// One member by its name.
template <class Options, class T>
struct OptionMember {
  std::string_view name;
  T Options::*member;
  bool shapes_steps = true;  ///< whether a step depends on it; false: it says when to stop, or how fast to go
};
template <class Options, class T>
OptionMember(const char*, T Options::*) -> OptionMember<Options, T>;
template <class Options, class T>
OptionMember(const char*, T Options::*, bool) -> OptionMember<Options, T>;

/// Whether the list has every member of the aggregate, in its order: one initialiser for each must be
/// allowed, and one more must not.
template <class Options, class... T>
consteval bool lists_every_member(const std::tuple<OptionMember<Options, T>...>& /*list*/) {
  constexpr bool fits = requires { Options{std::declval<T>()...}; };
  constexpr bool lacks_one = requires { Options{std::declval<T>()..., {}}; };
  return fits && !lacks_one;
}

/// Calls f(name, value) for every member that a step depends on.
template <class Options, class F, class... T>
void for_each_shaping_option(const Options& options, const std::tuple<OptionMember<Options, T>...>& list,
                             const F& f) {
  const auto visit = [&](const auto& entry) {
    if (entry.shapes_steps) f(entry.name, options.*entry.member);
  };
  std::apply([&](const auto&... entries) { (visit(entries), ...); }, list);
}

}  // namespace fenchel
