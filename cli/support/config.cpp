// SPDX-License-Identifier: Apache-2.0
#include "support/config.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace fenchel::cli {

void ConfigFile::add(CLI::App& command) {
  command
      .add_option("--config", path_,
                  "a file with flags as keys (lambda = 0.5); the command line overrides it")
      ->check(CLI::ExistingFile);
}

void ConfigFile::apply(CLI::App& command) const {
  if (path_.empty()) return;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(path_)) {
    CLI::Option* option = command.get_option_no_throw("--" + item.name);
    if (!option || !item.parents.empty()) {
      throw std::invalid_argument(
          fmt::format("{}: '{}' is no flag of {}", path_, item.fullname(), command.get_name()));
    }
    if (option->count() > 0) continue;
    option->add_result(item.inputs);
    option->run_callback();
  }
}

}  // namespace fenchel::cli
