// SPDX-License-Identifier: Apache-2.0
#include "support/python_module.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace fenchel::cli {
namespace {

// Looks for the module before it runs it, so that only a module that is not there is said to be missing.
// Without the current folder on the path, what lies there is not taken for the package.
constexpr const char* runner = R"py(
import sys
module, extra = sys.argv[1:3]
sys.path[:] = [place for place in sys.path if place]
import importlib.util, runpy
why = ""
try:
    found = importlib.util.find_spec(module)
except ImportError as error:
    found, why = None, f" ({error})"
if found is None:
    package = module.partition(".")[0]
    try:
        there = importlib.util.find_spec(package) is not None
    except ImportError:
        there = False
    lack = f"has no package {package}"
    if there:
        lack = f"has the package {package}, but not its part {module}{why}"
    print(f"error: {sys.executable} {lack}; type: {sys.executable} -m pip install --upgrade "
          f"'{package}[{extra}]', or set FENCHEL_PYTHON to an interpreter that has it", file=sys.stderr)
    sys.exit(2)
sys.argv[:] = [module, *sys.argv[3:]]
runpy.run_module(module, run_name="__main__", alter_sys=True)
)py";

}  // namespace

void become_python_module(const std::string& module, const std::string& extra,
                          const std::vector<std::string>& arguments) {
  const char* chosen = std::getenv("FENCHEL_PYTHON");
  const bool given = chosen != nullptr && *chosen != '\0';
  const std::string interpreter = given ? chosen : "python3";
  std::vector<std::string> words{interpreter, "-c", runner, module, extra};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(stdout);
  ::execvp(interpreter.c_str(), pointers.data());
  const std::string why = std::generic_category().message(errno);
  if (given) {
    throw std::runtime_error(fmt::format(
        "FENCHEL_PYTHON is '{}', which cannot be run: {}; expected a Python interpreter", interpreter, why));
  }
  throw std::runtime_error(fmt::format(
      "this command needs Python with the package fenchel, and python3 cannot be run: {}; install "
      "it, or set FENCHEL_PYTHON to an interpreter",
      why));
}

}  // namespace fenchel::cli
