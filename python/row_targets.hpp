// SPDX-License-Identifier: Apache-2.0
// Rows from Python: how they are computed, what shape a number for each has, and their targets, labels or
// rows like θ.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "fenchel/losses/batch_options.hpp"
#include "fenchel/losses/targets.hpp"

namespace fenchel::python {

/// One vector is named as such in messages, rows with their number.
template <class T>
BatchOptions options_of(const Array<T>& theta, int threads) {
  return {.threads = threads, .one_vector = theta.ndim() == 1};
}

/// A shape without its last axis, that of the scores.
inline std::vector<std::size_t> leading(std::vector<std::size_t> shape) {
  shape.pop_back();
  return shape;
}

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
