// SPDX-License-Identifier: Apache-2.0
// The fenchel command-line tool: one file a command, under commands/.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "commands/commands.hpp"
#include "fenchel/version.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app{
      "fenchel: learning with Fenchel-Young losses.\nChoose the shape of the output (a regularizer Omega); "
      "prediction, loss, gradient, margin and prox follow."};
  app.name("fenchel");
  app.set_version_flag("--version", "fenchel " FENCHEL_VERSION);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return std::string("error: ") + error.what() + "\nTry '" + failed->get_name() + " --help'.\n";
  });
  int status = 0;
  for (const auto add : fenchel::cli::all_commands) add(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  // A full disk or a closed pipe is not success.
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? status : 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  } catch (...) {
    std::fputs("error: unknown failure\n", stderr);
  }
  return 2;
}
