// SPDX-License-Identifier: Apache-2.0
// Our side of the side-by-side runs over structures: each topic's .cpp registers cases under a name, and
// main.cpp times them as the Python side asks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace fenchel::bench {

/// The key=value arguments of a request.
class Arguments {
 public:
  void set(const std::string& key, const std::string& value) { values_[key] = value; }

  std::size_t size(const std::string& key) const { return std::stoul(text(key)); }
  double number(const std::string& key) const { return std::stod(text(key)); }
  std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw std::invalid_argument("missing argument " + key);
    return found->second;
  }
  std::string text(const std::string& key, const std::string& fallback) const {
    return values_.contains(key) ? text(key) : fallback;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// Makes the inputs once and returns what runs one pass over them.
using Factory = std::function<std::function<void()>(const Arguments&)>;

inline std::map<std::string, Factory>& cases() {
  static std::map<std::string, Factory> all;
  return all;
}

/// Registers a case; the result only serves to initialise a constant.
inline bool add_case(const std::string& name, Factory factory) {
  return cases().emplace(name, std::move(factory)).second;
}

}  // namespace fenchel::bench
