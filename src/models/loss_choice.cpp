// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/loss_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/polytopes/permutahedron.hpp"
#include "fenchel/polytopes/sequence.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/all.hpp"

namespace fenchel {
namespace {

using Names = std::vector<std::string_view>;

// Behind a name: with a cost for what is wrong.
constexpr std::string_view margin_suffix = "+margin";
constexpr std::string_view label_words = ", with a cost of 1 per wrong label in training";

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// A text as a spec whose name has underscores, and whether it ends with "+margin", which is taken off.
struct LossText {
  Spec spec;
  bool margin = false;
};

LossText read_loss(std::string_view text) {
  LossText result{parse_spec(text)};
  std::string& name = result.spec.name;
  std::ranges::replace(name, '-', '_');
  result.margin = name.ends_with(margin_suffix);
  if (result.margin) name.resize(name.size() - margin_suffix.size());
  return result;
}

const LossName* loss_called(std::string_view name) {
  const auto called = [&](const LossName& entry) {
    return entry.name == name || std::ranges::find(entry.aliases, name) != entry.aliases.end();
  };
  const auto found = std::ranges::find_if(loss_names(), called);
  return found == loss_names().end() ? nullptr : &*found;
}

// A loss that people know, but of another kind of target.
[[noreturn]] void refuse_loss(const LossName& named, std::string_view name) {
  throw OptionError(fmt::format("`omega` is '{}', a loss for another kind of target{} ({})", name,
                                name == default_loss(Task::tagging) ? "; `task=tagging` has it" : "",
                                named.meaning));
}

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
  if (const LossName* named = loss_called(spec.name)) refuse_loss(*named, spec.name);
  for (const LossName& entry : loss_names()) {
    names.push_back(entry.name);
    names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
  }
  throw OptionError(fmt::format("unknown `omega` '{}'{}", spec.name, spec::suggestion(spec.name, names)));
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
  throw OptionError(fmt::format("`omega` '{}' is over {}; {} needs {}", spec.name,
                                to_string(omega.refined_traits().domain), to_string(task), instead));
}

// What a wrong class costs.
Cost scaled_zero_one_cost(double scale) {
  if (scale == 1) return zero_one_cost();
  return Cost([scale](std::span<const double> y, std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = scale * (1 - y[k]);
  });
}

LossChoice simplex_loss(const Spec& spec, Task task) {
  if (const LossName* named = loss_called(spec.name); named && !named->omega.empty()) {
    refuse_parameters(spec);
    const AnyRegularizer omega = make_regularizer(named->omega);
    return {.loss = {omega, scaled_zero_one_cost(named->cost_scale)},
            .description = describe(omega, named->cost_scale == 1 ? ", with the 0/1 cost in training"
                                                                  : ", with half the 0/1 cost in training")};
  }
  const AnyRegularizer omega = plain_omega(spec);
  if (omega.refined_traits().domain == Domain::polytope && !omega.dimension()) {
    refuse_task(spec, omega, task, "an omega over the simplex");
  }
  return {.loss = omega, .description = describe(omega, "")};
}

// A number of labels, or any.
using Labels = std::optional<std::size_t>;

// What an Ω of classes is for each label of a set; others are over sets as they stand.
AnyRegularizer of_each_label(const AnyRegularizer& omega, Labels labels) {
  if (const auto each = labels ? omega.coordinatewise(*labels) : std::nullopt) return *each;
  return omega.refined_traits().domain == Domain::simplex ? AnyRegularizer(OneVsAll{omega}) : omega;
}

// What a wrong label of a set costs: the Hamming cost of the cube, of any dimension.
Cost wrong_label_cost(double scale = 1) {
  return Cost([scale](std::span<const double> y, std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = scale * (1 - 2 * y[k]);
  });
}

// One yes-or-no loss per label.
LossChoice cube_loss(const Spec& spec, Labels outputs) {
  if (const LossName* named = loss_called(spec.name); named && !named->omega.empty()) {
    refuse_parameters(spec);
    const AnyRegularizer omega = of_each_label(make_regularizer(named->omega), outputs);
    return {
        .loss = {omega, wrong_label_cost(named->cost_scale)},
        .description = describe(
            omega, named->cost_scale == 1 ? label_words : ", with a cost of ½ per wrong label in training")};
  }
  const AnyRegularizer omega = of_each_label(plain_omega(spec), outputs);
  return {.loss = omega, .description = describe(omega, ", each label for itself")};
}

LossChoice class_loss(const Spec& spec, Task task, Labels outputs) {
  const LossName* named = loss_called(spec.name);
  if (!named || named->one_vs_all.empty()) return simplex_loss(spec, task);
  return cube_loss(Spec{std::string(named->one_vs_all), spec.parameters}, outputs);
}

LossChoice number_loss(const Spec& spec) {
  const AnyRegularizer omega = plain_omega(spec);
  const Domain domain = omega.refined_traits().domain;
  if (domain != Domain::reals && domain != Domain::cone && domain != Domain::cube) {
    refuse_task(spec, omega, Task::regression,
                "squared, relu or poisson for numbers >= 0, or sigmoid for numbers from 0 to 1");
  }
  return {.loss = omega, .description = describe(omega, "")};
}

// Takes a parameter out of a spec.
std::optional<SpecValue> take_parameter(Spec& spec, std::string_view name) {
  const auto found = std::ranges::find(spec.parameters, name, [](const auto& entry) { return entry.first; });
  if (found == spec.parameters.end()) return std::nullopt;
  const SpecValue value = std::move(found->second);
  spec.parameters.erase(found);
  return value;
}

// What places are worth: the parameter w, and k where w has one. They are taken out of the spec; any other k
// is one of the Ω.
Permutahedron read_places(Spec& spec, std::size_t places) {
  std::string preset = "full";
  std::optional<std::vector<double>> given;
  if (const auto w = take_parameter(spec, "w")) {
    if (const auto* list = std::get_if<std::vector<double>>(&*w)) {
      given = *list;
    } else {
      spec::assign("w", *w, preset);
    }
  }
  if (given) {
    check_size("w", given->size(), places);
    std::ranges::sort(*given, std::greater<>());
    return {*given};
  }
  std::ranges::replace(preset, '-', '_');
  std::size_t k = std::clamp<std::size_t>(places / 2, 1, 10);
  if (one_of(preset, {"k_subsets", "partial", "partial_ranking"})) {
    if (const auto value = take_parameter(spec, "k")) spec::assign("k", *value, k);
    k = std::min(k, places);  // a query may have fewer documents
  }
  if (one_of(preset, {"top1", "top_one"})) return Permutahedron::top_one(places);
  if (preset == "k_subsets") return Permutahedron::k_subsets(places, k);
  if (one_of(preset, {"full", "full_ranking"})) return Permutahedron::full_ranking(places);
  if (one_of(preset, {"partial", "partial_ranking"})) return Permutahedron::partial_ranking(places, k);
  if (preset == "ranking") return Permutahedron::ranking(places);
  const Names known{"top1", "k-subsets", "full", "partial", "ranking"};
  throw OptionError(fmt::format("`omega`: w is '{}'; expected one of {}{}", preset, fmt::join(known, ", "),
                                spec::suggestion(preset, known)));
}

// A set that a task has, and how to refuse an Ω that is not over it.
struct Structures {
  AnyPolytope set;
  Task task;
  std::string_view own;      // "orders have their own, set w instead"
  std::string_view instead;  // what is over such sets
};

// Whether a name of the list is that of an Ω over structures.
bool over_structures(std::string_view name) {
  return std::ranges::any_of(regularizer_list(), [&](const RegularizerEntry& entry) {
    return entry.name == name && entry.examples.front().polytope() != nullptr;
  });
}

// The Ω of the list that a spec names, over the set of the task.
AnyRegularizer structured_omega(Spec spec, const Structures& structures) {
  if (spec.find("polytope")) {
    throw OptionError(fmt::format("`omega` '{}' names a polytope; {}", spec.name, structures.own));
  }
  if (!over_structures(spec.name)) {
    refuse_task(spec, plain_omega(spec), structures.task, structures.instead);
  }
  spec.parameters.emplace_back("polytope", std::make_shared<const Spec>(structures.set.spec()));
  return make_regularizer(spec);
}

// Losses over the simplex and what they are over structures, where the logistic loss is that of an entropy.
void rename_over_structures(std::string& name, std::string_view entropy) {
  if (name == "sparsemax") name = "sparsemap";
  if (one_of(name, {"logistic", "softmax", "shannon"})) name = entropy;
  if (one_of(name, {"perceptron", "argmax"})) name = "map";
}

LossChoice order_loss(Spec spec, Task task, std::size_t places) {
  check_at_least("the number of places", static_cast<double>(places), 1);
  const Permutahedron permutahedron = read_places(spec, places);
  const LossName* named = loss_called(spec.name);
  const bool hinge = named && named->has_cost && !named->structured_omega.empty();
  rename_over_structures(spec.name, "entropic");
  if (hinge) spec.name = named->structured_omega;
  const AnyRegularizer omega =
      spec.name == Squared::traits.name
          ? plain_omega(spec)
          : structured_omega(std::move(spec), {permutahedron, task, "orders have their own, set w instead",
                                               "sparsemap, entropic, hinge, perceptron or squared"});
  return {.loss = {omega, hinge ? hamming_cost(permutahedron) : Cost()},
          .description = describe(omega, hinge ? ", with the Hamming cost in training" : ""),
          .worths = permutahedron.w};
}

// What every wrong label costs: on the scores of states, and where every step has transitions of its own on
// all that lead to the state.
Cost label_cost(const AnyPolytope& set, double cost) {
  if (const Sequence* sequence = set.get_if<Sequence>()) {
    return Cost([m = sequence->m, cost](std::span<const double> y, std::span<double> out) {
      for (std::size_t row = 0; row < out.size(); row += m) {
        std::ranges::fill(out.subspan(row, m), cost * (1 - sum_of(y.subspan(row, m))));
      }
    });
  }
  const Chain& chain = *set.get_if<Chain>();
  return Cost([states = chain.n * chain.m, cost](std::span<const double> y, std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = k < states ? cost * (1 - y[k]) : 0;
  });
}

// The sequences of labels of a sentence: the spec may say "polytope=sequence" for transitions of every step.
AnyPolytope read_sequences(Spec& spec, const Chain& chain) {
  const SpecValue* given = spec.find("polytope");
  const auto* name = given ? std::get_if<std::string>(given) : nullptr;
  if (!name || !one_of(*name, {Chain::traits.name, Sequence::traits.name})) return chain;
  const bool steps = *name == Sequence::traits.name;
  take_parameter(spec, "polytope");
  return steps ? AnyPolytope(Sequence{chain.n, chain.m}) : AnyPolytope(chain);
}

LossChoice chain_loss(Spec spec, const Chain& chain, double cost) {
  const LossName* named = loss_called(spec.name);
  const bool hinge = named && named->has_cost;
  if (named && !named->structured_omega.empty()) spec.name = named->structured_omega;
  rename_over_structures(spec.name, "marginal");
  const AnyPolytope set = read_sequences(spec, chain);
  const AnyRegularizer omega =
      structured_omega(std::move(spec), {set, Task::tagging, "taggers have chain (the default) and sequence",
                                         "crf, sparsemap, hinge, perceptron or another over structures"});
  return {.loss = {omega, hinge && cost != 0 ? label_cost(set, cost) : Cost()},
          .description = describe(omega, hinge ? label_words : "")};
}

// Structures of a set that the spec names.
LossChoice structured_loss(Spec spec) {
  const LossName* named = loss_called(spec.name);
  const bool hinge = named && named->has_cost && !named->structured_omega.empty();
  if (named && !named->structured_omega.empty()) spec.name = named->structured_omega;
  rename_over_structures(spec.name, "marginal");
  if (over_structures(spec.name) && !spec.find("polytope")) {
    throw OptionError(
        fmt::format("`omega` '{}' is over a set of structures; name the set, such as `polytope=birkhoff:n=3`",
                    spec.name));
  }
  const AnyRegularizer omega = plain_omega(spec);
  const AnyPolytope* polytope = omega.polytope();
  if (!polytope) {
    refuse_task(spec, omega, Task::structured, "sparsemap, marginal, hinge or another over structures");
  }
  return {.loss = {omega, hinge ? hamming_cost(*polytope) : Cost()},
          .description = describe(omega, hinge ? ", with the Hamming cost in training" : "")};
}

// What a wrong class, label or structure costs under a loss whose name ends with "+margin".
struct MarginCost {
  Cost cost;
  std::string_view words;
};

MarginCost margin_cost(const FenchelYoungLoss& loss, std::string_view name) {
  if (const AnyPolytope* polytope = loss.omega().polytope()) {
    return {hamming_cost(*polytope), ", with the Hamming cost in training"};
  }
  const Domain domain = loss.traits().domain;
  if (domain == Domain::simplex) return {zero_one_cost(), ", with the 0/1 cost in training"};
  if (domain == Domain::cube) return {wrong_label_cost(), label_words};
  throw OptionError(fmt::format("`omega` is '{}{}'; '{}' is over {}, where no prediction is simply wrong",
                                name, margin_suffix, name, to_string(domain)));
}

void add_margin(LossChoice& choice, std::string_view name, MarginCost margin) {
  if (!choice.loss.cost().empty()) {
    throw OptionError(fmt::format("`omega` is '{}{}'; '{}' has a cost already", name, margin_suffix, name));
  }
  choice.loss = {choice.loss.omega(), std::move(margin.cost)};
  choice.description += margin.words;
}

// Refuses a loss that is not one for classes, or not one for structures.
void check_meaning(const LossName& named, bool structured) {
  if (structured && named.structured_omega.empty()) {
    throw OptionError(fmt::format("`omega` is '{}' ({}), a loss of classification; it has no `polytope`",
                                  named.name, named.meaning));
  }
  if (!structured && named.omega.empty() && named.one_vs_all.empty()) {
    throw OptionError(
        fmt::format("`omega` is '{}' ({}), a loss of tagging and of structures; name the set, such as "
                    "'{}:polytope=arborescence:n=3'",
                    named.name, named.meaning, named.name));
  }
}

// The text of a loss with a cost, in one spelling: with the parameters that are given, and the whole of its
// set. The name of an Ω says all where there is no cost.
std::string whole_text(const LossText& read, const LossName* named, const FenchelYoungLoss& loss) {
  if (loss.cost().empty()) return to_json(loss.omega().spec());
  Spec spec = read.spec;
  if (named) spec.name = named->name;
  if (read.margin) spec.name += margin_suffix;
  for (auto& [key, value] : spec.parameters) {
    if (key == "polytope") value = std::make_shared<const Spec>(loss.omega().polytope()->spec());
  }
  return to_json(spec);
}

}  // namespace

