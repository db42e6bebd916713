// SPDX-License-Identifier: Apache-2.0
#include "fenchel/polytopes/explain.hpp"

#include <fmt/core.h>

#include <iterator>

#include "fenchel/polytopes/spec.hpp"

namespace fenchel {
namespace {

std::string yes_no(bool value) { return value ? "yes" : "–"; }

// How a projection is computed.
std::string projection(const AnyPolytope& set) {
  return set.offers(Oracle::project) ? "direct" : "active set";
}

}  // namespace

AnyPolytope polytope_called(std::string_view text) {
  for (const PolytopeEntry& entry : polytope_list()) {
    if (entry.traits.name == text) return entry.examples.back();
  }
  return make_polytope(text);
}

std::string explain(const AnyPolytope& set) {
  const PolytopeTraits traits = set.traits();
  std::string page = fmt::format("{}\n\n", to_json(set.spec()));
  const auto out = std::back_inserter(page);
  fmt::format_to(out, "  structures    {}\n", traits.vertices);
  fmt::format_to(out, "  layout        {}\n", traits.layout);
  fmt::format_to(out, "  paper         {}\n", traits.paper);
  for (const PolytopeEntry& entry : polytope_list()) {
    if (entry.traits.name != traits.name) continue;
    for (const ParameterEntry& parameter : entry.parameters) {
      fmt::format_to(out, "  parameter     {}: {}\n", parameter.name, parameter.meaning);
    }
  }
  fmt::format_to(out, "\n  binary {}, of one norm {}, a score of -inf forbids {}\n", yes_no(traits.binary),
                 yes_no(traits.sphere), yes_no(traits.masks));
  fmt::format_to(out, "  marginals     {}\n",
                 set.offers(Oracle::marginals) ? "yes" : fmt::format("none: {}", traits.no_marginals));
  fmt::format_to(out, "  projection    {}\n", projection(set));
  fmt::format_to(out, "\nIn an omega: {{\"name\": \"sparsemap\", \"polytope\": {}}}\n", to_json(set.spec()));
  return page;
}

std::string explain_polytope(std::string_view text) { return explain(polytope_called(text)); }

std::string table_of_polytopes() {
  constexpr auto row = "{:<16} {:<10} {:<11} {:<10} {:<7} {:<7} {}\n";
  std::string table =
      fmt::format(row, "polytope", "marginals", "projection", "KL", "k_best", "sample", "structures");
  for (const PolytopeEntry& entry : polytope_list()) {
    const AnyPolytope& set = entry.examples.front();
    table += fmt::format(row, entry.traits.name, yes_no(set.offers(Oracle::marginals)), projection(set),
                         set.offers(Oracle::project_kl) ? "direct" : "iterative",
                         yes_no(set.offers(Oracle::k_best)), yes_no(set.offers(Oracle::sample)),
                         entry.traits.vertices);
  }
  return table;
}

}  // namespace fenchel
