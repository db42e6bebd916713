// SPDX-License-Identifier: Apache-2.0
// How commands declare what they take: subcommands, arguments, options, flags, an example, and what runs. The
// library that reads the command line is known to command_line.cpp alone, since its headers take many seconds
// to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/command_info.hpp"

namespace fenchel::cli {

/// Which numbers an option takes.
enum class Sign { any, non_negative, positive };

/// What is said of an option beside its names, its value and its help.
struct OptionSettings {
  std::string group = {};                                 ///< its heading in the help; empty: "Options"
  bool required = false;                                  ///< whether it must be given
  bool show_default = false;                              ///< whether the help shows the value it has now
  Sign sign = Sign::any;                                  ///< of its number
  std::optional<std::pair<double, double>> between = {};  ///< the smallest and the largest number
  std::vector<std::string> one_of = {};                   ///< the words it takes; empty: any
  std::vector<std::string> common = {};                   ///< words to complete, where it takes others too
  char separator = '\0';                                  ///< of the values of a list within one word
};

/// A command that is being declared. Values are written when the command line is read: they must live until
/// then.
class Command {
 public:
  Command subcommand(const std::string& name, const std::string& description);
  /// The help of the command that these words name, one below the other; of this one where there are none.
  std::string help(const std::vector<std::string>& commands) const;
  /// Without one of its subcommands the command is an error.
  void require_subcommand();

  /// An option with a value ("--omega,--loss"), or an argument by its place ("DATA").
  void option(const std::string& names, std::string& value, const std::string& help,
              const OptionSettings& settings = {});
  void option(const std::string& names, int& value, const std::string& help,
              const OptionSettings& settings = {});
  void option(const std::string& names, std::uint64_t& value, const std::string& help,
              const OptionSettings& settings = {});
  void option(const std::string& names, double& value, const std::string& help,
              const OptionSettings& settings = {});
  void option(const std::string& names, std::vector<std::string>& values, const std::string& help,
              const OptionSettings& settings = {});
  void option(const std::string& names, std::vector<std::uint64_t>& values, const std::string& help,
              const OptionSettings& settings = {});
  void option(const std::string& names, std::vector<double>& values, const std::string& help,
              const OptionSettings& settings = {});
  /// An option without a value.
  void flag(const std::string& names, bool& value, const std::string& help, const std::string& group = {});
  /// An option whose value is one of some words, in small letters or capitals; the help shows them.
  template <class Enum>
  void choice(const std::string& names, Enum& value, const std::string& help,
              const std::vector<std::pair<std::string, Enum>>& words) {
    Choice choice{{}, static_cast<int>(value), [&value](int chosen) { value = static_cast<Enum>(chosen); }};
    for (const auto& [word, meaning] : words) choice.words.emplace_back(word, static_cast<int>(meaning));
    add_choice(names, help, choice);
  }

  /// The option --config: a file with the names of options as keys, as in `lambda = 0.5`. The command line
  /// overrides it. A key that is not an option is an error.
  void config_file();
  /// Whether the command line or the file of --config has an option, whatever its value. Known when the
  /// command runs.
  bool given(const std::string& name) const;
  /// The file that --config names, or "".
  const std::string& config() const;
  /// What the help ends with: an example.
  void footer(const std::string& text);
  /// What the command and those below it take.
  CommandInfo info() const;
  /// What the command does; the result is the exit status.
  void action(std::function<int()> run);

 private:
  friend class CommandLine;
  struct Parser;
  struct Choice {
    std::vector<std::pair<std::string, int>> words;
    int value;
    std::function<void(int)> choose;
  };
  explicit Command(std::shared_ptr<Parser> parser) : parser_(std::move(parser)) {}
  void add_choice(const std::string& names, const std::string& help, const Choice& choice);

  std::shared_ptr<Parser> parser_;
};

/// The whole command line of a program.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The program itself, to which commands add themselves.
  Command& root() { return root_; }
  /// Reads the arguments and runs the command that they name. Returns the exit status; exceptions of the
  /// command pass through.
  int run(int argc, const char* const* argv);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
  Command root_;
};

}  // namespace fenchel::cli
