// SPDX-License-Identifier: Apache-2.0
// Written apart from the library's own code, which would otherwise be tested against itself.
#include "tensor_checksums.hpp"

#include <fmt/core.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>

namespace fenchel::fuzz {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::size_t digits = 16;

// Overwrites the digits that follow `key` in the header; false if there is no room for them.
bool set_digits(std::string& file, std::size_t header_end, const std::string& key, const std::string& value) {
  const std::size_t place = file.find(key, length_bytes);
  if (place == std::string::npos || place + key.size() + digits > header_end) return false;
  file.replace(place + key.size(), digits, value);
  return true;
}

std::string hash(std::string_view bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace

std::string with_checksums(std::string_view input) {
  std::string file(input);
  std::uint64_t length = 0;
  if (file.size() < length_bytes) return file;
  std::memcpy(&length, file.data(), length_bytes);
  if (length > file.size() - length_bytes) return file;
  const std::size_t header_end = length_bytes + length;
  const auto header = nlohmann::json::parse(
      file.begin() + length_bytes, file.begin() + static_cast<std::ptrdiff_t>(header_end), nullptr, false);
  if (!header.is_object()) return file;
  const std::string data = file.substr(header_end);
  for (const auto& [name, tensor] : header.items()) {
    if (!tensor.is_object() || !tensor.contains("data_offsets")) continue;
    const auto& place = tensor["data_offsets"];
    if (!place.is_array() || place.size() != 2 || !place[0].is_number_unsigned() ||
        !place[1].is_number_unsigned()) {
      continue;
    }
    const auto begin = place[0].get<std::size_t>(), end = place[1].get<std::size_t>();
    if (begin > end || end > data.size()) continue;
    // The checksums are a JSON object within a JSON string.
    set_digits(file, header_end, R"(\")" + name + R"(\":\")",
               hash(std::string_view(data).substr(begin, end - begin)));
  }
  const std::string key = R"("header_checksum":")";
  if (set_digits(file, header_end, key, std::string(digits, '0'))) {
    set_digits(file, header_end, key, hash(std::string_view(file).substr(0, header_end)));
  }
  return file;
}

}  // namespace fenchel::fuzz
