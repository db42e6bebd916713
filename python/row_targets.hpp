// SPDX-License-Identifier: Apache-2.0
// Targets of rows from Python: labels, or rows like θ.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "fenchel/losses/targets.hpp"

namespace fenchel::python {

/// Throws std::invalid_argument unless both have one shape.
template <class AnyArray, class T>
void check_same_shape(const char* name, const AnyArray& array, const Array<T>& theta) {
  if (shape_of(array) != shape_of(theta)) {
    throw std::invalid_argument(std::string(name) + " has another shape than theta");
  }
}

/// One label for each row of θ.
template <class T>
Targets<T> targets_of(const Array<std::int64_t>& labels, const Array<T>& theta) {
  const std::size_t expected = rows_of("theta", theta).rows();
  if (labels.size() != expected) {
    throw std::invalid_argument("y has " + std::to_string(labels.size()) + " labels; expected " +
                                std::to_string(expected) + ", one for each row of theta");
  }
  return Targets<T>(std::span<const std::int64_t>(labels.data(), labels.size()));
}
/// A row for each row of θ.
template <class T>
Targets<T> targets_of(const Array<T>& y, const Array<T>& theta) {
  check_same_shape("y", y, theta);
  return Targets<T>(rows_of("y", y));
}

}  // namespace fenchel::python
