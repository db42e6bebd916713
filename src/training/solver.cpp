// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/solver.hpp"

#include <fmt/format.h>

#include "core/spec_reader.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/training/all.hpp"

namespace fenchel {
namespace {

template <class... Types>
std::vector<SolverEntry> entries(TypeList<Types...>) {
  return {{Types::traits, spec::parameter_entries<Types>(), Types{}}...};
}

}  // namespace

AnySolver::AnySolver(std::string_view text) {
  const Spec spec = parse_spec(text, "solver");
  const bool found = spec::visit_named(AllSolvers(), spec.name,
                                       [&]<class S>(std::type_identity<S>) { *this = spec::read<S>(spec); });
  if (found || (spec.name == "auto" && spec.parameters.empty())) return;
  std::vector<std::string_view> names{"auto"};
  for (const SolverEntry& entry : solver_list()) names.push_back(entry.traits.name);
  throw OptionError(fmt::format("`solver` is '{}'; expected {}{}", spec.name, fmt::join(names, ", "),
                                spec::suggestion(spec.name, names)));
}

std::string AnySolver::text() const {
  if (automatic()) return "auto";
  std::string json = to_json(spec());
  for (const SolverEntry& entry : solver_list()) {
    if (entry.traits.name == name() && to_json(entry.solver.spec()) == json) return std::string(name());
  }
  return json;
}

const std::vector<SolverEntry>& solver_list() {
  static const std::vector<SolverEntry> list = entries(AllSolvers());
  return list;
}

}  // namespace fenchel
