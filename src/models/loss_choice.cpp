// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/loss_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/polytopes/cube.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "fenchel/regularizers/all.hpp"

namespace fenchel {
namespace {

using Names = std::vector<std::string_view>;

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_hinge(std::string_view name) { return one_of(name, {"hinge", "svm", "crammer_singer"}); }

// The Ω that a spec names, with the names of losses among the suggestions.
AnyRegularizer plain_omega(const Spec& spec) {
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name == spec.name) return make_regularizer(spec);
  }
  Names names;
  for (const RegularizerEntry& entry : regularizer_list()) names.push_back(entry.name);
  for (const auto& [alias, meaning] : regularizer_aliases()) {
    if (alias == spec.name) return make_regularizer(spec);
    names.push_back(alias);
  }
  for (const auto& [name, meaning] : loss_names()) names.push_back(name);
  throw std::invalid_argument(
      fmt::format("unknown omega '{}'{}", spec.name, spec::suggestion(spec.name, names)));
}

void refuse_parameters(const Spec& spec) {
  if (!spec.parameters.empty()) spec::reject_key(spec.name, spec.parameters.front().first, {});
}

std::string describe(const AnyRegularizer& omega, std::string_view cost) {
  const Traits traits = omega.refined_traits();
  return fmt::format("Ω(μ) = {} on {}{}{}", traits.formula, to_string(traits.domain),
                     traits.domain == Domain::polytope ? fmt::format(" ({})", traits.prediction) : "", cost);
}

[[noreturn]] void refuse_task(const Spec& spec, const AnyRegularizer& omega, Task task,
                              std::string_view instead) {
  throw std::invalid_argument(fmt::format("omega '{}' is over {}; {} needs {}", spec.name,
                                          to_string(omega.refined_traits().domain), to_string(task),
                                          instead));
}

LossChoice simplex_loss(const Spec& spec, Task task) {
  const bool softmax_margin = spec.name == "softmax_margin";
  if (is_hinge(spec.name) || softmax_margin) {
    refuse_parameters(spec);
    const AnyRegularizer omega = softmax_margin ? AnyRegularizer(Shannon{}) : AnyRegularizer(Argmax{});
    return {.omega = omega,
            .cost = zero_one_cost(),
            .text = {},
            .description = describe(omega, ", with the 0/1 cost in training")};
  }
  const AnyRegularizer omega = plain_omega(spec);
  if (omega.refined_traits().domain == Domain::polytope && !omega.dimension()) {
    refuse_task(spec, omega, task, "an omega over the simplex");
  }
  return {.omega = omega, .text = {}, .description = describe(omega, "")};
}

// One yes-or-no loss a label.
LossChoice cube_loss(const Spec& spec, std::size_t outputs) {
  const AnyPolytope cube = Cube{outputs};
  if (is_hinge(spec.name) || spec.name == "softmax_margin") {
    refuse_parameters(spec);
    const AnyRegularizer omega = is_hinge(spec.name) ? AnyRegularizer(Map{cube}) : AnyRegularizer(Sigmoid{});
    return {.omega = omega,
            .cost = hamming_cost(cube),
            .text = {},
            .description = describe(omega, ", with a cost of 1 a wrong label in training")};
  }
  AnyRegularizer omega = plain_omega(spec);
  const Tsallis* tsallis = omega.get_if<Tsallis>();
  if (omega.get_if<Argmax>()) {
    omega = Map{cube};
  } else if (omega.get_if<Shannon>()) {
    omega = Sigmoid{};
  } else if (tsallis && tsallis->alpha == 2) {
    omega = SparseSigmoid{};
  } else if (tsallis) {
    omega = TsallisSigmoid{tsallis->alpha};
  } else if (omega.refined_traits().domain == Domain::simplex) {
    omega = OneVsAll{omega};
  }
  return {.omega = omega, .text = {}, .description = describe(omega, ", each label for itself")};
}

LossChoice number_loss(const Spec& spec) {
  const AnyRegularizer omega = plain_omega(spec);
  const Domain domain = omega.refined_traits().domain;
  if (domain != Domain::reals && domain != Domain::cone) {
    refuse_task(spec, omega, Task::regression, "squared, or relu or poisson for numbers >= 0");
  }
  return {.omega = omega, .text = {}, .description = describe(omega, "")};
}

