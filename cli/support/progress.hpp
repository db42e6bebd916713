// SPDX-License-Identifier: Apache-2.0
// What a long run says while it runs: one line that is rewritten on a terminal, plain lines elsewhere, and
// every step as a JSON line in a file if one is asked for.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fenchel/training/algorithm.hpp"

namespace fenchel::cli {

/// One step of training, as told to the user.
struct ProgressStep {
  int iteration = 0;
  StepReport last_step;
  double seconds = 0;                                          ///< since the start, earlier runs included
  std::optional<std::pair<std::string, double>> validation{};  ///< a metric's name and value
};

/// Writes to stderr, so that results on stdout can be piped.
class ProgressDisplay {
 public:
  struct Options {
    bool quiet = false;
    std::string log;      ///< a file for JSON lines; none if empty
    bool append = false;  ///< to the log, where a run is resumed
    int max_iterations = 0;
  };
  explicit ProgressDisplay(Options options);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// A sentence above the progress line, unless the run is quiet.
  void say(const std::string& text);
  /// What went wrong although work goes on: said of quiet runs too.
  void warn(const std::string& text);
  /// Never throws: a progress line or a line of the log that cannot be written does not stop a run.
  void step(const ProgressStep& step);
  /// Ends the line that is being rewritten.
  void finish();
  /// Whether every line of the log was written. The log is closed.
  bool close_log();

 private:
  void log(const std::string& line);
  std::string line(const ProgressStep& step) const;
  std::optional<double> seconds_left(const ProgressStep& step) const;

  Options options_;
  bool terminal_;
  bool pending_ = false;   // a rewritten line stands on the terminal
  std::size_t width_ = 0;  // of that line
  std::string last_line_;  // a plain line that was held back
  double last_shown_ = -1e9;
  std::optional<ProgressStep> first_;
  std::FILE* log_ = nullptr;
  bool log_failed_ = false;
};

/// "4.2 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

}  // namespace fenchel::cli
