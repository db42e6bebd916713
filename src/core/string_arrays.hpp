// SPDX-License-Identifier: Apache-2.0
// Strings in tensor files as bytes and the places where they end: they need not be UTF-8.
#pragma once

#include <string>
#include <vector>

#include "fenchel/core/tensor_file.hpp"

namespace fenchel {

/// Adds the arrays name.bytes and name.ends.
void add_string_arrays(TensorFile& file, const std::string& name, const std::vector<std::string>& strings);
/// The inverse; throws std::invalid_argument if the ends are not in order.
std::vector<std::string> read_string_arrays(const TensorFile& file, const std::string& name);

}  // namespace fenchel
