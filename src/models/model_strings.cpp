// SPDX-License-Identifier: Apache-2.0
// Lists of strings in model files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

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

std::vector<std::string> from_bytes(const TensorFile& file, const std::string& name) {
  const auto bytes = file.tensor<std::uint8_t>(name + ".bytes");
  const auto ends = file.tensor<std::int64_t>(name + ".ends");
  std::vector<std::string> strings;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < begin || end > static_cast<std::int64_t>(bytes.size())) {
      throw std::invalid_argument(fmt::format("'{}.ends' has {} after {}; expected ends in order, at most {}",
                                              name, end, begin, bytes.size()));
    }
    strings.emplace_back(bytes.begin() + begin, bytes.begin() + end);
    begin = end;
  }
  return strings;
}

}  // namespace

void add_strings(TensorFile& file, const std::string& name, const std::vector<std::string>& strings) {
  if (strings.empty()) return;
  std::string json = json_of(strings);
  if (!json.empty()) {
    file.metadata[name] = std::move(json);
    return;
  }
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> ends;
  for (const std::string& text : strings) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const std::size_t size = bytes.size();
  file.add(name + ".bytes", std::move(bytes), {size});
  file.add(name + ".ends", std::move(ends), {strings.size()});
}

std::vector<std::string> read_strings(const TensorFile& file, const std::string& name) {
  if (file.contains(name + ".ends")) return from_bytes(file, name);
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
