// SPDX-License-Identifier: Apache-2.0
#include "support/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <type_traits>

#include "core/spec_reader.hpp"
#include "data/byte_source.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {

// The words that options take, the library keeps them where nobody can see them, and those to complete.
struct OptionWords {
  std::map<const CLI::Option*, std::vector<std::string>> all;
  std::map<const CLI::Option*, std::vector<std::string>> common;
};

struct CommandLine::Program {
  CLI::App app;
  int status = 0;
};

struct Command::Parser {
  CLI::App& app;
  int& status;
  std::shared_ptr<OptionWords> words;
  std::string config = {};  // a file
};

namespace {

// CLI11 itself would print the range of all doubles, digit by digit.
CLI::Validator number_above(const std::string& name, bool zero) {
  const auto check = [name, zero](const std::string& text) {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value) || !(zero ? value >= 0 : value > 0)) {
      throw std::invalid_argument(
          fmt::format("{} is {}; expected a number {} 0", name, text, zero ? ">=" : ">"));
    }
    return std::string();
  };
  return {check, zero ? "NONNEGATIVE" : "POSITIVE"};
}

// CLI11 itself would take -1 for the largest number that there is.
CLI::Validator whole_number_of(const std::string& name) {
  const auto check = [name](const std::string& text) {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
      throw std::invalid_argument(fmt::format("{} is {}; expected a whole number >= 0", name, text));
    }
    return std::string();
  };
  return {check, ""};
}

// CLI11 itself would not say what it is that is not in the range.
template <class T>
CLI::Validator number_between(const std::string& name, T least, T most) {
  const auto check = [=](const std::string& text) {
    T value{};
    if (!CLI::detail::lexical_cast(text, value) || !(value >= least && value <= most)) {
      throw std::invalid_argument(fmt::format("{} is {}; expected a {} from {} to {}", name, text,
                                              std::is_integral_v<T> ? "whole number" : "number", least,
                                              most));
    }
    return std::string();
  };
  return {check, fmt::format("{} to {}", least, most)};
}

// What a variable of the shell that is not set leaves behind is not the same as no flag.
CLI::Validator not_empty(const std::string& name) {
  const auto check = [name](const std::string& text) {
    if (text.empty()) throw std::invalid_argument(fmt::format("{} is ''; expected a value", name));
    return std::string();
  };
  return {check, ""};
}

std::string suggestion_of(const std::string& word, const std::vector<std::string>& known) {
  return spec::suggestion(word, std::vector<std::string_view>(known.begin(), known.end()));
}

// The library itself would not say which of them is near.
CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("'{}' is none of {}{}", text, fmt::join(words, ", "), suggestion_of(text, words));
  };
  return {check, fmt::format("{{{}}}", fmt::join(words, ","))};
}

template <class T>
void check_number(CLI::Option& option, const OptionSettings& settings) {
  if (settings.sign != Sign::any) {
    option.check(number_above(option.get_name(), settings.sign == Sign::non_negative));
  }
  if (settings.between) {
    const auto [least, most] = *settings.between;
    option.check(number_between(option.get_name(), static_cast<T>(least), static_cast<T>(most)));
  }
}

template <class T>
void add_option(CLI::App& app, const std::string& names, T& value, const std::string& help,
                const OptionSettings& settings, OptionWords& words) {
  CLI::Option& option = *app.add_option(names, value, help);
  option.required(settings.required);
  if constexpr (std::is_arithmetic_v<T>) check_number<T>(option, settings);
  if constexpr (std::is_same_v<T, std::string>) option.check(not_empty(option.get_name()));
  if constexpr (std::is_unsigned_v<T>) option.check(whole_number_of(option.get_name()));
  if (!settings.one_of.empty()) option.check(one_of(settings.one_of));
  if (settings.separator != '\0') option.delimiter(settings.separator);
  if (settings.show_default) option.capture_default_str();
  if (!settings.group.empty()) option.group(settings.group);
  if (!settings.one_of.empty()) words.all[&option] = settings.one_of;
  if (!settings.common.empty()) words.common[&option] = settings.common;
}

// The whole text of a file. CLI11 would take one that fails half-way for one that ends there.
std::istringstream text_of(const std::string& path) {
  ByteSource source(path, "--config " + path);
  std::string text;
  char piece[4096];
  while (const std::size_t count = source.read(piece, sizeof piece)) text.append(piece, count);
  return std::istringstream(text);
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

// Sets every option of the file that was not on the command line.
void apply_config(CLI::App& app, const std::string& path) {
  std::istringstream text = text_of(path);
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(text)) {
    CLI::Option* option = app.get_option_no_throw("--" + item.name);
    if (!option || !item.parents.empty()) {
      throw std::invalid_argument(fmt::format("{}: '{}' is not a flag of {}{}", path, item.fullname(),
                                              app.get_name(), suggestion_of(item.name, long_names(app))));
    }
    if (option->count() > 0) continue;
    option->add_result(item.inputs);
    option->run_callback();
  }
}

