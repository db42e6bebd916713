// SPDX-License-Identifier: Apache-2.0
// The choices of a fit as text.
#include <fmt/core.h>

#include <concepts>

#include "fenchel/training/fit.hpp"

namespace fenchel {
namespace {

std::string text_of(const std::string& value) { return value; }
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(int value) { return std::to_string(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(const AnySolver& value) { return value.text(); }
std::string text_of(const Penalty& value) {
  return fmt::format("l2 = {}, l1 = {}, group = {}", value.l2, value.l1, value.group);
}
std::string text_of(Scaling value) { return std::string(scaling_name(value)); }
template <class T>
std::string text_of(const std::optional<T>& value) {
  if constexpr (requires(const T& set) { to_string(set); }) {
    return value ? std::string(to_string(*value)) : std::string();
  } else {
    return value ? text_of(*value) : std::string();
  }
}

}  // namespace

std::map<std::string, std::string> identity(const FitOptions& options) {
  std::map<std::string, std::string> result;
  const auto add = [&]<class T>(std::string_view name, const T& value) {
    if constexpr (std::same_as<T, TaggerFeatureOptions>) {
      for_each_shaping_option(
          value, tagger_feature_option_list,
          [&](std::string_view inner, const auto& entry) { result.emplace(inner, text_of(entry)); });
    } else if constexpr (std::same_as<T, std::optional<Penalty>>) {
      if (value) result.emplace(name, text_of(*value));
    } else {
      result.emplace(name, text_of(value));
    }
  };
  for_each_shaping_option(options, fit_option_list, add);
  return result;
}

}  // namespace fenchel
