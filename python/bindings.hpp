// SPDX-License-Identifier: Apache-2.0
// What the files of the extension module share: arrays of NumPy as views, results as arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/not_converged.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/regularizers/any.hpp"
#include "gil_release.hpp"

namespace fenchel::python {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu>;

/// The shape of an array.
template <class AnyArray>
std::vector<std::size_t> shape_of(const AnyArray& array) {
  std::vector<std::size_t> shape(array.ndim());
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = array.shape(i);
  return shape;
}

/// Rows along the last axis; a vector is one row. Throws std::invalid_argument for a number.
template <class T>
MatrixView<const T> rows_of(const char* name, const Array<T>& array) {
  if (array.ndim() == 0) {
    throw std::invalid_argument(std::string(name) + " is a single number; expected at least one axis");
  }
  const std::size_t columns = array.shape(array.ndim() - 1);
  std::size_t rows = 1;
  for (std::size_t i = 0; i + 1 < array.ndim(); ++i) rows *= array.shape(i);
  return {array.data(), rows, columns};
}

/// Users of Python see no reports: they are warned where predictions are not what they should be. The text
/// has no numbers, so that Python's filters show it once. Needs the GIL.
inline void warn_unless_converged(const AnyRegularizer& omega, const Report& report) {
  if (is_exact(report)) return;
  const Traits traits = omega.refined_traits();
  if (traits.name == "custom") return;  // says so itself
  const std::string message = std::string(traits.name) +
                              ": results are not exact: the search for them ended with '" +
                              std::string(to_string(report.status)) + "'";
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1) != 0) throw nb::python_error();
}
/// Runs a computation with the GIL released; its report may be a warning.
template <class Compute>
void computed(const AnyRegularizer& omega, Compute compute) {
  Report report;
  {
    const GilRelease release;
    report = compute();
  }
  warn_unless_converged(omega, report);
}

/// A new array of some shape, not filled.
template <class T>
Result<T> new_array(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  auto memory = std::make_unique_for_overwrite<T[]>(size);
  T* data = memory.get();
  nb::capsule owner(memory.release(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Result<T>(data, shape.size(), shape.data(), owner);
}

/// A new array of one axis with these values.
template <class T>
Result<T> copied(const std::vector<T>& values) {
  const Result<T> result = new_array<T>({values.size()});
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

template <class T>
MatrixView<T> rows_of(const Result<T>& array, const MatrixView<const T>& like) {
  return {array.data(), like.rows(), like.cols()};
}

/// body(i), whose errors say which one it was where there are several: "row 3: …".
template <class Body>
void named(const char* what, std::size_t i, std::size_t count, const Body& body) {
  try {
    body(i);
  } catch (const std::invalid_argument& error) {
    if (count == 1) throw;
    throw std::invalid_argument(std::string(what) + " " + std::to_string(i) + ": " + error.what());
  }
}

/// The natural shape of scores over structures.
nb::tuple extents_of(const AnyPolytope& set);

/// The words of a text as a tuple.
nb::tuple words(std::string_view list);

/// An option as a parameter of Python: `intercept=none` of the library is fit_intercept=False.
std::string spelled_as_argument(std::string_view option, std::string_view value);

/// From here on an OptionError is a ValueError that names parameters of Python.
void translate_option_errors();

void bind_addresses(nb::class_<AnyRegularizer>& omega);
void bind_combinations(nb::module_& module);
void bind_costs(nb::module_& module);
void bind_custom(nb::module_& module);
void bind_divergences(nb::module_& module);
void bind_entmax(nb::module_& module);
void bind_explain(nb::module_& module);
void bind_foreign(nb::module_& module);
void bind_lists(nb::module_& module);
void bind_losses(nb::module_& module);
void bind_polytopes(nb::module_& module);
void bind_ragged(nb::module_& module);
void bind_regularizers(nb::module_& module);
void bind_soft(nb::module_& module);
void bind_projections(nb::module_& module);
void bind_treebanks(nb::module_& module);

}  // namespace fenchel::python
