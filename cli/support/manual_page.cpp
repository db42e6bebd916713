// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "support/command_info.hpp"

namespace fenchel::cli {
namespace {

/// Text of man(7): backslashes and leading dots would be commands, and a hyphen is no minus.
std::string escaped(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string option_text(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  if (!option.flag && !option.argument) {
    names += " \\fI" +
             (option.values.empty() ? "VALUE" : escaped(fmt::format("{}", fmt::join(option.values, "|")))) +
             "\\fR";
  }
  std::string help = escaped(option.help);
  if (!option.standard.empty()) help += escaped(fmt::format(" [{}]", option.standard));
  return fmt::format(".TP\n{}\n{}\n", names, help);
}

std::string command_text(const CommandInfo& command, const std::string& before) {
  const std::string name = before + " " + command.name;
  std::string arguments;
  for (const OptionInfo& option : command.options) {
    if (option.argument) arguments += " \\fI" + escaped(option.names.front()) + "\\fR";
  }
  std::string text = fmt::format(".SS \"{}\"\n\\fB{}\\fR{} [flags]\n.PP\n{}\n", escaped(name), escaped(name),
                                 arguments, escaped(command.description));
  for (const OptionInfo& option : command.options) text += option_text(option);
  if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.footer));
  for (const CommandInfo& inner : command.commands) text += command_text(inner, name);
  return text;
}

}  // namespace

std::string manual_page(const CommandInfo& program, const std::string& version) {
  std::string page = fmt::format(
      ".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- learning with Fenchel-Young losses\n"
      ".SH SYNOPSIS\n\\fB{}\\fR \\fICOMMAND\\fR [arguments and flags]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      capitals(program.name), escaped(version), escaped(program.name), escaped(program.name),
      escaped(program.description));
  for (const CommandInfo& command : program.commands) page += command_text(command, program.name);
  page +=
      ".SH EXIT STATUS\n"
      ".TP\n0\ndone; training that has not converged is done too, with a warning and a model\n"
      ".TP\n1\nfinished, but not all is well: lines of eval that failed, training that diverged (there is no "
      "model then), a log or the last checkpoint that could not be written, a model that verify does not "
      "confirm\n"
      ".TP\n2\nwrong use, wrong input, a file (or stdout) that cannot be read or written, or too little "
      "memory; nothing was done, or what was begun is not there\n"
      ".TP\n130, 143\nended by Ctrl\\-C or SIGTERM; where there was something to save, after saving\n";
  return page;
}

}  // namespace fenchel::cli
