// SPDX-License-Identifier: Apache-2.0
// fenchel doctor: what this build is and what it found on this machine; with --gpu, whether the Python
// package's kernels for GPUs work there.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "commands/commands.hpp"
#include "core/parallel.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/version.hpp"
#include "kernels/rows.hpp"
#include "solvers/blas.hpp"
#include "support/python_module.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* compiler = "gcc " __VERSION__;
#else
constexpr const char* compiler = "unknown";
#endif

#if defined(NDEBUG)
constexpr const char* build_type = "release";
#else
constexpr const char* build_type = "debug (slow: configure with the release preset for speed)";
#endif

void print_findings() {
  fmt::print("version        {}\n", FENCHEL_VERSION);
  fmt::print("build          {}, {}\n", build_type, compiler);
  fmt::print("SIMD target    {}\n", kernels::simd_target());
  fmt::print("BLAS           {}\n", blas_description());
  fmt::print("threads        {} of {} (OMP_NUM_THREADS sets them)\n", resolve_threads(0),
             std::thread::hardware_concurrency());
  fmt::print("regularizers   {}\n", regularizer_list().size());
}

void print_findings_json() {
  const nlohmann::ordered_json found{{"version", FENCHEL_VERSION},
                                     {"build", build_type},
                                     {"compiler", compiler},
                                     {"simd_target", kernels::simd_target()},
                                     {"blas", blas_description()},
                                     {"threads", resolve_threads(0)},
                                     {"processors", std::thread::hardware_concurrency()},
                                     {"regularizers", regularizer_list().size()},
                                     {"polytopes", polytope_list().size()}};
  fmt::print("{}\n", json_text(found));
}

}  // namespace

void add_doctor(Command& program) {
  Command command = program.subcommand(
      "doctor", "Show the version, instruction set, BLAS and threads in use, or test the kernels for GPUs");
  auto json = std::make_shared<bool>(false);
  auto gpu = std::make_shared<bool>(false);
  command.flag("--json", *json, "one JSON object");
  command.flag("--gpu", *gpu, "test and time the kernels for GPUs (by the Python package: FENCHEL_PYTHON)");
  command.footer("Example:\n  fenchel doctor\n  fenchel doctor --gpu --json");
  command.action([json, gpu]() -> int {
    if (*gpu) {
      become_python_module("fenchel.triton.doctor", "triton",
                           *json ? std::vector<std::string>{"--json"} : std::vector<std::string>{});
    }
    *json ? print_findings_json() : print_findings();
    return 0;
  });
}

}  // namespace fenchel::cli
