// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/spec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

#include "core/spec_reader.hpp"
#include "core/utf8.hpp"
#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

using Json = nlohmann::ordered_json;  // keeps the name first, and parameters in order

constexpr int deepest = 32;  // nesting of parameters; more is a mistake or an attack on the stack

[[noreturn]] void reject_spec(const std::string& message) { throw std::invalid_argument(message); }

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

// ---------------------------------------------------------------- reading

// The number that a text says, if it is one.
std::optional<double> number_from_text(std::string_view text) {
  const std::string copy(text);
  if (copy == "inf" || copy == "infinity" || copy == "Infinity") return infinity;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || std::isnan(value)) return std::nullopt;
  return value;
}

SpecValue value_from_text(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto number = number_from_text(text)) return *number;
  return std::string(text);
}

double number_from_json(std::string_view key, const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    if (const auto number = number_from_text(json.get_ref<const std::string&>())) return *number;
  }
  reject_spec(fmt::format("{} is {}; expected a number", key, json.dump().substr(0, 80)));
}

Spec spec_from_json(std::string_view what, const Json& json, int depth);

SpecValue value_from_json(const std::string& key, const Json& json, int depth) {
  if (json.is_object()) return std::make_shared<const Spec>(spec_from_json(key, json, depth + 1));
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return value_from_text(json.get_ref<const std::string&>());
  if (!json.is_array()) return number_from_json(key, json);
  if (json.empty() || !json.front().is_array()) {
    std::vector<double> list;
    for (std::size_t j = 0; j < json.size(); ++j)
      list.push_back(number_from_json(fmt::format("{}[{}]", key, j), json[j]));
    return list;
  }
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!json[i].is_array())
      reject_spec(fmt::format("{}[{}] is {}; expected a list", key, i, json[i].dump()));
    std::vector<double> row;
    for (std::size_t j = 0; j < json[i].size(); ++j) {
      row.push_back(number_from_json(fmt::format("{}[{}][{}]", key, i, j), json[i][j]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Spec spec_from_json(std::string_view what, const Json& json, int depth) {
  if (depth > deepest) reject_spec(fmt::format("{} is nested more than {} deep", what, deepest));
  if (!json.is_object())
    reject_spec(fmt::format("{} is {}; expected an object with a name", what, json.dump()));
  const auto name = json.find("name");
  if (name == json.end()) reject_spec(fmt::format("{} has no name; expected {{\"name\": ..., ...}}", what));
  if (!name->is_string()) reject_spec(fmt::format("{}'s name is {}; expected a string", what, name->dump()));
  Spec spec{name->get<std::string>(), {}};
  for (const auto& [key, value] : json.items()) {
    if (key != "name") spec.parameters.emplace_back(key, value_from_json(key, value, depth));
  }
  return spec;
}

[[noreturn]] void reject_empty(std::string_view what) {
  reject_spec(
      fmt::format("{} is empty; expected a name such as tsallis:alpha=1.5 or sequence:n=5,m=3", what));
}

[[noreturn]] void reject_repeated(std::string_view what, std::string_view key) {
  reject_spec(fmt::format("{} has '{}' twice; expected every parameter once", what, key));
}

Spec spec_from_text(std::string_view what, std::string_view text) {
  const std::size_t colon = text.find(':');
  Spec spec{std::string(text.substr(0, colon)), {}};
  if (spec.name.empty()) reject_empty(what);
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      reject_spec(fmt::format("'{}' in {} '{}'; expected key=value", item, what, text));
    }
    const std::string key(item.substr(0, equals));
    if (key == "name" || spec.find(key)) reject_repeated(what, key);
    spec.parameters.emplace_back(key, value_from_text(item.substr(equals + 1)));
    if (comma == std::string_view::npos) return spec;
    rest = rest.substr(comma + 1);
  }
}

// ---------------------------------------------------------------- writing

Json to_json_value(const Spec& spec);

Json number_to_json(double value) {
  constexpr double exact = 9007199254740992;  // 2^53: up to there whole numbers read back the same
  if (!std::isfinite(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::floor(value) && std::abs(value) < exact) return static_cast<std::int64_t>(value);
  return value;
}

Json to_json_value(const SpecValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return number_to_json(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
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

std::string shown(const SpecValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  return word ? fmt::format("'{}'", *word) : to_json_value(value).dump();
}

}  // namespace

const SpecValue* Spec::find(std::string_view key) const {
  const auto found = std::ranges::find(parameters, key, &std::pair<std::string, SpecValue>::first);
  return found == parameters.end() ? nullptr : &found->second;
}

Spec parse_spec(std::string_view text, std::string_view what) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) reject_empty(what);
  if (const std::size_t fault = utf8_fault(text); fault != std::string_view::npos) {
    reject_spec(fmt::format("{} is not UTF-8: byte {:#04x} at {}", what,
                            static_cast<unsigned char>(text[fault]), fault));
  }
  if (text[first] != '{') return spec_from_text(what, text);
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    // Nothing deeper than the limit is built: writing it out in a message would overflow the stack.
    if (depth > deepest) reject_spec(fmt::format("{} is nested more than {} deep", what, deepest));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      reject_repeated(what, value.get<std::string>());
    }
    return true;
  };
  const Json json = Json::parse(text, watch, false);
  if (json.is_discarded()) reject_spec(fmt::format("{} '{}' is not valid JSON", what, text.substr(0, 80)));
  return spec_from_json(what, json, 0);
}

