// SPDX-License-Identifier: Apache-2.0
// The commands of the tool. Each adds itself to the application and sets `status` when it runs.
#pragma once

#include <CLI/CLI.hpp>
#include <array>

namespace fenchel::cli {

void add_demo(CLI::App& app, int& status);
void add_losses(CLI::App& app, int& status);
void add_polytopes(CLI::App& app, int& status);
void add_eval(CLI::App& app, int& status);
void add_train(CLI::App& app, int& status);
void add_predict(CLI::App& app, int& status);
void add_evaluate(CLI::App& app, int& status);
void add_tune(CLI::App& app, int& status);
void add_inspect(CLI::App& app, int& status);
void add_synth(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_describe(CLI::App& app, int& status);
void add_solve_compare(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);

/// All of them, in the order of the help.
inline constexpr std::array all_commands{
    add_train,   add_predict, add_evaluate,  add_tune, add_inspect,       add_synth, add_describe,
    add_convert, add_losses,  add_polytopes, add_eval, add_solve_compare, add_demo,  add_doctor};

}  // namespace fenchel::cli
