// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stdexcept>

#include "support/command_info.hpp"

namespace fenchel::cli {
namespace {

std::vector<std::string> flags_of(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const OptionInfo& option : command.options) {
    if (!option.argument) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CommandInfo& command : commands) names.push_back(command.name);
  return names;
}

/// For a shell between single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string bash(const CommandInfo& program) {
  std::string script = fmt::format(
      "# {0}: completion for bash. Load it with: source <({0} completion bash)\n"
      "_{0}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} "
      "command=${{COMP_WORDS[1]}}\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '{1} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$command $before\" in\n",
      program.name, fmt::join(names_of(program.commands), " "));
  for (const CommandInfo& command : program.commands) {
    for (const OptionInfo& option : command.options) {
      if (option.values.empty() || option.argument) continue;
      for (const std::string& name : option.names) {
        script += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                              command.name, name, fmt::join(option.values, " "));
      }
    }
  }
  script += "  esac\n  if [[ $word == -* ]]; then\n    case $command in\n";
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("      {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n", command.name,
                          fmt::join(flags_of(command), " "));
  }
  script += "    esac\n  else\n    case $command in\n";
  for (const CommandInfo& command : program.commands) {
    std::vector<std::string> words = names_of(command.commands);
    for (const OptionInfo& option : command.options) {
      if (option.argument) words.insert(words.end(), option.values.begin(), option.values.end());
    }
    if (words.empty()) continue;
    script += fmt::format("      {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", command.name,
                          fmt::join(words, " "));
  }
  return script + fmt::format(
                      "    esac\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}}\n"
                      "complete -o filenames -F _{0} {0}\n",
                      program.name);
}

std::string zsh(const CommandInfo& program) {
  std::string script = fmt::format(
      "#compdef {0}\n# {0}: completion for zsh. Load it with: source <({0} completion zsh)\n_{0}() {{\n"
      "  local -a commands flags\n  commands=(\n",
      program.name);
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("    {}\n", quoted(command.name + ":" + first_line(command.description)));
  }
  script +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case "
      "$words[2] in\n";
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("    {})\n", command.name);
    for (const OptionInfo& option : command.options) {
      if (option.values.empty() || option.argument) continue;
      for (const std::string& name : option.names) {
        script += fmt::format("      [[ $words[CURRENT-1] == {} ]] && {{ compadd -- {}; return }}\n", name,
                              fmt::join(option.values, " "));
      }
    }
    script += "      flags=(\n";
    for (const OptionInfo& option : command.options) {
      if (option.argument) continue;
      for (const std::string& name : option.names) {
        script += fmt::format("        {}\n", quoted(name + ":" + first_line(option.help)));
      }
    }
    script += "      )\n";
    const std::vector<std::string> words = names_of(command.commands);
    if (!words.empty()) script += fmt::format("      compadd -- {}\n", fmt::join(words, " "));
    script += "      ;;\n";
  }
  return script +
         fmt::format(
             "  esac\n  if [[ $words[CURRENT] == -* ]]; then\n    _describe flag flags\n  else\n    _files\n"
             "  fi\n}}\ncompdef _{0} {0}\n",
             program.name);
}

std::string fish(const CommandInfo& program) {
  std::string script =
      fmt::format("# {0}: completion for fish. Load it with: {0} completion fish | source\n", program.name);
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program.name,
                          command.name, quoted(first_line(command.description)));
    const std::string here = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& word : names_of(command.commands)) {
      script += fmt::format("complete -c {} {} -f -a {}\n", program.name, here, word);
    }
    for (const OptionInfo& option : command.options) {
      if (option.argument) {
        if (!option.values.empty()) {
          script += fmt::format("complete -c {} {} -f -a {}\n", program.name, here,
                                quoted(fmt::format("{}", fmt::join(option.values, " "))));
        }
        continue;
      }
      script += fmt::format("complete -c {} {}", program.name, here);
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.flag) script += option.values.empty() ? " -r" : " -x";
      if (!option.values.empty()) script += " -a " + quoted(fmt::format("{}", fmt::join(option.values, " ")));
      script += fmt::format(" -d {}\n", quoted(first_line(option.help)));
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const CommandInfo& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  if (shell == "fish") return fish(program);
  throw std::invalid_argument(fmt::format("the shell is '{}'; expected bash, zsh or fish", shell));
}

}  // namespace fenchel::cli
