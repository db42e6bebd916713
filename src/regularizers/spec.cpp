// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/spec.hpp"

#include <fmt/core.h>

#include <array>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/all.hpp"

namespace fenchel {

template <>
inline constexpr std::string_view spec::parameter_type<AnyRegularizer> = "omega";
template <>
inline constexpr std::string_view spec::parameter_type<AnyPolytope> = "polytope";

namespace {

constexpr std::array<std::string_view, 3> combinator_keys{"temperature", "constant", "cost"};

// A spec inside another: an object, or its text.
Spec nested(std::string_view key, const SpecValue& value, std::string_view expected) {
  if (const auto* text = std::get_if<std::string>(&value)) return parse_spec(*text, key);
  const auto* inner = std::get_if<std::shared_ptr<const Spec>>(&value);
  if (!inner) spec::reject_value(key, value, expected);
  return **inner;
}

template <class Member>
void assign(std::string_view key, const SpecValue& value, Member& member) {
  if constexpr (std::same_as<Member, AnyRegularizer>) {
    member = make_regularizer(nested(key, value, "an omega, {\"name\": ...}"));
  } else if constexpr (std::same_as<Member, AnyPolytope>) {
    member = make_polytope(nested(key, value, "a polytope, {\"name\": ...}"));
  } else {
    spec::assign(key, value, member);
  }
}

template <class... Types>
std::vector<RegularizerEntry> entries(TypeList<Types...>) {
  auto entry = []<class R>(std::type_identity<R>) {
    const auto examples = R::examples();
    return RegularizerEntry{R::traits.name,
                            spec::class_name<R>(),
                            spec::parameter_entries<R>(),
                            {examples.begin(), examples.end()}};
  };
  return {entry(std::type_identity<Types>())...};
}

}  // namespace

AnyRegularizer make_regularizer(std::string_view text) { return make_regularizer(parse_spec(text)); }

AnyRegularizer make_regularizer(const Spec& spec) {
  Spec resolved = spec;
  for (const auto& [alias, meaning] : regularizer_aliases()) {
    if (spec.name != alias) continue;
    const Spec target = parse_spec(meaning);
    resolved.name = target.name;
    resolved.parameters.insert(resolved.parameters.begin(), target.parameters.begin(),
                               target.parameters.end());
  }
  std::optional<AnyRegularizer> built;
  const auto set = [](std::string_view key, const SpecValue& value, auto& member) {
    assign(key, value, member);
  };
  spec::visit_named(AllRegularizers(), resolved.name, [&]<class R>(std::type_identity<R>) {
    built = spec::read<R>(resolved, set, combinator_keys);
  });
  if (!built) {
    std::vector<std::string_view> names;
    for (const auto& entry : regularizer_list()) names.push_back(entry.name);
    for (const auto& [alias, meaning] : regularizer_aliases()) names.push_back(alias);
    throw std::invalid_argument(
        fmt::format("unknown omega '{}'{}", spec.name, spec::suggestion(spec.name, names)));
  }
  AnyRegularizer omega = *built;
  if (const SpecValue* value = spec.find("temperature")) {
    Temperature scaled{omega};
    spec::assign("temperature", *value, scaled.temperature);
    omega = scaled;
  }
  if (const SpecValue* value = spec.find("constant")) {
    Constant moved{omega};
    spec::assign("constant", *value, moved.constant);
    omega = moved;
  }
  if (const SpecValue* value = spec.find("cost")) {
    CostSensitive tilted{omega, {}};
    spec::assign("cost", *value, tilted.cost);
    omega = tilted;
  }
  return omega;
}

const std::vector<RegularizerEntry>& regularizer_list() {
  static const std::vector<RegularizerEntry> list = entries(AllRegularizers());
  return list;
}

const std::vector<std::pair<std::string_view, std::string_view>>& regularizer_aliases() {
  static const std::vector<std::pair<std::string_view, std::string_view>> aliases{
      {"sparsemax", "tsallis:alpha=2"},
      {"entmax15", "tsallis:alpha=1.5"},
      {"entmax", "tsallis"},
      {"softmax", "shannon"},
      {"logistic", "shannon"},
      {"perceptron", "argmax"},
      {"normmax", "norm:q=inf"},
      {"modified_huber", "sparse_sigmoid"}};
  return aliases;
}

}  // namespace fenchel
