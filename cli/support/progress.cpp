// SPDX-License-Identifier: Apache-2.0
#include "support/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "support/results.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

constexpr double terminal_interval = 0.1;  // seconds between two updates that an eye can follow
constexpr double plain_interval = 2;       // a log that somebody reads later needs fewer

std::string to_json_line(const ProgressStep& step) {
  nlohmann::ordered_json row{{"iteration", step.iteration},
                             {"objective", json_number(step.last_step.objective)},
                             {"residual", json_number(step.last_step.residual)},
                             {"seconds", step.seconds}};
  if (step.last_step.dual) row["dual"] = json_number(*step.last_step.dual);
  if (step.last_step.gap) row["gap"] = json_number(*step.last_step.gap);
  if (step.validation) row["valid_" + step.validation->first] = json_number(step.validation->second);
  return json_text(row);
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressDisplay::ProgressDisplay(Options options)
    : options_(std::move(options)), terminal_(isatty(STDERR_FILENO) == 1) {
  if (options_.log.empty()) return;
  log_ = std::fopen(options_.log.c_str(), options_.append ? "a" : "w");
  if (!log_) {
    throw std::runtime_error(fmt::format("--log {}: {}", options_.log, std::strerror(errno)));
  }
}

ProgressDisplay::~ProgressDisplay() {
  finish();
  if (log_) std::fclose(log_);
}

void ProgressDisplay::say(const std::string& text) {
  if (options_.quiet) return;
  finish();
  tell(text);
}

void ProgressDisplay::warn(const std::string& text) {
  finish();
  cli::warn(text);
}

void ProgressDisplay::log(const std::string& line) {
  if (!log_ || log_failed_) return;
  errno = 0;
  std::fputs(line.c_str(), log_);
  std::fputc('\n', log_);
  if (std::fflush(log_) == 0 && std::ferror(log_) == 0) return;
  log_failed_ = true;
  warn(fmt::format("--log {}: {}; the lines from here on are missing", options_.log, std::strerror(errno)));
}

bool ProgressDisplay::close_log() {
  std::FILE* const file = std::exchange(log_, nullptr);
  if (file && std::fclose(file) != 0 && !log_failed_) {
    log_failed_ = true;
    warn(fmt::format("--log {}: {}; lines are missing", options_.log, std::strerror(errno)));
  }
  return !log_failed_;
}

void ProgressDisplay::step(const ProgressStep& step) {
  if (!first_) first_ = step;
  if (log_) log(to_json_line(step));
  if (options_.quiet) return;
  const bool due = step.seconds - last_shown_ >= (terminal_ ? terminal_interval : plain_interval);
  if (!due && !step.last_step.done) {
    last_line_ = terminal_ ? "" : line(step);
    return;
  }
  last_line_.clear();
  last_shown_ = step.seconds;
  const std::string text = line(step);
  if (terminal_) {
    const std::size_t width = std::max(width_, text.size());
    tell_part(fmt::format("\r{:<{}}", text, width));
    width_ = text.size();
    pending_ = true;
  } else {
    tell(text);
  }
}

void ProgressDisplay::finish() {
  if (options_.quiet) return;
  if (!last_line_.empty()) tell(last_line_);
  last_line_.clear();
  if (pending_) tell("");
  pending_ = false;
  width_ = 0;
}

std::string ProgressDisplay::line(const ProgressStep& step) const {
  std::string text =
      fmt::format("iteration {:>4}  objective {:.8g}", step.iteration, step.last_step.objective);
  if (step.last_step.gap) text += fmt::format("  gap {:.2e}", *step.last_step.gap);
  text += fmt::format("  residual {:.2e}", step.last_step.residual);
  if (step.validation)
    text += fmt::format("  valid {} {:.4f}", step.validation->first, step.validation->second);
  text += "  " + duration_text(step.seconds);
  if (!step.last_step.done) {
    if (const auto left = seconds_left(step)) text += fmt::format(", about {} left", duration_text(*left));
  }
  return text;
}

// Residuals of convex problems fall geometrically, more or less: the line through the logarithms of the first
// and the present one meets that of the tolerance when training will be done; the limit of iterations is
// sure.
std::optional<double> ProgressDisplay::seconds_left(const ProgressStep& step) const {
  const int done = step.iteration - first_->iteration;
  if (done < 3) return std::nullopt;
  const double per_iteration = (step.seconds - first_->seconds) / done;
  double left = (options_.max_iterations - step.iteration) * per_iteration;
  const double from = first_->last_step.residual;
  const double now = step.last_step.residual;
  const double enough = step.last_step.tolerance;
  if (now > enough && now < from && enough > 0) {
    const double share = std::log(now / enough) / std::log(from / now);
    left = std::min(left, share * (step.seconds - first_->seconds));
  }
  return std::max(left, 0.0);
}

}  // namespace fenchel::cli
