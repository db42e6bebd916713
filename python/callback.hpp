// SPDX-License-Identifier: Apache-2.0
// A Python object that C++ keeps, copies and calls on any thread: every use takes the GIL. The package's side
// (custom.py) checks what the user's methods return, so that results have the right size here.
#pragma once

#include <nanobind/stl/pair.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "bindings.hpp"

namespace fenchel::python {

class Callback {
 public:
  explicit Callback(const nb::object& object)
      : object_(nb::object(object).release().ptr(), [](PyObject* held) {
          if (!nb::is_alive()) return;
          const nb::gil_scoped_acquire gil;
          Py_DECREF(held);
        }) {}

  /// A method whose result is a number.
  template <class... Arguments>
  double number(const char* method, Arguments... arguments) const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<double>(call(method, arguments...));
  }

  /// A method whose result is a vector as long as `out`.
  template <class... Arguments>
  void vector(const char* method, std::span<double> out, Arguments... arguments) const {
    const nb::gil_scoped_acquire gil;
    copy(call(method, arguments...), out);
  }

  /// A method that returns a vector and a number.
  template <class... Arguments>
  double vector_and_number(const char* method, std::span<double> out, Arguments... arguments) const {
    const nb::gil_scoped_acquire gil;
    const auto [vector, number] = nb::cast<std::pair<nb::object, double>>(call(method, arguments...));
    copy(vector, out);
    return number;
  }

  /// A method that returns rows; calls the body with each.
  template <class Body, class... Arguments>
  void rows(const char* method, std::size_t columns, Body body, Arguments... arguments) const {
    const nb::gil_scoped_acquire gil;
    const auto result = nb::cast<Array<double>>(call(method, arguments...));
    for (std::size_t i = 0; i < result.size() / columns; ++i) {
      body(i, std::span<const double>(result.data() + i * columns, columns));
    }
  }

 private:
  static nb::object argument(std::span<const double> values) {
    const auto array = new_array<double>({values.size()});
    std::ranges::copy(values, array.data());
    return nb::cast(array);
  }
  static nb::object argument(double value) { return nb::float_(value); }
  static nb::object argument(std::size_t value) { return nb::int_(value); }

  template <class... Arguments>
  nb::object call(const char* method, Arguments... arguments) const {
    return nb::handle(object_.get()).attr(method)(argument(arguments)...);
  }

  static void copy(const nb::object& result, std::span<double> out) {
    const auto values = nb::cast<Array<double>>(result);
    if (values.size() != out.size())
      throw std::invalid_argument("a method returned a vector of another size");
    std::copy_n(values.data(), out.size(), out.begin());
  }

  std::shared_ptr<PyObject> object_;
};

/// Whether the user's class has a method.
inline bool has_method(const nb::object& self, const char* method) {
  return nb::cast<bool>(self.attr("_has")(method));
}

/// A domain by the name that Python has for it.
Domain domain_of(const std::string& name);

/// Sets of structures (bind_custom_polytopes.cpp).
void bind_custom_polytopes(nb::module_& module);

}  // namespace fenchel::python