// What places are worth: the parameters w and k, which are taken out of the spec.
Permutahedron read_places(Spec& spec, std::size_t places) {
  std::string preset = "full";
  std::size_t k = std::clamp<std::size_t>(places / 2, 1, 10);
  std::optional<std::vector<double>> given;
  for (auto parameter = spec.parameters.begin(); parameter != spec.parameters.end();) {
    if (parameter->first == "w") {
      if (const auto* list = std::get_if<std::vector<double>>(&parameter->second)) {
        given = *list;
      } else {
        spec::assign("w", parameter->second, preset);
      }
    } else if (parameter->first == "k") {
      spec::assign("k", parameter->second, k);
      k = std::min(k, places);  // a query may have fewer documents
    } else {
      ++parameter;
      continue;
    }
    parameter = spec.parameters.erase(parameter);
  }
  std::ranges::replace(preset, '-', '_');
  if (given) {
    check_size("w", given->size(), places);
    std::ranges::sort(*given, std::greater<>());
    return {*given};
  }
  if (one_of(preset, {"top1", "top_one"})) return Permutahedron::top_one(places);
  if (preset == "k_subsets") return Permutahedron::k_subsets(places, k);
  if (one_of(preset, {"full", "full_ranking"})) return Permutahedron::full_ranking(places);
  if (one_of(preset, {"partial", "partial_ranking"})) return Permutahedron::partial_ranking(places, k);
  if (preset == "ranking") return Permutahedron::ranking(places);
  const Names known{"top1", "k-subsets", "full", "partial", "ranking"};
  throw std::invalid_argument(fmt::format("w is '{}'; expected one of {}{}", preset, fmt::join(known, ", "),
                                          spec::suggestion(preset, known)));
}

LossChoice order_loss(Spec spec, Task task, std::size_t places) {
  check_at_least("the number of places", static_cast<double>(places), 1);
  const Permutahedron permutahedron = read_places(spec, places);
  const std::string_view name = spec.name;
  LossChoice choice{.omega = Map{permutahedron}, .text = {}, .description = {}, .worths = permutahedron.w};
  if (name == "squared") {
    choice.omega = Squared{};
  } else if (one_of(name, {"sparsemap", "sparsemax"}) && !spec.find("polytope")) {
    choice.omega = SparseMap{permutahedron};
  } else if (one_of(name, {"entropic", "logistic", "softmax", "shannon"}) && !spec.find("polytope")) {
    choice.omega = Entropic{permutahedron};
  } else if (is_hinge(name)) {
    choice.cost = hamming_cost(permutahedron);
  } else if (!one_of(name, {"perceptron", "argmax", "map"}) || spec.find("polytope")) {
    const AnyRegularizer omega = plain_omega(spec);  // its own message if the name is unknown
    if (!spec.find("polytope")) {
      refuse_task(spec, omega, task, "sparsemap, entropic, hinge, perceptron or squared");
    }
    throw std::invalid_argument(
        fmt::format("omega '{}' names a polytope; orders have their own, set w instead", spec.name));
  }
  refuse_parameters(spec);
  choice.description =
      describe(choice.omega, choice.cost.empty() ? "" : ", with the Hamming cost in training");
  return choice;
}

}  // namespace

LossChoice resolve_loss(std::string_view text, Task task, std::size_t outputs) {
  Spec spec = parse_spec(text);
  std::ranges::replace(spec.name, '-', '_');
  const auto choose = [&]() -> LossChoice {
    switch (task) {
      case Task::classification:
      case Task::proportions:
        return spec.name == "one_vs_all_hinge" ? cube_loss(Spec{"hinge", spec.parameters}, outputs)
                                               : simplex_loss(spec, task);
      case Task::multilabel:
        return cube_loss(spec, outputs);
      case Task::regression:
        return number_loss(spec);
      case Task::ranking:
      case Task::label_ranking:
        return order_loss(spec, task, outputs);
      case Task::tagging:
        break;
    }
    throw std::invalid_argument("losses of chains of tags are the tagger's");
  };
  LossChoice choice = choose();
  const auto dimension = choice.omega.dimension();
  if (dimension && *dimension != outputs) {
    throw std::invalid_argument(
        fmt::format("omega '{}' is for {} outputs; the task has {}", spec.name, *dimension, outputs));
  }
  choice.text = text;
  return choice;
}

std::string_view default_loss(Task task) {
  switch (task) {
    case Task::classification:
    case Task::proportions:
    case Task::multilabel:
      return "logistic";
    case Task::regression:
      return "squared";
    case Task::ranking:
    case Task::label_ranking:
      return "sparsemap";
    case Task::tagging:
      return "crf";
  }
  return "logistic";
}

const std::vector<std::pair<std::string_view, std::string_view>>& loss_names() {
  static const std::vector<std::pair<std::string_view, std::string_view>> names{
      {"hinge", "multi-class hinge (argmax with the 0/1 cost); structured hinge over orders and chains"},
      {"svm", "hinge"},
      {"crammer_singer", "hinge"},
      {"softmax_margin", "logistic with the 0/1 cost"},
      {"one_vs_all_hinge", "a two-class hinge for each class"},
      {"crf", "Gibbs distribution over chains of tags"}};
  return names;
}

}  // namespace fenchel