std::string to_json(const Spec& spec) { return to_json_value(spec).dump(); }

namespace spec {

std::string suggestion(std::string_view wrong, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t best = std::max<std::size_t>(wrong.size() / 2, 3);  // a name farther away is not a typing error
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(wrong.substr(0, 64), name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

void reject_value(std::string_view key, const SpecValue& value, std::string_view expected) {
  reject_spec(fmt::format("{} is {}; expected {}", key, shown(value).substr(0, 80), expected));
}

void reject_key(std::string_view owner, std::string_view key, std::span<const std::string_view> known) {
  reject_spec(fmt::format("{} has no parameter '{}'{}", owner, key, suggestion(key, known)));
}

void reject_missing(std::string_view owner, std::string_view key, std::string_view meaning) {
  reject_spec(fmt::format("{} needs {}: {}", owner, key, meaning));
}

void assign(std::string_view key, const SpecValue& value, double& member) {
  const auto* number = std::get_if<double>(&value);
  if (!number) reject_value(key, value, "a number");
  member = *number;
}

void assign(std::string_view key, const SpecValue& value, std::size_t& member) {
  const auto* number = std::get_if<double>(&value);
  constexpr double largest = 9007199254740992;  // 2^53: beyond it a double skips integers
  if (!number || !(*number >= 0) || *number > largest || *number != std::floor(*number)) {
    reject_value(key, value, "a whole number >= 0");
  }
  member = static_cast<std::size_t>(*number);
}

void assign(std::string_view key, const SpecValue& value, bool& member) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    member = *truth;
    return;
  }
  const auto* number = std::get_if<double>(&value);
  if (!number || (*number != 0 && *number != 1)) reject_value(key, value, "true or false");
  member = *number == 1;
}

void assign(std::string_view key, const SpecValue& value, std::string& member) {
  const auto* word = std::get_if<std::string>(&value);
  if (!word) reject_value(key, value, "a word");
  member = *word;
}

void assign(std::string_view key, const SpecValue& value, std::vector<double>& member) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (!list) reject_value(key, value, "a list of numbers");
  member = *list;
}

void assign(std::string_view key, const SpecValue& value, std::vector<std::vector<double>>& member) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  if (list && list->empty()) return;  // an empty matrix reads as an empty list
  const auto* matrix = std::get_if<std::vector<std::vector<double>>>(&value);
  if (!matrix) reject_value(key, value, "a list of rows");
  member = *matrix;
}

}  // namespace spec
}  // namespace fenchel
