// SPDX-License-Identifier: Apache-2.0
// The fenchel command-line tool: one file per command, under commands/.
#include <exception>
#include <new>

#include "commands/commands.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/data/data_error.hpp"
#include "fenchel/training/train.hpp"
#include "fenchel/version.hpp"
#include "support/command_line.hpp"
#include "support/option_spelling.hpp"
#include "support/standard_streams.hpp"

namespace {

int run(int argc, char** argv) {
  fenchel::cli::CommandLine line(
      "fenchel",
      "fenchel: learning with Fenchel-Young losses.\nChoose the shape of the output (a regularizer Omega); "
      "prediction, loss, gradient, margin and prox follow.",
      "fenchel " FENCHEL_VERSION);
  for (const auto add : fenchel::cli::all_commands) add(line.root());
  return line.run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  using fenchel::cli::tell;
  fenchel::cli::secure_standard_streams();
  try {
    return run(argc, argv);
  } catch (const fenchel::TrainingDiverged& error) {
    tell("error: " + error.spelled(fenchel::cli::spelled_as_flag));
    return 1;  // the command was right, and has failed
  } catch (const fenchel::OptionError& error) {
    tell("error: " + error.spelled(fenchel::cli::spelled_as_flag));
  } catch (const fenchel::DataError& error) {
    tell("error: " + error.spelled(fenchel::cli::spelled_as_flag));
  } catch (const std::bad_alloc&) {
    tell(
        "error: there is not enough memory; try --precision single, fewer rows, or data from 'fenchel "
        "convert'");
  } catch (const std::exception& error) {
    fenchel::cli::tell_error(error);
  } catch (...) {
    tell("error: unknown failure");
  }
  return 2;
}
