// SPDX-License-Identifier: Apache-2.0
// The commands of the tool. Each adds itself to the application and sets `status` when it runs.
#pragma once

#include <CLI/CLI.hpp>

namespace fenchel::cli {

void add_demo(CLI::App& app, int& status);
void add_losses(CLI::App& app, int& status);
void add_polytopes(CLI::App& app, int& status);
void add_eval(CLI::App& app, int& status);
void add_solve_compare(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);

}  // namespace fenchel::cli