OptionInfo info_of(const CLI::Option& option, const OptionWords& words) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.argument = info.names.empty();
  if (info.argument) info.names.push_back(option.get_name());
  info.help = option.get_description();
  info.standard = option.get_default_str();
  info.flag = option.get_items_expected_max() == 0;
  if (const auto known = words.all.find(&option); known != words.all.end()) info.values = known->second;
  if (const auto known = words.common.find(&option); known != words.common.end()) info.common = known->second;
  return info;
}

CommandInfo info_of(const CLI::App& app, const OptionWords& words) {
  CommandInfo info{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) info.options.push_back(info_of(*option, words));
  for (const CLI::App* command : app.get_subcommands(nullptr))
    info.commands.push_back(info_of(*command, words));
  return info;
}

// The command that the arguments were about, and how it is called with those above it: "fenchel train".
std::pair<const CLI::App*, std::string> command_of(const CLI::App& program) {
  const CLI::App* app = &program;
  std::string name = program.get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    name += " " + app->get_name();
  }
  return {app, name};
}

// What is wrong with words that nobody expected: a command, or a flag, that is almost another.
std::string unexpected(const CLI::App& app, const std::string& called, const std::string& word) {
  const bool flag = word.starts_with('-');
  std::vector<std::string> names = flag ? long_names(app) : command_names(app);
  if (flag) std::ranges::for_each(names, [](std::string& name) { name.insert(0, "--"); });
  const std::string name = word.substr(0, flag ? word.find('=') : std::string::npos);
  return fmt::format("'{}' is not {} of '{}'{}", name,
                     flag            ? "a flag"
                     : names.empty() ? "an argument"
                                     : "a command",
                     called, suggestion_of(name, names));
}

std::string usage_error(const CLI::App& program, const CLI::Error& error) {
  const auto [app, called] = command_of(program);
  std::string problem = error.what();
  const std::vector<std::string> rest = program.remaining(true);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  const bool no_command =
      !command_names(*app).empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  constexpr std::string_view unread = "Could not convert: ";  // --lambda = abc
  if (problem.starts_with(unread)) {
    const std::size_t sign = problem.find(" = ");
    if (sign != std::string::npos) {
      problem = fmt::format("{} is '{}'; expected a number",
                            problem.substr(unread.size(), sign - unread.size()), problem.substr(sign + 3));
    }
  }
  if ((extras || no_command) && !rest.empty()) problem = unexpected(*app, called, rest.front());
  return fmt::format("error: {}\nTry '{} --help'.\n", problem, called);
}

// A word before the first flag that is no command: the library would show the help of the program.
std::string unknown_command(const CLI::App& program, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-' || argv[1][0] == '\0') return {};
  const std::string word = argv[1];
  const std::vector<std::string> names = command_names(program);
  if (std::ranges::find(names, word) != names.end()) return {};
  return fmt::format("error: {}\nTry '{} --help'.", unexpected(program, program.get_name(), word),
                     program.get_name());
}

// The library would take any word for the value of an option that needs one, also the next flag.
std::string missing_value(const CLI::App& program, int argc, const char* const* argv) {
  const CLI::App* app = &program;
  std::string called = program.get_name();
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string word = argv[i], next = argv[i + 1];
    if (word == "--") break;  // no flags from here on
    const auto commands = app->get_subcommands(nullptr);
    const auto command = std::ranges::find(commands, word, &CLI::App::get_name);
    if (command != commands.end()) {
      app = *command;
      called += " " + word;
      continue;
    }
    const CLI::Option* option = word.starts_with('-') ? app->get_option_no_throw(word) : nullptr;
    if (!option || option->get_items_expected_min() == 0) continue;
    const bool flag = next.starts_with("--") || (next.starts_with('-') && app->get_option_no_throw(next));
    if (!flag) {
      ++i;
      continue;
    }
    const std::string equals = word.starts_with("--") ? "=" : "";
    return fmt::format(
        "error: {} needs a value, and '{}' is a flag (a value that begins so: {}{}{})\nTry '{} --help'.",
        word, next, word, equals, next, called);
  }
  return {};
}

}  // namespace

CommandInfo Command::info() const { return info_of(parser_->app, *parser_->words); }

