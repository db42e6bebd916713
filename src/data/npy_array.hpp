// SPDX-License-Identifier: Apache-2.0
// An array of a .npy file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fenchel {

struct NpyArray {
  enum class Type { f4, f8, i4, i8, u1 };
  Type type = Type::f8;
  bool fortran = false;
  std::vector<std::size_t> shape;  ///< one or two sizes
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  std::size_t rows() const { return shape[0]; }
  std::size_t cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  /// Entry (i, j) as a double.
  double operator()(std::size_t i, std::size_t j) const;
};

/// Reads or maps a file. Throws DataError if it is not an array that can be read.
NpyArray read_npy_array(const std::string& path);

}  // namespace fenchel
