// SPDX-License-Identifier: Apache-2.0
// Features X as views of NumPy and SciPy memory: nothing is copied.
#include <fmt/core.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>

#include "training.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

template <class T>
Features dense_features(const Array<T>& x) {
  if (x.ndim() != 2) throw std::invalid_argument(fmt::format("X has {} axes; expected 2", x.ndim()));
  return {FeaturesView<T>(MatrixView<const T>(x.data(), x.shape(0), x.shape(1))), keep(x)};
}

// Rows are read without looking at their ends again, so these have to be right.
template <class T>
Features sparse_features(const Array<T>& data, const Array<std::int32_t>& indices,
                         const Array<std::int64_t>& offsets, std::size_t columns) {
  const std::span<const std::int64_t> ends(offsets.data(), offsets.size());
  const auto size = static_cast<std::int64_t>(data.size());
  if (ends.empty() || indices.size() != data.size() || ends.front() < 0 || ends.back() > size ||
      !std::ranges::is_sorted(ends)) {
    throw std::invalid_argument(
        "X is not a CSR matrix: indptr must increase within as many data as there are indices");
  }
  return {FeaturesView<T>(CsrView<T>(columns, ends, indices.data(), data.data())),
          keep(std::tuple(data, indices, offsets))};
}

template <class T>
void bind_features_of(nb::class_<Features>& features) {
  features
      .def(
          "__init__", [](Features* self, const Array<T>& x) { new (self) Features(dense_features<T>(x)); },
          "x"_a.noconvert())
      .def(
          "__init__",
          [](Features* self, const Array<T>& data, const Array<std::int32_t>& indices,
             const Array<std::int64_t>& offsets, std::size_t columns) {
            new (self) Features(sparse_features<T>(data, indices, offsets, columns));
          },
          "data"_a.noconvert(), "indices"_a.noconvert(), "offsets"_a.noconvert(), "columns"_a);
}

}  // namespace

void bind_features(nb::module_& module) {
  nb::class_<Features> features(module, "Features", "Rows of X, dense or sparse, in the memory of arrays.");
  bind_features_of<float>(features);
  bind_features_of<double>(features);
  features.def_prop_ro("shape", [](const Features& x) { return std::tuple(x.rows(), x.cols()); });
}

}  // namespace fenchel::python
