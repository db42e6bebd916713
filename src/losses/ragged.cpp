// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/ragged.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "losses/block.hpp"

namespace fenchel::batch {
namespace {

template <Real T>
std::size_t entries_of(RaggedView<T> rows) {
  return rows.rows() == 0 ? 0 : rows.offsets().back();
}

void check_offsets(std::string_view name, std::span<const std::size_t> offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      throw std::invalid_argument(
          fmt::format("{}: offset {} is {}, after {}; expected offsets that do not decrease", name, i,
                      offsets[i], offsets[i - 1]));
    }
  }
}

template <Real T>
void check_examples(std::span<const FenchelYoungLoss> losses, RaggedView<const T> theta) {
  check_offsets("theta", theta.offsets());
  if (losses.size() != theta.rows()) {
    throw std::invalid_argument(
        fmt::format("losses has {} entries; expected {}, one per example", losses.size(), theta.rows()));
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::string name = fmt::format("theta[{}]", i);
    check_not_empty(name, theta.row(i).size());
    check_dimension(losses[i].omega(), name, theta.row(i).size());
  }
}

// Rows as long as those of θ.
template <Real T>
void check_same_rows(std::string_view name, RaggedView<const T> theta, RaggedView<const T> other) {
  check_offsets(name, other.offsets());
  if (other.rows() != theta.rows()) {
    throw std::invalid_argument(fmt::format("{} has {} rows; expected {}", name, other.rows(), theta.rows()));
  }
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    check_size(fmt::format("{}[{}]", name, i), other.row(i).size(), theta.row(i).size());
  }
}

// An output that is the input itself, offset by offset, or does not touch it.
template <Real T>
void check_output(std::string_view name, RaggedView<const T> input, RaggedView<const T> out) {
  check_same_rows(name, input, out);
  if (input.rows() == 0) return;
  const bool same = input.data() == out.data() && std::ranges::equal(input.offsets(), out.offsets());
  if (same) return;
  const auto* first = input.data() + input.offsets().front();
  const auto* second = out.data() + out.offsets().front();
  const std::size_t count = entries_of(input) - input.offsets().front();
  if (first == second && count > 0) {
    throw std::invalid_argument(fmt::format("{} is the input with other offsets", name));
  }
  check_overlap(name, first, second, count * sizeof(T));
}

// Runs body(block of one row, i, scratch) over the examples and merges the reports. How many make a block
// depends on their lengths only.
template <Real T, class Body>
Report over_examples(std::span<const FenchelYoungLoss> losses, RaggedView<const T> theta,
                     const BatchOptions& options, Body body) {
  if (theta.rows() == 0) return {};
  const std::size_t mean_bytes = entries_of(theta) / theta.rows() * sizeof(T);
  Report report;
  std::mutex mutex;
  const auto run = [&](std::size_t begin, std::size_t end) {
    Workspace& scratch = thread_workspace();
    Report part;
    for (std::size_t i = begin; i < end; ++i) {
      const Workspace::Frame frame(scratch);
      const AnyRegularizer& omega = losses[i].omega();
      const Block<T> block{losses[i],
                           options,
                           omega.refined_traits().domain,
                           omega.takes_blocks(),
                           MatrixView<const T>(theta.row(i)),
                           0,
                           i};
      part = worst(part, body(block, i, scratch));
    }
    const std::lock_guard lock(mutex);
    report = worst(report, part);
  };
  for_each_block(theta.rows(), rows_per_block(mean_bytes), options.threads, run);
  return report;
}

template <Real T>
Report predict_examples(std::span<const FenchelYoungLoss> losses, RaggedView<const T> theta,
                        RaggedView<T> out, const BatchOptions& options) {
  check_examples(losses, theta);
  check_output<T>("out", theta, out);
  return over_examples(losses, theta, options, [&](const Block<T>& block, std::size_t i, Workspace& scratch) {
    return block.predict(MatrixView<T>(out.row(i)), {}, scratch);
  });
}

template <Real T>
Report conjugate_examples(std::span<const FenchelYoungLoss> losses, RaggedView<const T> theta,
                          std::span<double> out, const BatchOptions& options) {
  check_examples(losses, theta);
  check_size("out", out.size(), theta.rows());
  return over_examples(losses, theta, options, [&](const Block<T>& block, std::size_t i, Workspace& scratch) {
    return conjugates_of(block, out.subspan(i, 1), scratch);
  });
}

