// SPDX-License-Identifier: Apache-2.0
// fenchel losses: the table of every Ω, or one of them explained.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "fenchel/losses/explain.hpp"
#include "fenchel/models/explain_loss.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "support/completed_words.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t table_classes = 3;  // margins of some Ω depend on the number of classes

OrderedJson known_number(std::optional<double> value) {
  return value ? json_number(*value) : OrderedJson(nullptr);
}

// What the table has of an Ω.
OrderedJson table_row(std::string_view name, const AnyRegularizer& omega) {
  const Traits traits = omega.refined_traits();
  OrderedJson row{{"name", name},
                  {"domain", to_string(traits.domain)},
                  {"formula", traits.formula},
                  {"loss", traits.loss},
                  {"prediction", traits.prediction},
                  {"sparse", traits.sparse},
                  {"smooth", traits.strongly_convex},
                  {"convex", traits.convex},
                  {"prox", traits.convex},
                  {"paper", traits.paper},
                  {"margin", known_number(omega.margin(table_classes))},
                  {"parameters", OrderedJson::object()}};
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name != name) continue;
    for (const auto& parameter : entry.parameters) {
      row["parameters"][std::string(parameter.name)] = parameter.meaning;
    }
  }
  return row;
}

// And what is known beside of one.
OrderedJson page_of(const AnyRegularizer& omega) {
  const Spec spec = omega.spec();
  const Traits traits = omega.refined_traits();
  OrderedJson page{{"omega", spec_json(spec)}};
  page.update(table_row(spec.name, omega));
  const std::size_t classes = omega.dimension().value_or(table_classes);
  page["margin"] = known_number(omega.margin(classes));
  page["margin_classes"] = classes;
  page["strictly_convex"] = traits.strictly_convex;
  page["strong_convexity"] = known_number(omega.strong_convexity());
  page["smoothness"] = known_number(omega.smoothness());
  page["separable"] = traits.separable;
  page["symmetric"] = traits.symmetric;
  page["legendre"] = traits.legendre;
  return page;
}

// The same for a name of a loss, after what the name means.
OrderedJson page_called(const std::string& text) {
  const LossName* named = named_loss(text);
  if (!named && !loss_has_cost(text)) return page_of(regularizer_called(text));
  OrderedJson page;
  if (named) page = {{"named", named->name}, {"meaning", named->meaning}, {"aliases", named->aliases}};
  const bool structures_alone = named && named->omega.empty() && named->one_vs_all.empty();
  if (structures_alone && !parse_spec(text).find("polytope")) {
    page.update(page_of(regularizer_called(named->structured_omega)));
    return page;
  }
  const LossChoice choice = resolve_loss(text);
  page["description"] = choice.description;
  page["has_cost"] = !choice.loss.cost().empty();
  page.update(page_of(choice.loss.omega()));
  return page;
}

void print_json(const std::string& name) {
  if (!name.empty()) return fmt::print("{}\n", json_text(page_called(name)));
  for (const RegularizerEntry& entry : regularizer_list()) {
    fmt::print("{}\n", json_text(table_row(entry.name, default_of(entry))));
  }
}

}  // namespace

void add_losses(Command& program) {
  Command command = program.subcommand("losses", "List every Omega and its loss, or explain one");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command.option("omega", *name,
                 "name:key=value,... or a JSON object, or a name such as hinge; without it, the table of all",
                 {.common = words_of_losses()});
  command.flag("--json", *json, "JSON lines, one for each Omega; of one that is named, one object");
  command.footer("Examples:\n  fenchel losses\n  fenchel losses tsallis:alpha=1.5\n  fenchel losses hinge");
  command.action([name, json] {
    if (*json) {
      print_json(*name);
    } else if (!name->empty()) {
      fmt::print("{}", explain_loss(*name));
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
