// SPDX-License-Identifier: Apache-2.0
// What a computation needs to go on where it stopped: named arrays, which whoever keeps them (a checkpoint
// file) need not understand, and the archive through which objects write them and read them back.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
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

  /// The array called `name`; throws std::invalid_argument if there is none of that type.
  template <class T>
  const std::vector<T>& array(const std::string& name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw std::invalid_argument("the saved state has no '" + name + "'");
    const auto* values = std::get_if<std::vector<T>>(&found->second);
    if (!values) throw std::invalid_argument("'" + name + "' of the saved state has another type");
    return *values;
  }

  const std::map<std::string, Array>& arrays() const { return arrays_; }

 private:
  std::map<std::string, Array> arrays_;
};

class StateArchive;

/// A class that names its own state: in `visit_state` it passes each of its members to the archive.
template <class T>
concept Stateful = requires(T& object, StateArchive& archive) {
  object.visit_state(archive);
};

template <class T>
concept StateNumber = std::is_arithmetic_v<T>;

/// Walks over the state of an object: writes it into a State, or reads it back. What is read is checked:
/// std::invalid_argument names the entry that is missing or has another type or size, that is not finite, or
/// a whole number that is negative or too large for its type. Entries are read in the order of the visit,
/// so that what was read may decide about what follows.
class StateArchive {
 public:
  static StateArchive writer(State& state) { return {&state, nullptr}; }
  static StateArchive reader(const State& state) { return {nullptr, &state}; }

  bool reading() const { return from_ != nullptr; }

  template <StateNumber T>
  void operator()(const std::string& name, T& value) {
    transfer(name, std::span<T>(&value, 1), Finite::required);
  }
  /// As many entries as there are.
  template <StateNumber T>
  void operator()(const std::string& name, std::span<T> values) {
    transfer(name, values, Finite::required);
  }
  template <StateNumber T>
  void operator()(const std::string& name, std::vector<T>& values) {
    transfer(name, std::span<T>(values), Finite::required);
  }
  /// As many entries as were saved.
  template <StateNumber T>
  void resizable(const std::string& name, std::vector<T>& values) {
    if (reading()) values.resize(from_->array<Stored<T>>(prefix_ + name).size());
    (*this)(name, values);
  }

  /// Numbers that may be infinite, or not numbers.
  void extended(const std::string& name, double& value) {
    transfer(name, std::span<double>(&value, 1), Finite::optional);
  }
  void extended(const std::string& name, std::span<double> values) {
    transfer(name, values, Finite::optional);
  }
  void extended(const std::string& name, std::optional<double>& value) {
    bool known = value.has_value();
    double number = value.value_or(0);
    (*this)(name + ".known", known);
    extended(name, number);
    if (reading()) value = known ? std::optional(number) : std::nullopt;
  }

  /// One of the enumerators up to `last`, which count from 0.
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const std::string& name, E& value, E last) {
    auto code = static_cast<std::uint64_t>(value);
    (*this)(name, code);
    check(name, code <= static_cast<std::uint64_t>(last));
    if (reading()) value = static_cast<E>(code);
  }

  /// Members that have a visit_state of their own; their entries are called "name.entry".
  template <Stateful T>
  void operator()(const std::string& name, T& object) {
    StateArchive inner = *this;
    inner.prefix_ += name + ".";
    object.visit_state(inner);
  }
  /// The same with "name0.entry", "name1.entry" and so on.
  template <Stateful T>
  void operator()(const std::string& name, std::vector<T>& objects) {
    for (std::size_t k = 0; k < objects.size(); ++k) (*this)(name + std::to_string(k), objects[k]);
  }

  /// Refuses `name` as read where it does not fit the object or its other entries.
  void check(const std::string& name, bool fits) const {
    if (reading() && !fits) refuse(name, "does not fit");
  }
  /// Refuses `name` as read where it is not what follows from the data, `expected`, but for rounding, which
  /// may differ from machine to machine. `scale`: of the numbers that it was computed from.
  void check_data(const std::string& name, std::span<const double> values, std::span<const double> expected,
                  double scale) const {
    constexpr double tolerance = 1e-6;
    bool fits = values.size() == expected.size() && std::isfinite(scale);
    for (std::size_t i = 0; reading() && fits && i < values.size(); ++i) {
      fits = std::abs(values[i] - expected[i]) <= tolerance * scale;  // false for what is not a number
    }
    if (reading() && !fits) refuse(name, "does not fit the data");
  }
  void check_data(const std::string& name, double value, double expected) const {
    if (value == expected) return;  // infinities too
    check_data(name, std::span(&value, 1), std::span(&expected, 1), std::abs(expected));
  }

 private:
  enum class Finite { required, optional };
  template <class T>
  using Stored = std::conditional_t<
      std::is_floating_point_v<T>, T,
      std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>>;

  StateArchive(State* to, const State* from) : to_(to), from_(from) {}

  template <class T>
  void transfer(const std::string& name, std::span<T> values, Finite finite) {
    if (!reading()) {
      to_->set(prefix_ + name, std::vector<Stored<T>>(values.begin(), values.end()));
      return;
    }
    const std::vector<Stored<T>>& saved = from_->array<Stored<T>>(prefix_ + name);
    if (saved.size() != values.size()) {
      refuse(name,
             "has " + std::to_string(saved.size()) + " entries; expected " + std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < saved.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        if (finite == Finite::required && !std::isfinite(saved[i])) refuse(name, "is not finite");
      } else {
        // As an unsigned number, a negative one is larger than any that fits.
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        if (static_cast<std::uint64_t>(saved[i]) > largest) refuse(name, "is out of range");
      }
      values[i] = static_cast<T>(saved[i]);
    }
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw std::invalid_argument("'" + prefix_ + name + "' of the saved state " + why);
  }

  State* to_;
  const State* from_;
  std::string prefix_;
};

/// The state of an object.
template <Stateful T>
State save_state(const T& object) {
  State state;
  StateArchive archive = StateArchive::writer(state);
  // One visit serves both ways, so it is not const; with a writer it changes nothing.
  const_cast<T&>(object).visit_state(archive);
  return state;
}

/// Takes up where save_state was called on an object that was made alike. An object that refused its state
/// (StateArchive) may have read half of it: it is not to be used.
template <Stateful T>
void restore_state(T& object, const State& state) {
  StateArchive archive = StateArchive::reader(state);
  object.visit_state(archive);
}

}  // namespace fenchel
