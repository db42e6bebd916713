// SPDX-License-Identifier: Apache-2.0
// Named arrays: what a computation needs to go on where it stopped. Whoever keeps them (a checkpoint file)
// need not know what they mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fenchel {

/// Arrays by name. Numbers are arrays of one entry.
class State {
 public:
  using Array = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
                             std::vector<std::uint64_t>>;

  template <class T>
  void set(const std::string& name, std::vector<T> values) {
    arrays_[name] = std::move(values);
  }
  template <class T>
  void set(const std::string& name, std::span<const T> values) {
    set(name, std::vector<T>(values.begin(), values.end()));
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void set(const std::string& name, T value) { set(name, std::vector<T>{value}); }

  /// The array called `name`; throws std::invalid_argument if there is none of that type.
  template <class T>
  const std::vector<T>& array(const std::string& name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw std::invalid_argument("the saved state has no '" + name + "'");
    const auto* values = std::get_if<std::vector<T>>(&found->second);
    if (!values) throw std::invalid_argument("'" + name + "' of the saved state has another type");
    return *values;
  }
  /// Copies the array called `name`, which must have the size of `out`.
  template <class T>
  void read(const std::string& name, std::span<T> out) const {
    const std::vector<T>& values = array<T>(name);
    if (values.size() != out.size()) {
      throw std::invalid_argument("'" + name + "' of the saved state has " + std::to_string(values.size()) +
                                  " entries; expected " + std::to_string(out.size()));
    }
    std::copy(values.begin(), values.end(), out.begin());
  }
  /// The only entry of the array called `name`.
  template <class T>
  T number(const std::string& name) const {
    T value{};
    read(name, std::span<T>(&value, 1));
    return value;
  }

  const std::map<std::string, Array>& arrays() const { return arrays_; }

 private:
  std::map<std::string, Array> arrays_;
};

}  // namespace fenchel