template <Real T>
BatchLoss loss_examples(std::span<const FenchelYoungLoss> losses, RaggedView<const T> theta,
                        RaggedView<const T> y, std::span<double> values, const RaggedView<T>* gradient,
                        const BatchOptions& options) {
  check_examples(losses, theta);
  check_same_rows("y", theta, y);
  if (gradient) {
    check_output<T>("gradient", theta, *gradient);
    check_output<T>("gradient", y, *gradient);
    if (theta.rows() > 0 && gradient->data() == y.data()) {
      throw std::invalid_argument("gradient is y itself; expected theta or a separate buffer");
    }
  }
  if (!values.empty()) check_size("values", values.size(), theta.rows());
  check_weights(options.weights, theta.rows());
  Workspace& caller = thread_workspace();
  const Workspace::Frame caller_frame(caller);
  const std::span<double> every = values.empty() ? caller.take<double>(theta.rows()) : values;
  BatchLoss result;
  result.report =
      over_examples(losses, theta, options, [&](const Block<T>& block, std::size_t i, Workspace& scratch) {
        const MatrixView<T> out(gradient ? gradient->row(i) : scratch.take<T>(theta.row(i).size()));
        const auto weights = options.weights.empty() ? options.weights : options.weights.subspan(i, 1);
        return losses_of(block, Targets<T>(MatrixView<const T>(y.row(i))), weights, every.subspan(i, 1), out,
                         scratch);
      });
  result.total = sum_of(every);  // in order, whatever the threads did
  return result;
}

template <Real T>
Report jvp_examples(std::span<const FenchelYoungLoss> losses, RaggedView<const T> theta,
                    RaggedView<const T> v, RaggedView<T> out, const BatchOptions& options) {
  check_examples(losses, theta);
  check_same_rows("v", theta, v);
  check_output<T>("out", v, out);
  check_output<T>("out", theta, out);
  return over_examples(losses, theta, options, [&](const Block<T>& block, std::size_t i, Workspace& scratch) {
    return jvps_of<T>(block, MatrixView<const T>(v.row(i)), MatrixView<T>(out.row(i)), scratch);
  });
}

}  // namespace

Report predict(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta, RaggedView<float> out,
               const BatchOptions& options) {
  return predict_examples(losses, theta, out, options);
}
Report predict(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
               RaggedView<double> out, const BatchOptions& options) {
  return predict_examples(losses, theta, out, options);
}

Report conjugate(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta,
                 std::span<double> out, const BatchOptions& options) {
  return conjugate_examples(losses, theta, out, options);
}
Report conjugate(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
                 std::span<double> out, const BatchOptions& options) {
  return conjugate_examples(losses, theta, out, options);
}

BatchLoss loss(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta,
               RaggedView<const float> y, std::span<double> values, const BatchOptions& options) {
  return loss_examples<float>(losses, theta, y, values, nullptr, options);
}
BatchLoss loss(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
               RaggedView<const double> y, std::span<double> values, const BatchOptions& options) {
  return loss_examples<double>(losses, theta, y, values, nullptr, options);
}

BatchLoss loss_and_gradient(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta,
                            RaggedView<const float> y, std::span<double> values, RaggedView<float> gradient,
                            const BatchOptions& options) {
  return loss_examples(losses, theta, y, values, &gradient, options);
}
BatchLoss loss_and_gradient(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
                            RaggedView<const double> y, std::span<double> values, RaggedView<double> gradient,
                            const BatchOptions& options) {
  return loss_examples(losses, theta, y, values, &gradient, options);
}

Report jvp(std::span<const FenchelYoungLoss> losses, RaggedView<const float> theta, RaggedView<const float> v,
           RaggedView<float> out, const BatchOptions& options) {
  return jvp_examples(losses, theta, v, out, options);
}
Report jvp(std::span<const FenchelYoungLoss> losses, RaggedView<const double> theta,
           RaggedView<const double> v, RaggedView<double> out, const BatchOptions& options) {
  return jvp_examples(losses, theta, v, out, options);
}

}  // namespace fenchel::batch
