// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/spec.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/polytopes/all.hpp"

namespace fenchel {
namespace {

template <class P>
AnyPolytope build(const Spec& spec) {
  P set;
  for (const auto& given : spec.parameters) {
    const std::string& key = given.first;
    const SpecValue& value = given.second;
    const auto set_member = [&](auto& member) { spec::assign(key, value, member); };
    if (spec::set_parameter(set, key, set_member)) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, meaning] : spec::parameter_names<P>()) names.push_back(name);
    spec::reject_key(spec.name, key, names);
  }
  return set;
}

template <class... Types>
std::vector<PolytopeEntry> entries(TypeList<Types...>) {
  auto entry = []<class P>(std::type_identity<P>) {
    const auto examples = P::examples();
    return PolytopeEntry{P::traits, spec::parameter_names<P>(), {examples.begin(), examples.end()}};
  };
  return {entry(std::type_identity<Types>())...};
}

template <class... Types>
std::optional<AnyPolytope> build_named(TypeList<Types...>, const Spec& spec) {
  std::optional<AnyPolytope> built;
  const auto build_if_named = [&]<class P>(std::type_identity<P>) {
    if (spec.name == P::traits.name) built = build<P>(spec);
  };
  (build_if_named(std::type_identity<Types>()), ...);
  return built;
}

}  // namespace

AnyPolytope make_polytope(const Spec& spec) {
  if (auto built = build_named(AllPolytopes(), spec)) return *built;
  std::vector<std::string_view> names;
  for (const auto& entry : polytope_list()) names.push_back(entry.traits.name);
  throw std::invalid_argument(
      fmt::format("unknown polytope '{}'{}", spec.name, spec::suggestion(spec.name, names)));
}

AnyPolytope make_polytope(std::string_view text) { return make_polytope(parse_spec(text, "polytope")); }

const std::vector<PolytopeEntry>& polytope_list() {
  static const std::vector<PolytopeEntry> list = entries(AllPolytopes());
  return list;
}

}  // namespace fenchel
