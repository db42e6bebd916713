// SPDX-License-Identifier: Apache-2.0
// The axes of a grid that have a meaning of their own; any other name is a parameter of Ω.
#pragma once

#include <string_view>

namespace fenchel {

inline constexpr std::string_view lambda_axis = "lambda";
inline constexpr std::string_view rho_axis = "rho";
inline constexpr std::string_view temperature_axis = "temperature";
inline constexpr std::string_view kernel_prefix = "kernel.";  // of a parameter of the kernel

}  // namespace fenchel
