// SPDX-License-Identifier: Apache-2.0
// The lists of C++ as Python reads them: every regularizer, polytope, named loss, metric and solver, with
// parameters and facts. What the package knows by name, and what scripts/generate writes, comes from here.
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "fenchel/losses/explain.hpp"
#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/training/solver.hpp"

namespace fenchel::python {
namespace {

nb::str text(std::string_view bytes) { return nb::str(bytes.data(), bytes.size()); }

// A default as Python writes it; what nests has none, and an empty list is None.
nb::object python_value(const ParameterEntry& parameter) {
  const SpecValue& value = parameter.default_value;
  if (const auto* number = std::get_if<double>(&value)) {
    return parameter.type == "size" ? nb::object(nb::int_(static_cast<std::size_t>(*number)))
                                    : nb::object(nb::float_(*number));
  }
  if (const auto* truth = std::get_if<bool>(&value)) return nb::bool_(*truth);
  if (const auto* word = std::get_if<std::string>(&value)) return text(*word);
  return nb::none();
}

// One dictionary for each of a list, filled by fill(listed, entry).
template <class List, class Fill>
nb::list entries_of(const List& list, const Fill& fill) {
  nb::list result;
  for (const auto& listed : list) {
    nb::dict entry;
    fill(listed, entry);
    result.append(entry);
  }
  return result;
}

nb::list parameters_of(const std::vector<ParameterEntry>& parameters) {
  return entries_of(parameters, [](const ParameterEntry& parameter, nb::dict& entry) {
    entry["name"] = text(parameter.name);
    entry["type"] = text(parameter.type);
    entry["required"] = parameter.required;
    entry["default"] = python_value(parameter);
    entry["meaning"] = text(parameter.meaning);
  });
}

nb::list regularizers() {
  return entries_of(regularizer_list(), [](const RegularizerEntry& listed, nb::dict& entry) {
    const Traits traits = default_of(listed).refined_traits();
    entry["name"] = text(listed.name);
    entry["class"] = text(listed.class_name);
    entry["parameters"] = parameters_of(listed.parameters);
    entry["domain"] = text(to_string(traits.domain));
    entry["formula"] = text(traits.formula);
    entry["loss"] = text(traits.loss);
    entry["prediction"] = text(traits.prediction);
    entry["paper"] = text(traits.paper);
  });
}

nb::list polytopes() {
  return entries_of(polytope_list(), [](const PolytopeEntry& listed, nb::dict& entry) {
    entry["name"] = text(listed.traits.name);
    entry["class"] = text(listed.class_name);
    entry["parameters"] = parameters_of(listed.parameters);
    entry["binary"] = listed.traits.binary;
    entry["axes"] = words(listed.traits.axes);
    entry["lengths"] = words(listed.traits.lengths);
    entry["short_axes"] = words(listed.traits.short_axes);
    entry["short_form"] = text(listed.traits.short_form);
    entry["structures"] = text(listed.traits.vertices);
    entry["layout"] = text(listed.traits.layout);
    entry["paper"] = text(listed.traits.paper);
  });
}

nb::list aliases() {
  nb::list result;
  for (const auto& [alias, meaning] : regularizer_aliases()) {
    result.append(nb::make_tuple(text(alias), text(meaning)));
  }
  return result;
}

nb::list losses() {
  return entries_of(loss_names(), [](const LossName& listed, nb::dict& entry) {
    nb::list aliases;
    for (const std::string_view alias : listed.aliases) aliases.append(text(alias));
    entry["name"] = text(listed.name);
    entry["aliases"] = aliases;
    entry["meaning"] = text(listed.meaning);
    entry["structured_omega"] = text(listed.structured_omega);
    entry["has_cost"] = listed.has_cost;
  });
}

nb::tuple resolved(const std::string& name, const std::string& task) {
  const LossChoice choice =
      task.empty() ? resolve_loss(name) : resolve_loss(name, parse_task(task), structure_size(name));
  const Cost& cost = choice.loss.cost();
  return nb::make_tuple(choice.loss.omega(), cost.empty() ? nb::object(nb::none()) : nb::cast(cost),
                        text(choice.text));
}

template <class Condition>
nb::list tasks_where(Condition condition) {
  nb::list result;
  for (const Task task : all_tasks) {
    if (condition(task)) result.append(text(to_string(task)));
  }
  return result;
}

nb::list metric_entries() {
  return entries_of(metrics::metric_list(), [](const metrics::MetricInfo& metric, nb::dict& entry) {
    entry["name"] = text(metric.name);
    entry["larger_is_better"] = metric.larger_is_better;
    entry["meaning"] = text(metric.meaning);
    entry["tasks"] = tasks_where([&](Task task) { return metric.tasks.contains(task); });
    entry["tuned_for"] = tasks_where([&](Task task) { return metrics::default_metric(task) == metric.name; });
  });
}

nb::list solvers() {
  return entries_of(solver_list(), [](const SolverEntry& listed, nb::dict& entry) {
    entry["name"] = text(listed.traits.name);
    entry["about"] = text(listed.traits.about);
    entry["dual"] = listed.traits.dual;
    entry["parameters"] = parameters_of(listed.parameters);
  });
}

}  // namespace

nb::tuple words(std::string_view list) {
  nb::list result;
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    result.append(text(list.substr(0, end)));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return nb::tuple(result);
}

void bind_lists(nb::module_& module) {
  module.def("regularizers", &regularizers);
  module.def("polytopes", &polytopes);
  module.def("aliases", &aliases);
  module.def("losses", &losses);
  module.def("resolve_loss", &resolved, nb::arg("text"), nb::arg("task") = "",
             "Ω, its cost (or None) and the text of what a name of an Ω or of a loss means; outputs as its Ω "
             "has them");
  module.def(
      "loss_has_cost", [](const std::string& spec) { return loss_has_cost(spec); }, nb::arg("spec"));
  module.def(
      "over_polytope",
      [](const std::string& omega, const std::string& polytope) { return over_polytope(omega, polytope); },
      nb::arg("omega"), nb::arg("polytope"));
  module.def("metrics", &metric_entries);
  module.def("tasks", [] { return tasks_where([](Task) { return true; }); });
  module.def("solvers", &solvers);
}

}  // namespace fenchel::python
