// SPDX-License-Identifier: Apache-2.0
// What the files of the extension module share: arrays of NumPy as views, results as arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "fenchel/core/views.hpp"
#include "fenchel/regularizers/any.hpp"

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

template <class T>
MatrixView<T> rows_of(const Result<T>& array, const MatrixView<const T>& like) {
  return {array.data(), like.rows(), like.cols()};
}

void bind_addresses(nb::class_<AnyRegularizer>& omega);
void bind_custom(nb::module_& module);
void bind_entmax(nb::module_& module);
void bind_explain(nb::module_& module);
void bind_polytopes(nb::module_& module);
void bind_ragged(nb::module_& module);
void bind_regularizers(nb::module_& module);
void bind_soft(nb::module_& module);
void bind_treebanks(nb::module_& module);

}  // namespace fenchel::python
