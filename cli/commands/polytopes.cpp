// SPDX-License-Identifier: Apache-2.0
// fenchel polytopes: the table of the sets of structures and what each can do, or an explanation of one.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "fenchel/polytopes/explain.hpp"

namespace fenchel::cli {

void add_polytopes(Command& program) {
  Command command = program.subcommand("polytopes", "List the sets of structures and their oracles");
  auto name = std::make_shared<std::string>();
  command.option("polytope", *name, "the name of one to explain; without it, the table of all");
  command.footer("Examples:\n  fenchel polytopes\n  fenchel polytopes arborescence");
  command.action([name] {
    if (name->empty()) {
      fmt::print("{}\n'fenchel polytopes NAME' explains one, for example 'fenchel polytopes sequence'.\n",
                 table_of_polytopes());
    } else {
      fmt::print("{}", explain_polytope(*name));
    }
    return 0;
  });
}

}  // namespace fenchel::cli
