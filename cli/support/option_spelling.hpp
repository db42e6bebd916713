// SPDX-License-Identifier: Apache-2.0
// How the tool writes the options that errors of the library name.
#pragma once

#include <string>
#include <string_view>

namespace fenchel::cli {

/// "--max-iterations", or "--intercept penalised" where there is a value.
std::string spelled_as_flag(std::string_view option, std::string_view value);

}  // namespace fenchel::cli
