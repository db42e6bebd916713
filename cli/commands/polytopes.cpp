// SPDX-License-Identifier: Apache-2.0
// fenchel polytopes: the table of the sets of structures and what each can do, or an explanation of one.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "fenchel/polytopes/explain.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "support/completed_words.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

// What the table has of a set.
OrderedJson table_line(const AnyPolytope& set) {
  const PolytopeTraits traits = set.traits();
  OrderedJson line{{"name", traits.name},
                   {"structures", traits.vertices},
                   {"layout", traits.layout},
                   {"marginals", set.offers(Oracle::marginals)},
                   {"projection", set.offers(Oracle::project) ? "direct" : "active set"},
                   {"kl", set.offers(Oracle::project_kl) ? "direct" : "iterative"},
                   {"k_best", set.offers(Oracle::k_best)},
                   {"sample", set.offers(Oracle::sample)},
                   {"paper", traits.paper},
                   {"parameters", OrderedJson::object()}};
  for (const PolytopeEntry& entry : polytope_list()) {
    if (entry.traits.name != traits.name) continue;
    for (const ParameterEntry& parameter : entry.parameters) {
      line["parameters"][std::string(parameter.name)] = parameter.meaning;
    }
  }
  return line;
}

// And what is known beside of one.
OrderedJson description_of(const AnyPolytope& set) {
  const PolytopeTraits traits = set.traits();
  OrderedJson description{{"polytope", spec_json(set.spec())}};
  description.update(table_line(set));
  if (!set.offers(Oracle::marginals)) description["no_marginals"] = traits.no_marginals;
  description["binary"] = traits.binary;
  description["sphere"] = traits.sphere;
  description["masks"] = traits.masks;
  description["dimension"] = set.dimension();
  description["shape"] = set.shape();
  return description;
}

void print_polytopes_json(const std::string& name) {
  if (!name.empty()) return fmt::print("{}\n", json_text(description_of(polytope_called(name))));
  for (const PolytopeEntry& entry : polytope_list()) {
    fmt::print("{}\n", json_text(table_line(entry.examples.front())));
  }
}

}  // namespace

void add_polytopes(Command& program) {
  Command command = program.subcommand("polytopes", "List the sets of structures and their oracles");
  auto name = std::make_shared<std::string>();
  command.option("polytope", *name, "the name of one to explain; without it, the table of all",
                 {.common = words_of_polytopes()});
  auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "JSON lines, one for each set; of one that is named, one object");
  command.footer("Examples:\n  fenchel polytopes\n  fenchel polytopes arborescence");
  command.action([name, json] {
    if (*json) {
      print_polytopes_json(*name);
    } else if (name->empty()) {
      fmt::print("{}\n'fenchel polytopes NAME' explains one, for example 'fenchel polytopes sequence'.\n",
                 table_of_polytopes());
    } else {
      fmt::print("{}", explain_polytope(*name));
    }
    return 0;
  });
}

}  // namespace fenchel::cli
