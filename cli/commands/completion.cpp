// SPDX-License-Identifier: Apache-2.0
// fenchel help, completion and manual: what the tool takes, for people, for shells and for man.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/version.hpp"
#include "support/command_info.hpp"

namespace fenchel::cli {

void add_completion(Command& program) {
  Command command = program.subcommand("completion", "A script that completes commands and flags in a shell");
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  auto shell = std::make_shared<std::string>();
  command.option("SHELL", *shell, "bash, zsh or fish", {.required = true, .common = shells});
  command.footer("Example:\n  source <(fenchel completion bash)\n  fenchel completion fish | source");
  command.action([program, shell, shells] {
    if (std::ranges::find(shells, *shell) == shells.end()) {
      throw std::invalid_argument(  // csh is no misspelt zsh
          fmt::format("SHELL is '{}'; there are completions for bash, zsh and fish", *shell));
    }
    fmt::print("{}", completion_script(program.info(), *shell));
    return 0;
  });
}

void add_help(Command& program) {
  Command command = program.subcommand("help", "The help of a command, as --help shows it");
  auto words = std::make_shared<std::vector<std::string>>();
  std::vector<std::string> commands;
  for (const CommandInfo& known : program.info().commands) commands.push_back(known.name);
  command.option("COMMAND", *words, "a command; without one, all of them", {.common = commands});
  command.footer("Example:\n  fenchel help train");
  command.action([program, words] {
    fmt::print("{}", program.help(*words));
    return 0;
  });
}

void add_manual(Command& program) {
  Command command = program.subcommand("manual", "The manual page: all commands and flags, for man");
  command.footer("Example:\n  fenchel manual > fenchel.1 && man ./fenchel.1");
  command.action([program] {
    fmt::print("{}", manual_page(program.info(), "fenchel " FENCHEL_VERSION));
    return 0;
  });
}

}  // namespace fenchel::cli
