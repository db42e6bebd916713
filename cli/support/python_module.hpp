// SPDX-License-Identifier: Apache-2.0
// Commands that the Python package does: the tool becomes `python -m MODULE`, in an interpreter that has it.
#pragma once

#include <string>
#include <vector>

namespace fenchel::cli {

/// Replaces this process by a module of the Python package, run with these arguments; its exit status is
/// that of the tool. The interpreter is $FENCHEL_PYTHON, else python3 on the PATH; nothing is imported from
/// the current folder. `extra` is what pip installs beside the package for this module ("onnx"), for the
/// message of an interpreter that cannot import it, which is an error (2). Throws std::runtime_error where
/// there is no interpreter.
[[noreturn]] void become_python_module(const std::string& module, const std::string& extra,
                                       const std::vector<std::string>& arguments);

}  // namespace fenchel::cli
