// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/explain_loss.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fenchel/losses/explain.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel {
namespace {

bool has_polytope(std::string_view text) { return parse_spec(text).find("polytope") != nullptr; }

std::string headline(const LossName& named) {
  std::string page = fmt::format("{}: {}\n\n", named.name, named.meaning);
  if (!named.aliases.empty()) page += fmt::format("  also called   {}\n", fmt::join(named.aliases, ", "));
  const std::string_view classes = named.omega.empty() ? named.one_vs_all : named.omega;
  if (!classes.empty()) {
    page += fmt::format("  for classes   {}\n", resolve_loss(named.name).description);
  }
  if (!named.structured_omega.empty()) {
    page += fmt::format("  structures    {} over a set{}; name it, such as {}:polytope=arborescence:n=3\n",
                        named.structured_omega, named.has_cost ? ", with the Hamming cost in training" : "",
                        named.name);
  }
  return page;
}

}  // namespace

std::string explain_loss(std::string_view text) {
  const LossName* named = named_loss(text);
  if (!named && !loss_has_cost(text)) {
    for (const RegularizerEntry& entry : regularizer_list()) {
      if (entry.name == text) return explain_regularizer(text);  // of structures too, which need a set
    }
    return explain(resolve_loss(text).loss.omega());
  }
  std::string page = named ? headline(*named) + "\n" : std::string();
  if (named && named->omega.empty() && named->one_vs_all.empty() && !has_polytope(text)) {
    return page + explain_regularizer(named->structured_omega);
  }
  const LossChoice choice = resolve_loss(text);
  if (!named) page += fmt::format("{}: {}\n\n", choice.text, choice.description);
  if (!choice.loss.cost().empty()) page += "Omega, without the cost:\n\n";
  return page + explain(choice.loss.omega());
}

std::string table_of_losses() {
  std::string names;
  for (const LossName& named : loss_names()) {
    names += fmt::format("{}{}", names.empty() ? "" : "; ", named.name);
    if (!named.aliases.empty()) names += fmt::format(" ({})", fmt::join(named.aliases, ", "));
  }
  return fmt::format("{}Losses by name: {}. NAME+margin adds the cost of what is wrong.\n",
                     table_of_regularizers(), names);
}

}  // namespace fenchel