LossOfSize ranking_loss(std::string_view text) {
  return [text = std::string(text)](std::size_t places) { return resolve_loss(text, Task::ranking, places); };
}

LossOfSize TaggingLoss::operator()(std::string_view text) const {
  return [settings = *this, text = std::string(text)](std::size_t tokens) {
    const LossText read = read_loss(text);
    const Chain chain{tokens, settings.labels, settings.boundary};
    LossChoice choice = chain_loss(read.spec, chain, settings.cost);
    if (read.margin) {
      const AnyPolytope& set = *choice.loss.omega().polytope();
      add_margin(choice, read.spec.name, {label_cost(set, settings.cost), label_words});
    }
    choice.text = text;
    return choice;
  };
}

LossChoice resolve_loss(std::string_view text, Task task, std::size_t outputs) {
  const LossText read = read_loss(text);
  const Spec& spec = read.spec;
  const auto choose = [&]() -> LossChoice {
    switch (task) {
      case Task::classification:
      case Task::proportions:
        return class_loss(spec, task, outputs);
      case Task::multilabel:
        return cube_loss(spec, outputs);
      case Task::regression:
        return number_loss(spec);
      case Task::ranking:
      case Task::label_ranking:
        return order_loss(spec, task, outputs);
      case Task::structured:
        return structured_loss(spec);
      case Task::tagging:
        break;
    }
    throw std::invalid_argument("losses of chains of tags are made by TaggingLoss");
  };
  LossChoice choice = choose();
  if (read.margin) add_margin(choice, spec.name, margin_cost(choice.loss, spec.name));
  const auto dimension = choice.loss.omega().dimension();
  if (dimension && *dimension != outputs) {
    throw OptionError(
        fmt::format("`omega` '{}' is for {} outputs; the task has {}", spec.name, *dimension, outputs));
  }
  choice.text = text;
  return choice;
}

