// SPDX-License-Identifier: Apache-2.0
// The fields of a JSON case: read with an error that names the field, and results written back.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel::cli {

using Json = nlohmann::json;

[[noreturn]] inline void reject(const std::string& message) { throw std::invalid_argument(message); }

inline const Json& field(const Json& item, const std::string& key) {
  const auto found = item.find(key);
  if (found == item.end()) reject(fmt::format("{} is missing", key));
  return *found;
}

inline double number(const std::string& name, const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "inf" || value == "+inf") return std::numeric_limits<double>::infinity();
  reject(fmt::format("{} is {}; expected a number", name, value.dump()));
}

template <Real T>
std::vector<T> numbers(const Json& item, const std::string& key) {
  const Json& list = field(item, key);
  if (!list.is_array())
    reject(fmt::format("{} is {}; expected a list of numbers", key, list.dump().substr(0, 60)));
  check_not_empty(key, list.size());
  std::vector<T> values;
  values.reserve(list.size());
  for (std::size_t j = 0; j < list.size(); ++j) {
    values.push_back(static_cast<T>(number(fmt::format("{}[{}]", key, j), list[j])));
  }
  return values;
}

inline std::int64_t integer(const Json& item, const std::string& key) {
  const Json& value = field(item, key);
  if (!value.is_number_integer())
    reject(fmt::format("{} is {}; expected an integer", key, value.dump().substr(0, 60)));
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62) {
    reject(fmt::format("{} is {}; that is too large", key, value.dump()));
  }
  return value.get<std::int64_t>();
}

inline Json finite(double value) {
  if (!std::isfinite(value)) reject(fmt::format("the result is {}, which JSON cannot hold", value));
  return value;
}

/// A logarithm of a probability: "-inf", the word that scores know, where there is none.
inline Json logarithm(double value) {
  if (value == -std::numeric_limits<double>::infinity()) return "-inf";
  return finite(value);
}

template <Real T>
Json finite(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T value : values) list.push_back(finite(static_cast<double>(value)));
  return list;
}

}  // namespace fenchel::cli
