// SPDX-License-Identifier: Apache-2.0
// Lists of strings in model files.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/string_arrays.hpp"
#include "fenchel/models/model_file.hpp"

namespace fenchel {
namespace {

using Json = nlohmann::json;

// JSON text of the strings; nothing if one of them is not UTF-8.
std::string json_of(const std::vector<std::string>& strings) {
  try {
    return Json(strings).dump();
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace

void add_strings(TensorFile& file, const std::string& name, const std::vector<std::string>& strings) {
  if (strings.empty()) return;
  std::string json = json_of(strings);
  if (!json.empty()) {
    file.metadata[name] = std::move(json);
    return;
  }
  add_string_arrays(file, name, strings);
}

std::vector<std::string> read_strings(const TensorFile& file, const std::string& name) {
  if (file.contains(name + ".ends")) return read_string_arrays(file, name);
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end()) return {};
  const Json json = Json::parse(found->second, nullptr, false);
  if (!json.is_array()) throw std::invalid_argument(fmt::format("'{}' is not a list of strings", name));
  std::vector<std::string> strings;
  for (const Json& text : json) {
    if (!text.is_string()) throw std::invalid_argument(fmt::format("'{}' is not a list of strings", name));
    strings.push_back(text.get<std::string>());
  }
  return strings;
}

}  // namespace fenchel
