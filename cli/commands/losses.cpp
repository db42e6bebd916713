// SPDX-License-Identifier: Apache-2.0
// fenchel losses: the table of every Ω, or one of them explained.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel::cli {
namespace {

constexpr std::size_t table_classes = 3;  // margins of some Ω depend on the number of classes

std::string yes_no(bool value) { return value ? "yes" : "–"; }

std::string margin_text(const AnyRegularizer& omega, std::size_t d) {
  const auto margin = omega.margin(d);
  return margin ? fmt::format("{:.4g}", *margin) : "none";
}

// The Ω that the name alone stands for; over structures, which need a set, the first example.
AnyRegularizer default_of(const RegularizerEntry& entry) {
  const AnyRegularizer& example = entry.examples.front();
  return example.refined_traits().domain == Domain::polytope ? example : make_regularizer(entry.name);
}

void print_table() {
  fmt::print("{:<24} {:<8} {:<7} {:<7} {:<8} {:<6} {}\n", "omega", "domain", "sparse", "smooth", "margin*",
             "prox", "loss");
  for (const RegularizerEntry& entry : regularizer_list()) {
    const AnyRegularizer omega = default_of(entry);
    const Traits traits = omega.refined_traits();
    fmt::print("{:<24} {:<8} {:<7} {:<7} {:<8} {:<6} {}\n", entry.name, to_string(traits.domain),
               yes_no(traits.sparse), yes_no(traits.strongly_convex), margin_text(omega, table_classes),
               yes_no(traits.convex), traits.loss);
  }
  fmt::print(
      "\n* with default parameters and {} classes, or over a small set. smooth: the loss has a Lipschitz "
      "gradient.\n",
      table_classes);
  fmt::print("Also known as: ");
  std::string separator;
  for (const auto& [alias, meaning] : regularizer_aliases()) {
    fmt::print("{}{} = {}", separator, alias, meaning);
    separator = ", ";
  }
  fmt::print(
      "\n'fenchel losses NAME' explains one, for example 'fenchel losses tsallis:alpha=1.5'. Sets of "
      "structures for\n"
      "conv(Y): 'fenchel polytopes'.\n");
}

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
    for (const auto& [name, meaning] : entry.parameters) row["parameters"][std::string(name)] = meaning;
    fmt::print("{}\n", row.dump());
  }
}

std::string constant_text(std::optional<double> value) {
  return value ? fmt::format("{:.4g}", *value) : "not known";
}

void explain(const AnyRegularizer& omega) {
  const Traits traits = omega.refined_traits();
  const Spec spec = omega.spec();
  fmt::print("{}\n\n", to_json(spec));
  fmt::print("  Omega         {}   on {}\n", traits.formula, to_string(traits.domain));
  fmt::print("  loss          {}\n", traits.loss);
  fmt::print("  prediction    {}\n", traits.prediction);
  fmt::print("  paper         {}\n", traits.paper);
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name != spec.name) continue;
    for (const auto& [name, meaning] : entry.parameters)
      fmt::print("  parameter     {}: {}\n", name, meaning);
  }
  fmt::print("\n  convex {}, strictly {}, strongly {} (constant {})\n", yes_no(traits.convex),
             yes_no(traits.strictly_convex), yes_no(traits.strongly_convex),
             constant_text(omega.strong_convexity()));
  fmt::print("  gradient of Omega Lipschitz: constant {}\n", constant_text(omega.smoothness()));
  fmt::print("  sparse predictions {}, separable {}, symmetric {}, Legendre type {}\n", yes_no(traits.sparse),
             yes_no(traits.separable), yes_no(traits.symmetric), yes_no(traits.legendre));
  const SpecValue* cost = spec.find("cost");
  const std::size_t fixed =
      omega.dimension().value_or(cost ? std::get<std::vector<double>>(*cost).size() : 0);
  const std::vector<std::size_t> sizes = fixed ? std::vector{fixed} : std::vector<std::size_t>{2, 3, 10};
  fmt::print("  margin       ");
  for (const std::size_t d : sizes) fmt::print(" {} (d={})", margin_text(omega, d), d);
  fmt::print("\n");
  if (fixed == 0) {
    const FenchelYoungLoss loss{omega};
    const std::vector<double> theta{1.2, 0.8, -0.3, -1.0};
    std::vector<std::string> entries;
    for (const double entry : loss.predict(theta)) entries.push_back(fmt::format("{:.4f}", entry));
    fmt::print("\n  predict [1.2, 0.8, -0.3, -1.0] = [{}]\n", fmt::join(entries, ", "));
    fmt::print("  loss against class 0           = {:.6f}\n",
               loss.value(std::span<const double>(theta), std::int64_t{0}));
  }
}

// A name alone is enough to ask about an Ω over structures: its first example stands in.
void explain_named(const std::string& text) {
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name == text) return explain(default_of(entry));
  }
  explain(make_regularizer(text));
}

}  // namespace

void add_losses(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("losses", "List every Omega and its loss, or explain one");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("omega", *name, "name:key=value,... or a JSON object; without it, the table of all");
  command->add_flag("--json", *json, "print the table as JSON lines");
  command->footer("Examples:\n  fenchel losses\n  fenchel losses tsallis:alpha=1.5");
  command->callback([&status, name, json] {
    if (!name->empty()) {
      explain_named(*name);
    } else if (*json) {
      print_json();
    } else {
      print_table();
    }
    status = 0;
  });
}

}  // namespace fenchel::cli
