// SPDX-License-Identifier: Apache-2.0
// fenchel losses: the table of every Ω, or one of them explained.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "commands/commands.hpp"
#include "fenchel/losses/explain.hpp"
#include "fenchel/models/explain_loss.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

constexpr std::size_t table_classes = 3;  // margins of some Ω depend on the number of classes

void print_json() {
  for (const RegularizerEntry& entry : regularizer_list()) {
    const AnyRegularizer omega = default_of(entry);
    const Traits traits = omega.refined_traits();
    nlohmann::ordered_json row{{"name", entry.name},
                               {"domain", to_string(traits.domain)},
                               {"formula", traits.formula},
                               {"loss", traits.loss},
                               {"prediction", traits.prediction},
                               {"sparse", traits.sparse},
                               {"smooth", traits.strongly_convex},
                               {"convex", traits.convex},
                               {"prox", traits.convex},
                               {"paper", traits.paper}};
    const auto margin = omega.margin(table_classes);
    row["margin"] = margin ? nlohmann::ordered_json(*margin) : nlohmann::ordered_json(nullptr);
    row["parameters"] = nlohmann::ordered_json::object();
    for (const auto& parameter : entry.parameters) {
      row["parameters"][std::string(parameter.name)] = parameter.meaning;
    }
    fmt::print("{}\n", json_text(row));
  }
}

}  // namespace

void add_losses(Command& program) {
  Command command = program.subcommand("losses", "List every Omega and its loss, or explain one");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command.option(
      "omega", *name,
      "name:key=value,... or a JSON object, or a name such as hinge; without it, the table of all");
  command.flag("--json", *json, "print the table as JSON lines");
  command.footer("Examples:\n  fenchel losses\n  fenchel losses tsallis:alpha=1.5\n  fenchel losses hinge");
  command.action([name, json] {
    if (!name->empty()) {
      fmt::print("{}", explain_loss(*name));
    } else if (*json) {
      print_json();
    } else {
      fmt::print(
          "{}'fenchel losses NAME' explains one, for example 'fenchel losses tsallis:alpha=1.5'. Sets of "
          "structures for\nconv(Y): 'fenchel polytopes'.\n",
          table_of_losses());
    }
    return 0;
  });
}

}  // namespace fenchel::cli
