// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/spec.hpp"

#include <fmt/core.h>

#include <optional>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/polytopes/all.hpp"

namespace fenchel {
namespace {

template <class... Types>
std::vector<PolytopeEntry> entries_of(TypeList<Types...>) {
  auto entry = []<class P>(std::type_identity<P>) {
    const auto examples = P::examples();
    return PolytopeEntry{
        P::traits, spec::class_name<P>(), spec::parameter_entries<P>(), {examples.begin(), examples.end()}};
  };
  return {entry(std::type_identity<Types>())...};
}

}  // namespace

AnyPolytope make_polytope(const Spec& spec) {
  std::optional<AnyPolytope> built;
  spec::visit_named(AllPolytopes(), spec.name,
                    [&]<class P>(std::type_identity<P>) { built = spec::read<P>(spec); });
  if (built) return *built;
  std::vector<std::string_view> names;
  for (const auto& entry : polytope_list()) names.push_back(entry.traits.name);
  throw std::invalid_argument(
      fmt::format("unknown polytope '{}'{}", spec.name, spec::suggestion(spec.name, names)));
}

AnyPolytope make_polytope(std::string_view text) { return make_polytope(parse_spec(text, "polytope")); }

const std::vector<PolytopeEntry>& polytope_list() {
  static const std::vector<PolytopeEntry> list = entries_of(AllPolytopes());
  return list;
}

}  // namespace fenchel