LossChoice resolve_loss(std::string_view text) try {
  LossText read = read_loss(text);
  if (read.spec.find("polytope") && one_of(read.spec.name, {"perceptron", "argmax"})) read.spec.name = "map";
  const LossName* named = loss_called(read.spec.name);
  if (!named && !read.margin) {
    const AnyRegularizer omega = plain_omega(read.spec);
    return {.loss = omega, .text = to_json(omega.spec()), .description = describe(omega, "")};
  }
  const bool structured = read.spec.find("polytope") != nullptr;
  if (named) check_meaning(*named, structured);
  LossChoice choice =
      structured ? structured_loss(read.spec) : class_loss(read.spec, Task::classification, std::nullopt);
  if (read.margin) add_margin(choice, read.spec.name, margin_cost(choice.loss, read.spec.name));
  choice.text = whole_text(read, named, choice.loss);
  return choice;
} catch (const OptionError& error) {
  throw std::invalid_argument(error.what());  // where there is no task, there are no options
}

std::size_t structure_size(std::string_view text) {
  return structured_loss(read_loss(text).spec).loss.omega().polytope()->dimension();
}

std::string_view default_loss(Task task) {
  constexpr std::array<std::string_view, all_tasks.size()> by_task{
      "logistic", "logistic", "logistic", "squared", "sparsemap", "sparsemap", "crf", "sparsemap"};
  return by_task[static_cast<std::size_t>(task)];
}

