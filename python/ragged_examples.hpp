// SPDX-License-Identifier: Apache-2.0
// What the bindings of ragged batches and of sets of structures share.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "fenchel/polytopes/any.hpp"

namespace fenchel::python {

using Offsets = Array<std::int64_t>;

/// Offsets as C++ counts, from 0 to the number of values. Throws std::invalid_argument unless they are.
template <class T>
std::vector<std::size_t> offsets_of(const Array<T>& values, const Offsets& offsets) {
  if (values.ndim() != 1 || offsets.ndim() != 1 || offsets.size() == 0) {
    throw std::invalid_argument("expected a flat array of values and a flat array of at least one offset");
  }
  const std::span<const std::int64_t> given(offsets.data(), offsets.size());
  const auto end = static_cast<std::int64_t>(values.size());
  if (given.front() != 0 || given.back() != end) {
    throw std::invalid_argument("offsets run from " + std::to_string(given.front()) + " to " +
                                std::to_string(given.back()) + "; expected 0 to " + std::to_string(end));
  }
  std::vector<std::size_t> result;
  result.reserve(given.size());
  std::int64_t before = 0;
  for (const std::int64_t offset : given) {
    if (offset < before || offset > end) {
      throw std::invalid_argument("an offset is " + std::to_string(offset) + ", after " +
                                  std::to_string(before) + "; expected offsets that do not decrease");
    }
    before = offset;
    result.push_back(static_cast<std::size_t>(offset));
  }
  return result;
}

/// Throws std::invalid_argument unless y is a structure of the set.
void check_structure(const AnyPolytope& set, std::span<const double> y);

/// Structures to labels and back (bind_structures.cpp).
void bind_structures(nb::module_& module);

}  // namespace fenchel::python