Command Command::subcommand(const std::string& name, const std::string& description) {
  CLI::App& added = *parser_->app.add_subcommand(name, description);
  return Command(std::make_shared<Parser>(Parser{added, parser_->status, parser_->words}));
}

std::string Command::help(const std::vector<std::string>& commands) const {
  const CLI::App* app = &parser_->app;
  std::string called = app->get_name();
  for (const std::string& name : commands) {
    const std::vector<std::string> known = command_names(*app);
    if (std::ranges::find(known, name) == known.end()) {
      throw std::invalid_argument(
          fmt::format("'{}' is not a command of '{}'{}", name, called, suggestion_of(name, known)));
    }
    app = app->get_subcommand(name);
    called += " " + name;
  }
  // CLI::App::help() would show the command that was parsed: this one.
  return app->get_formatter()->make_help(app, called, CLI::AppFormatMode::Normal);
}

void Command::require_subcommand() { parser_->app.require_subcommand(1); }

void Command::option(const std::string& names, std::string& value, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, value, help, settings, *parser_->words);
}
void Command::option(const std::string& names, int& value, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, value, help, settings, *parser_->words);
}
void Command::option(const std::string& names, std::uint64_t& value, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, value, help, settings, *parser_->words);
}
void Command::option(const std::string& names, double& value, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, value, help, settings, *parser_->words);
}
void Command::option(const std::string& names, std::vector<std::string>& values, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, values, help, settings, *parser_->words);
}
void Command::option(const std::string& names, std::vector<std::uint64_t>& values, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, values, help, settings, *parser_->words);
}
void Command::option(const std::string& names, std::vector<double>& values, const std::string& help,
                     const OptionSettings& settings) {
  add_option(parser_->app, names, values, help, settings, *parser_->words);
}

void Command::flag(const std::string& names, bool& value, const std::string& help, const std::string& group) {
  CLI::Option& option = *parser_->app.add_flag(names, value, help);
  if (!group.empty()) option.group(group);
}

void Command::add_choice(const std::string& names, const std::string& help, const Choice& choice) {
  const std::map<std::string, int> numbers(choice.words.begin(), choice.words.end());
  std::string words, standard;
  for (const auto& [word, number] : choice.words) {
    words += (words.empty() ? "" : "|") + word;
    if (number == choice.value) standard = word;
  }
  // Where a word is unknown, the library would show the numbers too.
  std::vector<std::string> known;
  for (const auto& [word, number] : choice.words) known.push_back(word);
  const auto to_number = [numbers, check = one_of(known)](std::string& word) {
    const auto found = numbers.find(CLI::detail::to_lower(word));
    if (found == numbers.end()) return check(word);
    word = std::to_string(found->second);
    return std::string();
  };
  const CLI::Option* option = parser_->app.add_option_function<int>(names, choice.choose, help)
                                  ->transform(CLI::Validator(to_number, std::string()))
                                  ->option_text(fmt::format("{} [{}]", words, standard));
  parser_->words->all[option] = known;
}

void Command::config_file() {
  option("--config", parser_->config,
         "a file with flags as keys (lambda = 0.5); the command line overrides it");
  parser_->app.get_option("--config")->check(CLI::ExistingFile);
}

bool Command::given(const std::string& name) const { return parser_->app.get_option(name)->count() > 0; }

const std::string& Command::config() const { return parser_->config; }

void Command::footer(const std::string& text) { parser_->app.footer(text); }

void Command::action(std::function<int()> run) {
  parser_->app.callback([parser = parser_, run = std::move(run)] {
    if (!parser->config.empty()) apply_config(parser->app, parser->config);
    parser->status = run();
  });
}

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version)
    : program_(std::make_unique<Program>()),
      root_(std::make_shared<Command::Parser>(
          Command::Parser{program_->app, program_->status, std::make_shared<OptionWords>()})) {
  CLI::App& app = program_->app;
  app.description(description);
  app.name(name);
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message([&app](const CLI::App*, const CLI::Error& error) { return usage_error(app, error); });
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, const char* const* argv) {
  if (const std::string problem = missing_value(program_->app, argc, argv); !problem.empty()) {
    tell(problem);
    return 2;
  }
  if (const std::string problem = unknown_command(program_->app, argc, argv); !problem.empty()) {
    tell(problem);
    return 2;
  }
  try {
    program_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // The library has a number of its own for each kind of mistake; here all of them are wrong use. Asking
    // for help is not a mistake.
    if (program_->app.exit(error) != 0) return 2;
    program_->status = 0;
    std::cout.flush();
  }
  // A full disk or a closed pipe is not success.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return program_->status;
  if (!reader_is_gone()) tell("error: the standard output could not be written");
  return 2;
}

}  // namespace fenchel::cli
