// SPDX-License-Identifier: Apache-2.0
// The parameters that a text like "saga:step=0.1" gives an algorithm.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "fenchel/core/spec.hpp"

namespace fenchel {

/// The parameters of `name` in `text`; none if the text names another algorithm ("auto").
class SolverSpec {
 public:
  SolverSpec(const std::string& text, std::string_view name, std::initializer_list<std::string_view> known) {
    if (text.empty()) return;
    Spec spec = parse_spec(text, "solver");
    if (spec.name != name) return;
    std::string expected;
    for (const std::string_view key : known) expected += (expected.empty() ? "" : ", ") + std::string(key);
    for (const auto& parameter : spec.parameters) {
      bool found = false;
      for (const std::string_view key : known) found = found || key == parameter.first;
      if (!found) {
        throw std::invalid_argument("solver " + spec.name + " has no parameter '" + parameter.first +
                                    "'; expected one of " + expected);
      }
    }
    spec_ = std::move(spec);
  }

  std::string word(std::string_view key, const std::string& fallback) const {
    const SpecValue* value = spec_.find(key);
    if (!value) return fallback;
    if (const auto* text = std::get_if<std::string>(value)) return *text;
    throw std::invalid_argument("solver parameter " + std::string(key) + " must be a word");
  }
  double number(std::string_view key, double fallback) const {
    const SpecValue* value = spec_.find(key);
    if (!value) return fallback;
    if (const auto* number = std::get_if<double>(value)) return *number;
    throw std::invalid_argument("solver parameter " + std::string(key) + " must be a number");
  }

 private:
  Spec spec_;
};

}  // namespace fenchel
