// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>

#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/all.hpp"

namespace fenchel {
namespace {

using Json = nlohmann::json;

constexpr int deepest = 32;  // nesting of parameters; more is a mistake or an attack on the stack

[[noreturn]] void reject(const std::string& message) { throw std::invalid_argument(message); }

// ---------------------------------------------------------------- nearest names

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

template <class Names>
std::string suggestion(std::string_view wrong, const Names& known) {
  std::string nearest;
  std::size_t best = std::max<std::size_t>(wrong.size() / 2, 3);  // farther is no longer a slip of the hand
  for (const auto& name : known) {
    const std::size_t distance = edit_distance(wrong.substr(0, 64), name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

// ---------------------------------------------------------------- reading

double number_from_text(std::string_view key, std::string_view text) {
  const std::string copy(text);
  if (copy == "inf" || copy == "infinity" || copy == "Infinity") return infinity;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || std::isnan(value)) {
    reject(fmt::format("{} is '{}'; expected a number", key, text));
  }
  return value;
}

double number_from_json(std::string_view key, const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return number_from_text(key, json.get_ref<const std::string&>());
  reject(fmt::format("{} is {}; expected a number", key, json.dump()));
}

Spec spec_from_json(const Json& json, int depth);

SpecValue value_from_json(const std::string& key, const Json& json, int depth) {
  if (json.is_object()) return std::make_shared<const Spec>(spec_from_json(json, depth + 1));
  if (!json.is_array()) return number_from_json(key, json);
  if (json.empty() || !json.front().is_array()) {
    std::vector<double> list;
    for (std::size_t j = 0; j < json.size(); ++j)
      list.push_back(number_from_json(fmt::format("{}[{}]", key, j), json[j]));
    return list;
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_array()) reject(fmt::format("{}[{}] is {}; expected a list", key, i, json[i].dump()));
    std::vector<double> row;
    for (std::size_t j = 0; j < json[i].size(); ++j) {
      row.push_back(number_from_json(fmt::format("{}[{}][{}]", key, i, j), json[i][j]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Spec spec_from_json(const Json& json, int depth) {
  if (depth > deepest) reject(fmt::format("omega is nested more than {} deep", deepest));
  if (!json.is_object()) reject(fmt::format("omega is {}; expected an object with a name", json.dump()));
  const auto name = json.find("name");
  if (name == json.end()) reject("omega has no name; expected {\"name\": ..., ...}");
  if (!name->is_string()) reject(fmt::format("omega's name is {}; expected a string", name->dump()));
  Spec spec{name->get<std::string>(), {}};
  for (const auto& [key, value] : json.items()) {
    if (key != "name") spec.parameters.emplace_back(key, value_from_json(key, value, depth));
  }
  return spec;
}

Spec spec_from_text(std::string_view text) {
  const std::size_t colon = text.find(':');
  Spec spec{std::string(text.substr(0, colon)), {}};
  if (spec.name.empty()) reject("omega is empty; expected a name such as tsallis:alpha=1.5");
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      reject(fmt::format("'{}' in omega '{}'; expected key=value", item, text));
    }
    const std::string key(item.substr(0, equals));
    spec.parameters.emplace_back(key, number_from_text(key, item.substr(equals + 1)));
    if (comma == std::string_view::npos) return spec;
    rest = rest.substr(comma + 1);
  }
}

// ---------------------------------------------------------------- writing

Json to_json_value(const Spec& spec);

Json number_to_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(value > 0 ? "inf" : "-inf");
}

Json to_json_value(const SpecValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return number_to_json(*number);
  if (const auto* nested = std::get_if<std::shared_ptr<const Spec>>(&value)) return to_json_value(**nested);
  Json list = Json::array();
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    for (const double number : *numbers) list.push_back(number_to_json(number));
    return list;
  }
  for (const auto& row : std::get<std::vector<std::vector<double>>>(value)) {
    list.push_back(to_json_value(SpecValue(row)));
  }
  return list;
}

Json to_json_value(const Spec& spec) {
  Json json{{"name", spec.name}};
  for (const auto& [key, value] : spec.parameters) json[key] = to_json_value(value);
  return json;
}

// ---------------------------------------------------------------- building

void assign(std::string_view key, const SpecValue& value, double& member) {
  const auto* number = std::get_if<double>(&value);
  if (!number) reject(fmt::format("{} is {}; expected a number", key, to_json_value(value).dump()));
  member = *number;
}
void assign(std::string_view key, const SpecValue& value, std::vector<double>& member) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (!list) reject(fmt::format("{} is {}; expected a list of numbers", key, to_json_value(value).dump()));
  member = *list;
}
void assign(std::string_view key, const SpecValue& value, CostMatrix& member) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (list && list->empty()) return;  // an empty matrix reads as an empty list
  const auto* matrix = std::get_if<CostMatrix>(&value);
  if (!matrix) reject(fmt::format("{} is {}; expected a list of rows", key, to_json_value(value).dump()));
  member = *matrix;
}
void assign(std::string_view key, const SpecValue& value, AnyRegularizer& member) {
  const auto* nested = std::get_if<std::shared_ptr<const Spec>>(&value);
  if (!nested) {
    reject(fmt::format("{} is {}; expected an omega, {{\"name\": ...}}", key, to_json_value(value).dump()));
  }
  member = make_regularizer(**nested);
}

const std::set<std::string_view> combinator_keys{"temperature", "constant", "cost"};

template <class R>
std::vector<std::pair<std::string_view, std::string_view>> parameter_names() {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  if constexpr (requires { R::parameters(); }) {
    std::apply(
        [&](const auto&... parameter) { (names.emplace_back(parameter.name, parameter.meaning), ...); },
        R::parameters());
  }
  return names;
}

template <class R>
AnyRegularizer build(const Spec& spec) {
  R omega;
  for (const auto& parameter_given : spec.parameters) {
    const std::string& key = parameter_given.first;
    const SpecValue& value = parameter_given.second;
    if (combinator_keys.contains(key)) continue;
    bool known = false;
    if constexpr (requires { R::parameters(); }) {
      std::apply(
          [&](const auto&... parameter) {
            ((parameter.name == key ? (assign(key, value, omega.*parameter.member), known = true) : false),
             ...);
          },
          R::parameters());
    }
    if (!known) {
      std::vector<std::string_view> names(combinator_keys.begin(), combinator_keys.end());
      for (const auto& [name, meaning] : parameter_names<R>()) names.push_back(name);
      reject(fmt::format("{} has no parameter '{}'{}", spec.name, key, suggestion(key, names)));
    }
  }
  return omega;
}

template <class... Types>
std::vector<RegularizerEntry> entries(TypeList<Types...>) {
  auto entry = []<class R>(std::type_identity<R>) {
    const auto examples = R::examples();
    return RegularizerEntry{R::traits.name, parameter_names<R>(), {examples.begin(), examples.end()}};
  };
  return {entry(std::type_identity<Types>())...};
}

template <class... Types>
std::optional<AnyRegularizer> build_named(TypeList<Types...>, const Spec& spec) {
  std::optional<AnyRegularizer> built;
  const auto build_if_named = [&]<class R>(std::type_identity<R>) {
    if (spec.name == R::traits.name) built = build<R>(spec);
  };
  (build_if_named(std::type_identity<Types>()), ...);
  return built;
}

}  // namespace

const SpecValue* Spec::find(std::string_view key) const {
  const auto found = std::ranges::find(parameters, key, &std::pair<std::string, SpecValue>::first);
  return found == parameters.end() ? nullptr : &found->second;
}

Spec parse_spec(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) reject("omega is empty; expected a name such as tsallis:alpha=1.5");
  if (text[first] != '{') return spec_from_text(text);
  // Nothing deeper than the limit is built: writing it out in a message would overflow the stack.
  auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) reject(fmt::format("omega is nested more than {} deep", deepest));
    return true;
  };
  const Json json = Json::parse(text, shallow, false);
  if (json.is_discarded()) reject(fmt::format("omega '{}' is not valid JSON", text.substr(0, 80)));
  return spec_from_json(json, 0);
}

std::string to_json(const Spec& spec) { return to_json_value(spec).dump(); }

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
  auto built = build_named(AllRegularizers(), resolved);
  if (!built) {
    std::vector<std::string_view> names;
    for (const auto& entry : regularizer_list()) names.push_back(entry.name);
    for (const auto& [alias, meaning] : regularizer_aliases()) names.push_back(alias);
    reject(fmt::format("unknown omega '{}'{}", spec.name, suggestion(spec.name, names)));
  }
  AnyRegularizer omega = *built;
  if (const SpecValue* value = spec.find("temperature")) {
    Temperature scaled{omega};
    assign("temperature", *value, scaled.temperature);
    omega = scaled;
  }
  if (const SpecValue* value = spec.find("constant")) {
    Constant moved{omega};
    assign("constant", *value, moved.constant);
    omega = moved;
  }
  if (const SpecValue* value = spec.find("cost")) {
    CostSensitive tilted{omega, {}};
    assign("cost", *value, tilted.cost);
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
