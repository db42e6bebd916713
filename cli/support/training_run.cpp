// SPDX-License-Identifier: Apache-2.0
#include "support/training_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/training/checkpoint.hpp"
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
      const Corpus* valid, Progress& progress)
      : fit_(fit),
        flags_(flags),
        identity_(identity),
        valid_(valid),
        progress_(progress),
        every_(parse_duration(flags.every)) {
    if (flags_.patience > 0 && !valid_) throw std::invalid_argument("--patience needs --valid");
    if (!flags_.resume.empty()) resume();
  }

  RunOutcome go() {
    start_ = Clock::now();
    double saved = elapsed();
    while (!standing_.done && !out_of_patience() && InterruptGuard::signal() == 0) {
      standing_ = fit_.algorithm().step();
      const bool judged = valid_ != nullptr && (flags_.patience > 0 || elapsed() - judged_ >= judge_interval);
      ProgressStep step{fit_.algorithm().report().iterations, standing_, elapsed()};
      if (judged || (valid_ != nullptr && standing_.done)) step.validation = judge();
      progress_.step(step);
      if (!flags_.checkpoint.empty() && elapsed() - saved >= every_) {
        save();
        saved = elapsed();
      }
    }
    const bool interrupted = InterruptGuard::signal() != 0 && !standing_.done;
    progress_.finish();
    if (!flags_.checkpoint.empty()) save();
    const double seconds = elapsed();
    return {best_.empty() ? fit_.model() : fit_.model_of(best_),
            fit_.algorithm().report(),
            standing_,
            std::string(fit_.algorithm().name()),
            seconds,
            interrupted};
  }

 private:
  // A validation costs a pass over its data: for the eye, seldom is enough.
  static constexpr double judge_interval = 1;

  double elapsed() const { return earlier_ + seconds_since(start_); }
  bool out_of_patience() const { return flags_.patience > 0 && waited_ >= flags_.patience; }

  std::pair<std::string, double> judge() {
    judged_ = elapsed();
    const AnyModel model = fit_.model();
    const Evaluation evaluation = evaluate(model, *valid_);
    const std::string name =
        flags_.metric.empty() ? std::string(metrics::default_metric(task_of(model))) : flags_.metric;
    const double value = metrics::value_of(evaluation.metrics, name);
    if (flags_.patience > 0) {
      const double sign = metrics::find_metric(name).larger_is_better ? 1 : -1;
      if (best_.empty() || sign * value > sign * best_value_) {
        const auto parameters = fit_.algorithm().parameters();
        best_.assign(parameters.begin(), parameters.end());
        best_value_ = value;
        waited_ = 0;
      } else {
        ++waited_;
      }
    }
    return {name, value};
  }

  void save() const {
    Checkpoint checkpoint{fit_.algorithm().save(), identity_};
    checkpoint.state.set("run.seconds", elapsed());
    checkpoint.state.set("run.best", best_);
    checkpoint.state.set("run.best_value", best_value_);
    checkpoint.state.set("run.waited", std::int64_t{waited_});
    checkpoint.state.set("run.done", std::int64_t{standing_.done});
    checkpoint.state.set("run.objective", standing_.objective);
    save_checkpoint(flags_.checkpoint, checkpoint);
  }

  void resume() {
    const Checkpoint checkpoint = load_checkpoint(flags_.resume);
    check_identity(checkpoint, identity_);
    fit_.algorithm().restore(checkpoint.state);
    earlier_ = checkpoint.state.number<double>("run.seconds");
    best_ = checkpoint.state.array<double>("run.best");
    best_value_ = checkpoint.state.number<double>("run.best_value");
    waited_ = static_cast<int>(checkpoint.state.number<std::int64_t>("run.waited"));
    standing_.done = checkpoint.state.number<std::int64_t>("run.done") != 0;
    standing_.objective = checkpoint.state.number<double>("run.objective");
    progress_.say(
        fmt::format("resumed {} after {} iterations", flags_.resume, fit_.algorithm().report().iterations));
  }

  Fit& fit_;
  const RunFlags& flags_;
  const std::map<std::string, std::string>& identity_;
  const Corpus* valid_;
  Progress& progress_;
  double every_;
  Clock::time_point start_ = Clock::now();
  double earlier_ = 0;    // seconds of the runs before
  double judged_ = -1e9;  // when validation was last looked at
  Standing standing_;
  std::vector<double> best_;  // the parameters with the best validation metric, where patience is asked for
  double best_value_ = 0;
  int waited_ = 0;  // judgements since then
};

}  // namespace

void RunFlags::add(CLI::App& command) {
  constexpr const char* group = "Long runs";
  command.add_option("--checkpoint", checkpoint, "a file to save the state of training in")->group(group);
  command.add_option("--every", every, "time between checkpoints: 30s, 5min, 1h")
      ->capture_default_str()
      ->group(group);
  command.add_option("--resume", resume, "go on from a checkpoint of a run with the same flags and data")
      ->group(group);
  command.add_option("--log", log, "a file for one JSON line an iteration")->group(group);
  command
      .add_option("--patience", patience,
                  "stop when the validation metric did not improve for so many iterations")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command.add_option("--metric", metric, "the validation metric to watch (else the task's own)")
      ->group(group);
  command.add_flag("--quiet", quiet, "no progress")->group(group);
}

RunOutcome run_fit(Fit& fit, const RunFlags& flags, const std::map<std::string, std::string>& identity,
                   const Corpus* valid, Progress& progress) {
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

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (std::filesystem::is_directory(path)) {
    throw std::system_error(EISDIR, std::generic_category(), path);
  }
  if (access(folder.c_str(), W_OK) != 0) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace fenchel::cli
