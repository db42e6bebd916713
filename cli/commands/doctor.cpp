// SPDX-License-Identifier: Apache-2.0
// fenchel doctor: what this build is and what it found on this machine.
#include <fmt/core.h>

#include <thread>

#include "commands/commands.hpp"
#include "core/parallel.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/version.hpp"
#include "kernels/rows.hpp"
#include "solvers/blas.hpp"

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

}  // namespace

void add_doctor(Command& program) {
  Command command =
      program.subcommand("doctor", "Show the version, instruction set, BLAS and threads in use");
  command.footer("Example:\n  fenchel doctor");
  command.action([] {
    fmt::print("version        {}\n", FENCHEL_VERSION);
    fmt::print("build          {}, {}\n", build_type, compiler);
    fmt::print("SIMD target    {}\n", kernels::simd_target());
    fmt::print("BLAS           {}\n", blas_description());
    fmt::print("threads        {} of {} (OMP_NUM_THREADS sets them)\n", resolve_threads(0),
               std::thread::hardware_concurrency());
    fmt::print("regularizers   {}\n", regularizer_list().size());
    return 0;
  });
}

}  // namespace fenchel::cli
