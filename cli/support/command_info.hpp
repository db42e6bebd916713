// SPDX-License-Identifier: Apache-2.0
// What a command takes, as data: for completion by shells and for the manual.
#pragma once

#include <string>
#include <vector>

namespace fenchel::cli {

struct OptionInfo {
  std::vector<std::string> names;  ///< "-h", "--help"; an argument by its place has its name: "DATA"
  std::string help;
  std::string standard;             ///< its value where none is given; empty: not shown
  std::vector<std::string> values;  ///< the words it takes; empty: any
  std::vector<std::string> common;  ///< words that it may take, among others
  bool argument = false;            ///< by its place
  bool flag = false;                ///< without a value
};

struct CommandInfo {
  std::string name;
  std::string description;
  std::string footer;  ///< an example
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;
};

/// A script for a shell (bash, zsh or fish) that completes commands, flags, their words, and files.
std::string completion_script(const CommandInfo& program, const std::string& shell);

/// A manual page in the language of man(7).
std::string manual_page(const CommandInfo& program, const std::string& version);

}  // namespace fenchel::cli