const std::vector<LossName>& loss_names() {
  static const std::vector<LossName> names{
      {.name = "hinge",
       .meaning = "multi-class hinge (argmax with the 0/1 cost); structured hinge over orders, chains and "
                  "other structures",
       .aliases = {"svm", "crammer_singer"},
       .omega = "argmax",
       .structured_omega = "map",
       .has_cost = true},
      {.name = "softmax_margin",
       .meaning = "logistic with the 0/1 cost",
       .omega = "shannon",
       .has_cost = true},
      {.name = "smoothed_hinge",
       .meaning = "hinge with a rounded kink, for two classes ½(1 - s)² between 0 and 1 (sparsemax at "
                  "temperature ½ with half the 0/1 cost)",
       .omega = "sparsemax:temperature=0.5",
       .has_cost = true,
       .cost_scale = 0.5},
      {.name = "one_vs_all_hinge",
       .meaning = "a two-class hinge for each class",
       .one_vs_all = "hinge",
       .has_cost = true},
      {.name = "crf",
       .meaning = "Gibbs distribution over chains of tags, or over the structures of a set",
       .structured_omega = "marginal"}};
  return names;
}

const LossName* named_loss(std::string_view text) { return loss_called(read_loss(text).spec.name); }

bool loss_has_cost(std::string_view text) {
  const LossText read = read_loss(text);
  const LossName* named = loss_called(read.spec.name);
  return read.margin || (named && named->has_cost);
}

std::string over_polytope(std::string_view text, std::string_view polytope) {
  Spec spec = parse_spec(text);
  if (spec.find("polytope")) {
    throw OptionError(fmt::format("`polytope` is '{}', and `omega` names one too; leave one out", polytope));
  }
  spec.parameters.emplace_back("polytope", std::make_shared<const Spec>(make_polytope(polytope).spec()));
  return to_json(spec);
}

}  // namespace fenchel
