// SPDX-License-Identifier: Apache-2.0
// The commands of the tool. Each adds itself to the program.
#pragma once

#include <array>

#include "support/command_line.hpp"

namespace fenchel::cli {

void add_demo(Command& program);
void add_losses(Command& program);
void add_polytopes(Command& program);
void add_eval(Command& program);
void add_train(Command& program);
void add_predict(Command& program);
void add_evaluate(Command& program);
void add_verify(Command& program);
void add_tune(Command& program);
void add_inspect(Command& program);
void add_synth(Command& program);
void add_convert(Command& program);
void add_export(Command& program);
void add_describe(Command& program);
void add_solve_compare(Command& program);
void add_doctor(Command& program);
void add_help(Command& program);
void add_completion(Command& program);
void add_manual(Command& program);

/// All of them, in the order of the help.
inline constexpr std::array all_commands{
    add_train, add_predict,  add_evaluate, add_verify,     add_tune,      add_inspect, add_export,
    add_synth, add_describe, add_convert,  add_losses,     add_polytopes, add_eval,    add_solve_compare,
    add_demo,  add_doctor,   add_help,     add_completion, add_manual};

}  // namespace fenchel::cli
