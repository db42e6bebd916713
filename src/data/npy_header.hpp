// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a dictionary of Python with the keys descr, fortran_order and shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fenchel {

struct NpyHeader {
  std::string type;  ///< as in "<f8"
  bool fortran = false;
  std::vector<std::size_t> shape;
};

/// Reads the header at the beginning of `bytes`, which become what follows it. Throws DataError, naming
/// `path`, unless it is exactly what NumPy writes: each key once, no others, a text, True or False, and
/// sizes.
NpyHeader read_npy_header(const std::string& path, std::span<const std::byte>& bytes);

}  // namespace fenchel
