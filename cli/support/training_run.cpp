// SPDX-License-Identifier: Apache-2.0
#include "support/training_run.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/training/checkpoint.hpp"
#include "support/completed_words.hpp"
#include "support/interrupt.hpp"

namespace fenchel::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The loop's own part of the state, beside the algorithm's.
class Run {
 public:
  Run(Fit& fit, const RunFlags& flags, const std::map<std::string, std::string>& identity,
      const Corpus* valid, ProgressDisplay& progress)
      : fit_(fit),
        flags_(flags),
        identity_(identity),
        valid_(valid),
        progress_(progress),
        every_(parse_duration(flags.every)) {
    if (valid_)
      metric_ = flags_.metric.empty() ? metrics::default_metric(task_of(fit_.model())) : flags_.metric;
    if (flags_.patience > 0) {
      // The best value so far is of this metric and of these data.
      identity_["metric"] = metric_;
      identity_["validation data"] = fingerprint(*valid_);
    }
    if (!flags_.resume.empty()) resume();
  }

  RunOutcome go() {
    start_ = Clock::now();
    double saved = elapsed();
    const auto goes_on = [&] { return !out_of_patience() && InterruptGuard::signal() == 0; };
    const auto observe = [&](const StepReport& last_step, const Algorithm& algorithm) {
      last_step_ = last_step;
      const bool judged = valid_ != nullptr && (flags_.patience > 0 || elapsed() - judged_ >= judge_interval);
      ProgressStep step{algorithm.report().iterations, last_step_, elapsed()};
      const bool diverged = algorithm.report().status == Status::diverged;
      if (!diverged && (judged || (valid_ != nullptr && last_step_.done))) step.validation = judge();
      progress_.step(step);
      if (!flags_.checkpoint.empty() && !diverged && elapsed() - saved >= every_) {
        save();
        saved = elapsed();
      }
      return goes_on();
    };
    if (!last_step_.done && goes_on()) run(fit_.algorithm(), observe);
    const bool interrupted = InterruptGuard::signal() != 0 && !last_step_.done;
    progress_.finish();
    const bool diverged = fit_.algorithm().report().status == Status::diverged;
    if (!flags_.checkpoint.empty() && !diverged) save();
    const double seconds = elapsed();
    const bool logged = progress_.close_log();
    return {best_.empty() ? fit_.model() : fit_.model_of(best_),
            fit_.algorithm().report(),
            last_step_,
            std::string(fit_.algorithm().name()),
            seconds,
            interrupted,
            !last_step_.done && out_of_patience(),
            logged && saved_well_};
  }

  void visit_state(StateArchive& archive) {
    double seconds = elapsed();
    archive("algorithm", fit_.algorithm());
    archive("seconds", seconds);
    archive.resizable("best", best_);
    archive.check("best", best_.empty() ||
                              (flags_.patience > 0 && best_.size() == fit_.algorithm().parameters().size()));
    archive.extended("best_value", best_value_);
    if (archive.reading() && !best_.empty()) best_value_ = value_of(fit_.model_of(best_));
    archive("waited", waited_);
    archive.check("waited", waited_ < std::numeric_limits<int>::max());
    archive.check("seconds", seconds >= 0);
    if (archive.reading()) earlier_ = seconds;
  }

 private:
  // Seconds between validations, each of which costs a pass over its data.
  static constexpr double judge_interval = 1;

  double elapsed() const { return earlier_ + seconds_since(start_); }
  bool out_of_patience() const { return flags_.patience > 0 && waited_ >= flags_.patience; }

  double value_of(const AnyModel& model) const {
    return metrics::value_of(evaluate(model, *valid_).metrics, metric_);
  }

  std::pair<std::string, double> judge() {
    judged_ = elapsed();
    const double value = value_of(fit_.model());
    if (flags_.patience > 0) {
      const double sign = metrics::find_metric(metric_).larger_is_better ? 1 : -1;
      if (best_.empty() || sign * value > sign * best_value_) {
        const auto parameters = fit_.algorithm().parameters();
        best_.assign(parameters.begin(), parameters.end());
        best_value_ = value;
        waited_ = 0;
      } else {
        ++waited_;
      }
    }
    return {metric_, value};
  }

  // Training that went well is worth more than its checkpoint: one that cannot be written (a full disk) is
  // said once, and tried again when the next one is due.
  void save() {
    bool good = true;
    try {
      save_checkpoint(flags_.checkpoint, {save_state(*this), identity_});
    } catch (const std::exception& error) {
      good = false;
      if (saved_well_) progress_.warn(fmt::format("no checkpoint was written: {}", error.what()));
    }
    saved_well_ = good;
  }

  void resume() {
    const Checkpoint checkpoint = load_checkpoint(flags_.resume);
    check_identity(checkpoint, identity_);
    restore_state(*this, checkpoint.state);
    last_step_ = fit_.algorithm().assess();  // done or not, by the flags of this run
    progress_.say(
        fmt::format("resumed {} after {} iterations", flags_.resume, fit_.algorithm().report().iterations));
  }

  Fit& fit_;
  const RunFlags& flags_;
  std::map<std::string, std::string> identity_;
  const Corpus* valid_;
  std::string metric_;  // that validation looks at
  ProgressDisplay& progress_;
  double every_;
  Clock::time_point start_ = Clock::now();
  double earlier_ = 0;    // seconds of the runs before
  double judged_ = -1e9;  // when validation was last looked at
  StepReport last_step_;
  std::vector<double> best_;  // the parameters with the best validation metric, where patience is asked for
  double best_value_ = 0;
  int waited_ = 0;          // judgements since then
  bool saved_well_ = true;  // the last checkpoint
};

}  // namespace

void RunFlags::check_used(bool with_valid) const {
  for (const char* flag : {"--patience", "--metric"}) {
    if (given(flag) && !with_valid) throw std::invalid_argument(fmt::format("{} needs --valid", flag));
  }
  if (given("--every") && checkpoint.empty()) throw std::invalid_argument("--every needs --checkpoint");
}

void RunFlags::add(Command& command) {
  given = [command](const std::string& name) { return command.given(name); };
  const std::string group = "Long runs";
  command.option("--checkpoint", checkpoint, "a file to save the state of training in", {.group = group});
  command.option("--every", every, "time between checkpoints: 30s, 5min, 1h",
                 {.group = group, .show_default = true});
  command.option("--resume", resume, "go on from a checkpoint of a run with the same flags and data",
                 {.group = group});
  command.option("--log", log, "a file for one JSON line per iteration", {.group = group});
  command.option("--patience", patience,
                 "stop when the validation metric did not improve for that many iterations",
                 {.group = group, .sign = Sign::non_negative});
  command.option("--metric", metric, "the validation metric to watch (default: the task's own)",
                 {.group = group, .common = words_of_metrics()});
  command.flag("--quiet", quiet, "no progress, only warnings", group);
}

RunOutcome run_fit(Fit& fit, const RunFlags& flags, const std::map<std::string, std::string>& identity,
                   const Corpus* valid, ProgressDisplay& progress) {
  return Run(fit, flags, identity, valid, progress).go();
}

double parse_duration(const std::string& text) {
  std::size_t end = 0;
  double value = -1;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = text.substr(end);
  const double scale = unit.empty() || unit == "s"    ? 1
                       : unit == "min" || unit == "m" ? 60
                       : unit == "h"                  ? 3600
                                                      : 0;
  if (end == 0 || scale == 0 || !(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument(
        fmt::format("--every is '{}'; expected a time such as 30s, 5min or 1h", text));
  }
  return value * scale;
}

}  // namespace fenchel::cli
