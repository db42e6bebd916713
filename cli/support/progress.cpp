// SPDX-License-Identifier: Apache-2.0
#include "support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace fenchel::cli {
namespace {

constexpr double terminal_interval = 0.1;  // seconds between two updates that an eye can follow
constexpr double plain_interval = 2;       // a log that somebody reads later needs fewer

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string to_json_line(const ProgressStep& step) {
  nlohmann::ordered_json row{{"iteration", step.iteration},
                             {"objective", number(step.standing.objective)},
                             {"residual", number(step.standing.residual)},
                             {"seconds", step.seconds}};
  if (step.standing.dual) row["dual"] = number(*step.standing.dual);
  if (step.standing.gap) row["gap"] = number(*step.standing.gap);
  if (step.validation) row["valid_" + step.validation->first] = number(step.validation->second);
  return row.dump();
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(Options options) : options_(std::move(options)), terminal_(isatty(STDERR_FILENO) == 1) {
  if (options_.log.empty()) return;
  log_ = std::fopen(options_.log.c_str(), options_.append ? "a" : "w");
  if (!log_) {
    throw std::runtime_error(fmt::format("--log {}: {}", options_.log, std::strerror(errno)));
  }
}

Progress::~Progress() {
  finish();
  if (log_) std::fclose(log_);
}

void Progress::say(const std::string& text) {
  if (options_.quiet) return;
  finish();
  fmt::print(stderr, "{}\n", text);
}

void Progress::step(const ProgressStep& step) {
  if (!first_) first_ = step;
  if (log_) {
    fmt::print(log_, "{}\n", to_json_line(step));
    std::fflush(log_);
  }
  if (options_.quiet) return;
  const bool due = step.seconds - last_shown_ >= (terminal_ ? terminal_interval : plain_interval);
  if (!due && !step.standing.done) {
    last_line_ = terminal_ ? "" : line(step);
    return;
  }
  last_line_.clear();
  last_shown_ = step.seconds;
  const std::string text = line(step);
  if (terminal_) {
    const std::size_t width = std::max(width_, text.size());
    fmt::print(stderr, "\r{:<{}}", text, width);
    std::fflush(stderr);
    width_ = text.size();
    pending_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
}

void Progress::finish() {
  if (options_.quiet) return;
  if (!last_line_.empty()) fmt::print(stderr, "{}\n", last_line_);
  last_line_.clear();
  if (pending_) fmt::print(stderr, "\n");
  pending_ = false;
  width_ = 0;
}

std::string Progress::line(const ProgressStep& step) const {
  std::string text =
      fmt::format("iteration {:>4}  objective {:.8g}", step.iteration, step.standing.objective);
  if (step.standing.gap) text += fmt::format("  gap {:.2e}", *step.standing.gap);
  text += fmt::format("  residual {:.2e}", step.standing.residual);
  if (step.validation)
    text += fmt::format("  valid {} {:.4f}", step.validation->first, step.validation->second);
  text += "  " + duration_text(step.seconds);
  if (!step.standing.done) {
    if (const auto left = seconds_left(step)) text += fmt::format(", about {} left", duration_text(*left));
  }
  return text;
}

// Residuals of convex problems fall geometrically, more or less: the line through the logarithms of the first
// and the present one meets that of the tolerance when training will be done; the limit of iterations is
// sure.
std::optional<double> Progress::seconds_left(const ProgressStep& step) const {
  const int done = step.iteration - first_->iteration;
  if (done < 3) return std::nullopt;
  const double per_iteration = (step.seconds - first_->seconds) / done;
  double left = (options_.max_iterations - step.iteration) * per_iteration;
  const double from = first_->standing.residual;
  const double now = step.standing.residual;
  if (now > options_.tolerance && now < from && options_.tolerance > 0) {
    const double share = std::log(now / options_.tolerance) / std::log(from / now);
    left = std::min(left, share * (step.seconds - first_->seconds));
  }
  return std::max(left, 0.0);
}

}  // namespace fenchel::cli
