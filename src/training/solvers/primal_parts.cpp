// SPDX-License-Identifier: Apache-2.0
#include "training/solvers/primal_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "training/solvers/divergence.hpp"

namespace fenchel {
namespace {

constexpr std::size_t block_entries = 16384;

}  // namespace

ShapedPenalty::ShapedPenalty(const Penalty& penalty, const ParameterShape& shape, const Curvature& curvature,
                             int threads)
    : penalty_(penalty), shape_(shape), threads_(threads), mean_(curvature.mean) {
  penalty.check();
  // What is not penalised has the curvature of the loss alone, which does not grow with l2: dividing by a
  // large l2 would hide its slope. 1 is about the curvature of a single example.
  free_curvature_ = std::min(penalty.l2, 1.0);
  if (!curvature.diagonal.empty()) free_curvature_ = std::min(free_curvature_, curvature.diagonal.back());
  const std::size_t width = std::max<std::size_t>(shape.width, 1);
  measurable_ = std::ranges::all_of(curvature.diagonal, [](double entry) { return std::isfinite(entry); });
  if (penalty.l2 == 0) {
    curvature_ = curvature.diagonal;
    std::ranges::replace_if(
        curvature_, [](double entry) { return !(entry > 0); }, 1.0);
  }
  block_ = std::max<std::size_t>(1, block_entries / width) * width;  // whole rows
}

template <class Part>
double ShapedPenalty::sum_over_blocks(Part part) {
  partial_.assign((shape_.penalised + block_ - 1) / block_, 0.0);
  for_each_block(shape_.penalised, block_, threads_, [&](std::size_t first, std::size_t last) {
    partial_[first / block_] = part(first, last - first);
  });
  return sum_of(partial_);
}

double ShapedPenalty::add_smooth(std::span<const double> w, std::span<double> gradient) {
  if (penalty_.l2 == 0) return 0;
  return sum_over_blocks([&](std::size_t first, std::size_t count) {
    penalty_.add_smooth_gradient(w.subspan(first, count), gradient.subspan(first, count));
    return penalty_.smooth_value(w.subspan(first, count));
  });
}

double ShapedPenalty::value(std::span<const double> w) {
  return sum_over_blocks([&](std::size_t first, std::size_t count) {
    return penalty_.value(w.subspan(first, count), shape_.width);
  });
}

void ShapedPenalty::prox(double step, std::span<double> w) const {
  if (penalty_.smooth()) return;
  for_each_block(shape_.penalised, block_, threads_, [&](std::size_t first, std::size_t last) {
    penalty_.prox(step, shape_.width, w.subspan(first, last - first));
  });
}

void ShapedPenalty::centre(std::span<const double> free, std::size_t first, std::span<double> slope) const {
  if (mean_.empty() || free.empty()) return;
  const double* mean = mean_.data() + first / shape_.width;  // blocks are whole rows
  for (std::size_t j = 0; j < slope.size(); j += shape_.width, ++mean) {
    for (std::size_t k = 0; k < shape_.width; ++k) slope[j + k] -= *mean * free[k];
  }
}

double ShapedPenalty::first_order(std::span<const double> w, std::span<const double> gradient) const {
  if (!measurable_) return infinity;
  const std::size_t width = std::max<std::size_t>(shape_.width, 1);
  const auto free = gradient.subspan(shape_.penalised);
  std::vector<double> slope(width), moved(width);
  double largest = 0;
  for (std::size_t first = 0; first < shape_.size; first += width) {
    const double curvature = curvature_.empty() ? 1 : curvature_[first / width], root = std::sqrt(curvature);
    const auto here = w.subspan(first, width);
    std::ranges::copy(gradient.subspan(first, width), slope.begin());
    const bool penalised = first < shape_.penalised;
    if (penalised) centre(free, first, slope);
    if (!penalised || penalty_.smooth()) {
      largest = std::max(largest, max_abs(slope) / root);
      continue;
    }
    for (std::size_t k = 0; k < width; ++k) moved[k] = here[k] - slope[k] / curvature;
    penalty_.prox(1 / curvature, width, moved);
    for (std::size_t k = 0; k < width; ++k) {
      const double lost = machine_epsilon * std::abs(here[k]);  // by rounding: less is not seen
      largest = std::max(largest, root * std::max(lost, std::abs(here[k] - moved[k])));
    }
  }
  return largest;
}

std::optional<double> ShapedPenalty::gap(std::span<const double> w, std::span<const double> gradient) {
  if (penalty_.l2 == 0) return std::nullopt;
  const auto free = gradient.subspan(shape_.penalised);
  double total = sum_over_blocks([&](std::size_t first, std::size_t count) {
    const auto here = w.subspan(first, count);
    std::span<const double> slope = gradient.subspan(first, count);
    std::vector<double> centred;
    if (!mean_.empty() && !free.empty()) {
      centred.assign(slope.begin(), slope.end());
      centre(free, first, centred);
      slope = centred;
    }
    // ‖∇F + l2 W‖²/(2 l2), which subtracts nothing; where l2 is tiny, the square alone would be 0.
    if (penalty_.smooth()) {
      const double steepness = norm(slope);
      return 0.5 * steepness * (steepness / penalty_.l2);
    }
    std::vector<double> v(count);
    double product = 0;
    for (std::size_t j = 0; j < count; ++j) {
      v[j] = penalty_.l2 * here[j] - slope[j];
      product += here[j] * v[j];
    }
    return penalty_.value(here, shape_.width) + penalty_.conjugate(v, shape_.width) - product;
  });
  for (const double entry : free) {
    if (entry != 0) total += entry * entry / (2 * free_curvature_);
  }
  return std::max(total, 0.0);
}

double ShapedPenalty::free_gain(double objective, const Point& point) {
  if (shape_.size == shape_.penalised) return 0;
  const double steepest = max_abs(point.gradient.subspan(shape_.penalised));
  if (!(steepest > 0)) return 0;
  std::vector<double> moved(point.w.begin(), point.w.end()), gradient(shape_.size);
  for (std::size_t j = shape_.penalised; j < shape_.size; ++j) moved[j] -= point.gradient[j] / steepest;
  const double gain = objective - (point.objective.evaluate(moved, gradient) + value(moved));
  constexpr double least_curvature = 1e-8;  // relative to the slope: the tails of all losses curve more
  double estimate = 0;
  for (std::size_t j = shape_.penalised; j < shape_.size; ++j) {
    const double slope = std::abs(point.gradient[j]);
    const double curvature = (point.gradient[j] - gradient[j]) / (point.gradient[j] / steepest);
    if (slope > 0 && curvature >= 0)
      estimate += slope * slope / (2 * std::max(curvature, least_curvature * slope));
  }
  return std::max(gain, estimate);
}

void ShapedPenalty::check_free(StepReport& last_step, const Point& point, const Accuracy& accuracy) {
  if (!accuracy.reached(last_step)) return;
  const double gain = free_gain(last_step.objective, point);
  if (!(gain > accuracy.enough(last_step.objective))) return;
  last_step.residual = gain / Accuracy::scale_of(last_step.objective);
  if (last_step.gap) last_step.gap = std::max(*last_step.gap, gain);
}

StepReport step_report_of(double objective, std::optional<double> gap, bool bound, double first_order,
                          double scale) {
  StepReport last_step{.objective = objective, .gap = gap};
  if (gap && bound) last_step.dual = objective - *gap;
  if (gap) {
    last_step.residual = *gap / Accuracy::scale_of(objective);
  } else {
    last_step.residual = std::isinf(first_order) ? infinity : first_order / std::max(1.0, scale);
  }
  return last_step;
}

Report conclude(StepReport& last_step, std::span<const double> parameters, const MachineEnd& machine,
                const Accuracy& accuracy) {
  Report report = machine.report;
  report.residual = last_step.residual;
  last_step.tolerance = accuracy.tolerance(last_step);
  last_step.done = true;
  if (diverged(last_step, parameters)) {
    report.status = Status::diverged;
  } else if (accuracy.reached(last_step)) {
    report.status = Status::converged;
  } else if (!machine.done) {
    report.status = Status::max_iterations;
    last_step.done = false;
  } else if (report.status == Status::converged) {
    report.status = Status::stalled;
  }
  return report;
}

std::vector<double> start_of(const ParameterShape& shape, std::span<const double> start) {
  if (start.empty()) return std::vector<double>(shape.size, 0.0);
  check_size("start", start.size(), shape.size);
  check_finite("start", start);
  return {start.begin(), start.end()};
}

}  // namespace fenchel
