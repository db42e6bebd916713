// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/explain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel {
namespace {

constexpr std::size_t table_classes = 3;  // margins of some Ω depend on the number of classes

std::string yes_no(bool value) { return value ? "yes" : "–"; }

std::string margin_text(const AnyRegularizer& omega, std::size_t d) {
  const auto margin = omega.margin(d);
  return margin ? fmt::format("{:.4g}", *margin) : "none";
}

std::string constant_text(std::optional<double> value) {
  return value ? fmt::format("{:.4g}", *value) : "not known";
}

std::string properties(const AnyRegularizer& omega) {
  const Traits traits = omega.refined_traits();
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "\n  convex {}, strictly {}, strongly {} (constant {})\n", yes_no(traits.convex),
                 yes_no(traits.strictly_convex), yes_no(traits.strongly_convex),
                 constant_text(omega.strong_convexity()));
  fmt::format_to(out, "  gradient of Omega Lipschitz: constant {}\n", constant_text(omega.smoothness()));
  fmt::format_to(out, "  sparse predictions {}, separable {}, symmetric {}, Legendre type {}\n",
                 yes_no(traits.sparse), yes_no(traits.separable), yes_no(traits.symmetric),
                 yes_no(traits.legendre));
  return text;
}

std::string small_example(const AnyRegularizer& omega) {
  const FenchelYoungLoss loss{omega};
  const std::vector<double> theta{1.2, 0.8, -0.3, -1.0};
  std::string entries;
  for (const double entry : loss.predict(theta)) {
    entries += fmt::format("{}{:.4f}", entries.empty() ? "" : ", ", entry);
  }
  return fmt::format(
      "\n  predict [1.2, 0.8, -0.3, -1.0] = [{}]\n"
      "  loss against class 0           = {:.6f}\n",
      entries, loss.value(std::span<const double>(theta), std::int64_t{0}));
}

}  // namespace

AnyRegularizer default_of(const RegularizerEntry& entry) {
  const bool complete = std::ranges::none_of(entry.parameters, &ParameterEntry::required);
  return complete ? make_regularizer(entry.name) : entry.examples.front();
}

AnyRegularizer regularizer_called(std::string_view text) {
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name == text) return default_of(entry);
  }
  return make_regularizer(text);
}

std::string explain(const AnyRegularizer& omega) {
  const Traits traits = omega.refined_traits();
  const Spec spec = omega.spec();
  std::string page = fmt::format("{}\n\n", to_json(spec));
  const auto out = std::back_inserter(page);
  fmt::format_to(out, "  Omega         {}   on {}\n", traits.formula, to_string(traits.domain));
  fmt::format_to(out, "  loss          {}\n", traits.loss);
  fmt::format_to(out, "  prediction    {}\n", traits.prediction);
  fmt::format_to(out, "  paper         {}\n", traits.paper);
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name != spec.name) continue;
    for (const ParameterEntry& parameter : entry.parameters) {
      fmt::format_to(out, "  parameter     {}: {}\n", parameter.name, parameter.meaning);
    }
  }
  page += properties(omega);
  const SpecValue* cost = spec.find("cost");
  const std::size_t fixed =
      omega.dimension().value_or(cost ? std::get<std::vector<double>>(*cost).size() : 0);
  const std::vector<std::size_t> sizes = fixed ? std::vector{fixed} : std::vector<std::size_t>{2, 3, 10};
  page += "  margin       ";
  for (const std::size_t d : sizes) fmt::format_to(out, " {} (d={})", margin_text(omega, d), d);
  page += "\n";
  if (fixed == 0) page += small_example(omega);
  return page;
}

std::string explain_regularizer(std::string_view text) { return explain(regularizer_called(text)); }

std::string table_of_regularizers() {
  constexpr auto row = "{:<24} {:<8} {:<7} {:<7} {:<8} {:<6} {}\n";
  std::string table = fmt::format(row, "omega", "domain", "sparse", "smooth", "margin*", "prox", "loss");
  for (const RegularizerEntry& entry : regularizer_list()) {
    const AnyRegularizer omega = default_of(entry);
    const Traits traits = omega.refined_traits();
    table += fmt::format(row, entry.name, to_string(traits.domain), yes_no(traits.sparse),
                         yes_no(traits.strongly_convex), margin_text(omega, table_classes),
                         yes_no(traits.convex), traits.loss);
  }
  table += fmt::format(
      "\n* with default parameters and {} classes, or over a small set. smooth: the loss has a Lipschitz "
      "gradient.\n",
      table_classes);
  table += "Also known as: ";
  std::string separator;
  for (const auto& [alias, meaning] : regularizer_aliases()) {
    table += fmt::format("{}{} = {}", separator, alias, meaning);
    separator = ", ";
  }
  return table + "\n";
}

}  // namespace fenchel
