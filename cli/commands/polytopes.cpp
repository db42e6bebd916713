// SPDX-License-Identifier: Apache-2.0
// fenchel polytopes: the table of the sets of structures and what each can do, or an explanation of one.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "commands/commands.hpp"
#include "fenchel/polytopes/spec.hpp"

namespace fenchel::cli {
namespace {

std::string yes_no(bool value) { return value ? "yes" : "–"; }

// How a projection is computed.
std::string projection(const AnyPolytope& set) {
  return set.offers(Oracle::project) ? "direct" : "active set";
}

void print_table() {
  constexpr auto row = "{:<16} {:<10} {:<11} {:<10} {:<7} {:<7} {}\n";
  fmt::print(row, "polytope", "marginals", "projection", "KL", "k_best", "sample", "structures");
  for (const PolytopeEntry& entry : polytope_list()) {
    const AnyPolytope& set = entry.examples.front();
    fmt::print(row, entry.traits.name, yes_no(set.offers(Oracle::marginals)), projection(set),
               set.offers(Oracle::project_kl) ? "direct" : "iterative", yes_no(set.offers(Oracle::k_best)),
               yes_no(set.offers(Oracle::sample)), entry.traits.vertices);
  }
  fmt::print("\n'fenchel polytopes NAME' explains one, for example 'fenchel polytopes sequence'.\n");
}

void explain(const PolytopeEntry& entry) {
  const AnyPolytope& set = entry.examples.back();
  fmt::print("{}\n\n", to_json(set.spec()));
  fmt::print("  structures    {}\n", entry.traits.vertices);
  fmt::print("  layout        {}\n", entry.traits.layout);
  fmt::print("  paper         {}\n", entry.traits.paper);
  for (const auto& [name, meaning] : entry.parameters) fmt::print("  parameter     {}: {}\n", name, meaning);
  fmt::print("\n  binary {}, of one norm {}, a score of -inf forbids {}\n", yes_no(entry.traits.binary),
             yes_no(entry.traits.sphere), yes_no(entry.traits.masks));
  fmt::print("  marginals     {}\n",
             set.offers(Oracle::marginals) ? "yes" : fmt::format("none: {}", entry.traits.no_marginals));
  fmt::print("  projection    {}\n", projection(set));
  fmt::print("\nIn an omega: {{\"name\": \"sparsemap\", \"polytope\": {}}}\n", to_json(set.spec()));
}

void explain(const std::string& name) {
  const std::string wanted = parse_spec(name, "polytope").name;
  for (const PolytopeEntry& entry : polytope_list()) {
    if (entry.traits.name == wanted) return explain(entry);
  }
  make_polytope(name);  // throws, suggesting the nearest name
}

}  // namespace

void add_polytopes(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("polytopes", "List the sets of structures and their oracles");
  auto name = std::make_shared<std::string>();
  command->add_option("polytope", *name, "the name of one to explain; without it, the table of all");
  command->footer("Examples:\n  fenchel polytopes\n  fenchel polytopes arborescence");
  command->callback([&status, name] {
    if (name->empty()) {
      print_table();
    } else {
      explain(*name);
    }
    status = 0;
  });
}

}  // namespace fenchel::cli
