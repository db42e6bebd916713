// SPDX-License-Identifier: Apache-2.0
// Running a fit to its end: progress, checkpoints, interruption, early stopping.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "fenchel/training/fit.hpp"
#include "support/command_line.hpp"
#include "support/corpus.hpp"
#include "support/progress.hpp"

namespace fenchel::cli {

struct RunFlags {
  std::string checkpoint;
  std::string every = "30s";
  std::string resume;
  std::string log;
  std::string metric;
  int patience = 0;
  bool quiet = false;

  std::function<bool(const std::string&)> given = [](const std::string&) { return false; };  ///< by its name

  void add(Command& command);
  /// Throws std::invalid_argument if one was given that needs another flag, --valid for example.
  void check_used(bool with_valid) const;
};

/// How a run ended.
struct RunOutcome {
  AnyModel model;
  Report report;
  StepReport last_step;
  std::string solver;
  double seconds = 0;        ///< of training, earlier runs included
  bool interrupted = false;  ///< by a signal
  bool impatient = false;    ///< by --patience, before the algorithm was done
  bool all_written = true;   ///< the log, and the last checkpoint
};

/// Steps until the algorithm is done, the validation metric has not improved for --patience steps, or a
/// signal comes. Checkpoints are written every so often, and at an interruption; one that cannot be written
/// is a warning. `identity` is what a resumed run must have in common with the one that wrote its checkpoint.
RunOutcome run_fit(Fit& fit, const RunFlags& flags, const std::map<std::string, std::string>& identity,
                   const Corpus* valid, ProgressDisplay& progress);

/// "30s", "5min", "2h" or plain seconds; throws std::invalid_argument for anything else.
double parse_duration(const std::string& text);

}  // namespace fenchel::cli
