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

std::vector<std::string> words_of(const OptionInfo& option) {
  return option.values.empty() ? option.common : option.values;
}

// What stands in the place of arguments: commands below this one, or words; of anything else, files.
std::vector<std::string> arguments_of(const CommandInfo& command) {
  std::vector<std::string> words = names_of(command.commands);
  for (const OptionInfo& option : command.options) {
    const std::vector<std::string> known = words_of(option);
    if (option.argument) words.insert(words.end(), known.begin(), known.end());
  }
  return words;
}

// A command and how it is called below the program: "synth ranking".
struct CalledCommand {
  std::string called;
  const CommandInfo& command;
};

std::vector<CalledCommand> all_below(const CommandInfo& program) {
  std::vector<CalledCommand> all;
  for (const CommandInfo& command : program.commands) {
    all.push_back({command.name, command});
    for (const CommandInfo& inner : command.commands) all.push_back({command.name + " " + inner.name, inner});
  }
  return all;
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
      "  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then "
      "before=${{COMP_WORDS[COMP_CWORD-2]}}; fi\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '{1} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$command ${{COMP_WORDS[2]}}\" in\n",
      program.name, fmt::join(names_of(program.commands), " "));
  const std::vector<CalledCommand> commands = all_below(program);
  for (const auto& [called, command] : commands) {
    if (called == command.name) continue;
    script += fmt::format("    '{0}') [[ $COMP_CWORD -gt 2 ]] && command='{0}' ;;\n", called);
  }
  script += "  esac\n  case \"$command $before\" in\n";
  const auto reply = [](const std::vector<std::string>& words) {
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", fmt::join(words, " "));
  };
  for (const auto& [called, command] : commands) {
    for (const OptionInfo& option : command.options) {
      if (words_of(option).empty() || option.argument) continue;
      for (const std::string& name : option.names) {
        script += fmt::format("    '{} {}') {}; return ;;\n", called, name, reply(words_of(option)));
      }
    }
  }
  script += "  esac\n  if [[ $word == -* ]]; then\n    case $command in\n";
  for (const auto& [called, command] : commands) {
    script += fmt::format("      '{}') {} ;;\n", called, reply(flags_of(command)));
  }
  script += "    esac\n  else\n    case $command in\n";
  for (const auto& [called, command] : commands) {
    const std::vector<std::string> words = arguments_of(command);
    if (!words.empty()) script += fmt::format("      '{}') {}; return ;;\n", called, reply(words));
  }
  return script + fmt::format(
                      "    esac\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}}\n"
                      "complete -o filenames -F _{0} {0}\n",
                      program.name);
}

std::string zsh_case(const std::string& called, const CommandInfo& command) {
  std::string script = fmt::format("    '{}')\n", called);
  for (const OptionInfo& option : command.options) {
    if (words_of(option).empty() || option.argument) continue;
    for (const std::string& name : option.names) {
      script += fmt::format("      [[ $words[CURRENT-1] == {} ]] && {{ compadd -- {}; return }}\n", name,
                            fmt::join(words_of(option), " "));
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
  const std::vector<std::string> words = arguments_of(command);
  if (!words.empty()) {
    script += fmt::format("      [[ $words[CURRENT] != -* ]] && {{ compadd -- {}; return }}\n",
                          fmt::join(words, " "));
  }
  return script + "      ;;\n";
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
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  case \"$words[2] $words[3]\" in\n";
  const std::vector<CalledCommand> all = all_below(program);
  for (const auto& [called, command] : all) {
    if (called != command.name)
      script += fmt::format("    '{0}') (( CURRENT > 3 )) && command='{0}' ;;\n", called);
  }
  script += "  esac\n  case $command in\n";
  for (const auto& [called, command] : all) script += zsh_case(called, command);
  return script +
         fmt::format(
             "  esac\n  if [[ $words[CURRENT] == -* ]]; then\n    _describe flag flags\n  else\n    _files\n"
             "  fi\n}}\nif [[ $funcstack[1] == _{0} ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
             program.name);
}

std::string fish(const CommandInfo& program) {
  std::string script =
      fmt::format("# {0}: completion for fish. Load it with: {0} completion fish | source\n", program.name);
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n", program.name,
                          command.name, quoted(first_line(command.description)));
  }
  for (const auto& [called, command] : all_below(program)) {
    std::string seen = "__fish_seen_subcommand_from " + called;
    if (const std::size_t gap = called.find(' '); gap != std::string::npos) {
      seen = fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                         called.substr(0, gap), called.substr(gap + 1));
    }
    const std::string start = fmt::format("complete -c {} -n '{}'", program.name, seen);
    if (const std::vector<std::string> words = arguments_of(command); !words.empty()) {
      script += fmt::format("{} -f -a {}\n", start, quoted(fmt::format("{}", fmt::join(words, " "))));
    }
    for (const OptionInfo& option : command.options) {
      if (option.argument) continue;
      const std::vector<std::string> words = words_of(option);
      script += start;
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.flag) script += option.values.empty() ? " -r" : " -x";
      if (!words.empty()) script += " -a " + quoted(fmt::format("{}", fmt::join(words, " ")));
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
