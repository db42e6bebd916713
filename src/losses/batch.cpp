// SPDX-License-Identifier: Apache-2.0
// Batches: the only loop over rows. Rows are grouped in blocks; threads take blocks; results have the same
// bits for any number of threads. Everything is written into the caller's buffers, and steady state allocates
// nothing per row.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "kernels/rows.hpp"
#include "losses/block.hpp"

namespace fenchel {
namespace batch {
namespace {

template <Real T>
void check_input(const AnyRegularizer& omega, std::string_view name, MatrixView<const T> input,
                 const BatchOptions& options) {
  if (input.rows() > 0 && input.cols() == 0) {
    throw std::invalid_argument(fmt::format("{} {}; expected at least one entry", name,
                                            options.one_vector ? "is empty" : "has rows of no entries"));
  }
  if (input.rows() > 0) check_dimension(omega, name, input.cols());
}

template <Real T>
void check_same_shape(std::string_view name, MatrixView<const T> input, MatrixView<const T> other,
                      const BatchOptions& options) {
  if (options.one_vector) check_size(name, other.cols(), input.cols());
  check_shape(name, other, input);
  if (input.stride() < input.cols() || other.stride() < other.cols()) {
    throw std::invalid_argument(fmt::format("{} has a stride below its {} columns", name, other.cols()));
  }
}

// An output of the input's shape that is the input itself or does not touch it.
template <Real T>
void check_output(std::string_view name, MatrixView<const T> input, MatrixView<const T> out,
                  const BatchOptions& options) {
  check_same_shape(name, input, out, options);
  if (input.empty()) return;
  const bool same = input.data() == out.data();
  if (same && input.stride() == out.stride()) return;
  if (same) throw std::invalid_argument(fmt::format("{} is the input with another stride", name));
  if (input.stride() == out.stride()) {
    // Two blocks of columns of one matrix interleave without touching.
    const auto stride = static_cast<std::uintptr_t>(input.stride()) * sizeof(T);
    const auto width = static_cast<std::uintptr_t>(input.cols()) * sizeof(T);
    const auto from = reinterpret_cast<std::uintptr_t>(input.data());
    const auto to = reinterpret_cast<std::uintptr_t>(out.data());
    const std::uintptr_t apart = (to > from ? to - from : from - to) % stride;
    if (apart >= width && apart + width <= stride) return;
  }
  // Each ends where its own stride says: memory after the one with the smaller stride may be the other's.
  const auto entries = [](const auto& view) { return (view.rows() - 1) * view.stride() + view.cols(); };
  const std::less<> before;
  if (!before(input.data(), out.data() + entries(out)) ||
      !before(out.data(), input.data() + entries(input))) {
    return;
  }
  check_overlap(name, input.data(), out.data(), std::max(entries(input), entries(out)) * sizeof(T));
}

// The rows in a block where predictions are all that is wanted. Kernels write past the cache in blocks too
// large for it, which pays for batches much larger than it; where a loss reads the predictions again it does
// not.
template <Real T>
std::size_t prediction_rows(const AnyRegularizer& omega, MatrixView<const T> theta) {
  const std::size_t row_bytes = theta.cols() * sizeof(T);
  const std::size_t rows = rows_per_block(row_bytes);
  const bool streams = omega.takes_blocks() && theta.rows() * row_bytes >= 4 * kernels::streaming_bytes;
  return streams ? std::max(rows, kernels::streaming_bytes / row_bytes + 1) : rows;
}

template <Real T>
std::size_t cached_rows(MatrixView<const T> theta) {
  return rows_per_block(theta.cols() * sizeof(T));
}

// Runs body(block, first, last, scratch) over blocks of that many rows and merges the reports. The blocks are
// a function of Ω and of the batch, never of the number of threads.
template <Real T, class Body>
Report over_blocks(const FenchelYoungLoss& loss, MatrixView<const T> theta, const BatchOptions& options,
                   std::size_t block_rows, Body body) {
  const Domain domain = loss.traits().domain;
  const bool by_kernel = loss.omega().takes_blocks();
  Report report;
  std::mutex mutex;
  for_each_block(theta.rows(), block_rows, options.threads, [&](std::size_t first, std::size_t last) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const Block<T> block{loss, options, domain, by_kernel, theta.block(first, last - first), first, first};
    const Report part = body(block, first, last, scratch);
    const std::lock_guard lock(mutex);
    report = worst(report, part);
  });
  return report;
}

template <Real T>
Report predict_rows(const FenchelYoungLoss& loss, MatrixView<const T> theta, MatrixView<T> out,
                    const BatchOptions& options) {
  check_input(loss.omega(), "theta", theta, options);
  check_output<T>("out", theta, out, options);
  return over_blocks(loss, theta, options, prediction_rows(loss.omega(), theta),
                     [&](const Block<T>& block, std::size_t first, std::size_t last, Workspace& scratch) {
                       return block.predict(out.block(first, last - first), {}, scratch);
                     });
}

template <Real T>
CsrMatrix<T> predict_rows_csr(const FenchelYoungLoss& loss, MatrixView<const T> theta,
                              const BatchOptions& options) {
  check_input(loss.omega(), "theta", theta, options);
  if (theta.cols() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::invalid_argument(
        fmt::format("theta has {} columns; sparse predictions index at most 2^31 - 1", theta.cols()));
  }
  const std::size_t step = cached_rows(theta);
  std::vector<CsrMatrix<T>> parts((theta.rows() + step - 1) / step);
  over_blocks(loss, theta, options, cached_rows(theta),
              [&](const Block<T>& block, std::size_t first, std::size_t last, Workspace& scratch) {
                const auto dense = scratch.take<T>((last - first) * theta.cols());
                const MatrixView<T> out(dense.data(), last - first, theta.cols());
                const Report report = block.predict(out, {}, scratch);
                CsrMatrix<T>& part = parts[first / step];
                for (std::size_t i = 0; i < out.rows(); ++i) {
                  for (std::size_t j = 0; j < out.cols(); ++j) {
                    if (out.row(i)[j] == 0) continue;
                    part.indices.push_back(static_cast<std::int32_t>(j));
                    part.values.push_back(out.row(i)[j]);
                  }
                  part.offsets.push_back(static_cast<std::int64_t>(part.indices.size()));
                }
                return report;
              });
  CsrMatrix<T> result;
  result.cols = theta.cols();
  for (const CsrMatrix<T>& part : parts) {
    const std::int64_t base = result.offsets.back();
    for (std::size_t i = 1; i < part.offsets.size(); ++i) result.offsets.push_back(base + part.offsets[i]);
    result.indices.insert(result.indices.end(), part.indices.begin(), part.indices.end());
    result.values.insert(result.values.end(), part.values.begin(), part.values.end());
  }
  return result;
}

template <Real T>
Report conjugate_rows(const FenchelYoungLoss& loss, MatrixView<const T> theta, std::span<double> out,
                      const BatchOptions& options) {
  check_input(loss.omega(), "theta", theta, options);
  check_size("out", out.size(), theta.rows());
  return over_blocks(loss, theta, options, cached_rows(theta),
                     [&](const Block<T>& block, std::size_t first, std::size_t last, Workspace& scratch) {
                       return conjugates_of(block, out.subspan(first, last - first), scratch);
                     });
}

template <Real T>
BatchLoss loss_rows(const FenchelYoungLoss& loss, MatrixView<const T> theta, const Targets<T>& y,
                    std::span<double> losses, const MatrixView<T>* gradient, const BatchOptions& options) {
  check_input(loss.omega(), "theta", theta, options);
  if (gradient) check_output<T>(options.one_vector ? "out" : "gradient", theta, *gradient, options);
  check_size("y", y.size(), theta.rows());
  if (!y.are_labels() && y.rows().cols() != theta.cols()) {
    if (options.one_vector) check_size("y", y.rows().cols(), theta.cols());
    throw std::invalid_argument(
        fmt::format("y has {} columns; expected {}, as many as theta", y.rows().cols(), theta.cols()));
  }
  if (gradient && !y.are_labels() && !theta.empty()) {
    // The prediction is written before the targets are subtracted.
    const std::string_view name = options.one_vector ? "out" : "gradient";
    check_output<T>(name, y.rows(), *gradient, options);
    if (gradient->data() == y.rows().data()) {
      throw std::invalid_argument(fmt::format("{} is y itself; expected theta or a separate buffer", name));
    }
  }
  if (!losses.empty()) check_size("losses", losses.size(), theta.rows());
  check_weights(options.weights, theta.rows());
  Workspace& caller = thread_workspace();
  const Workspace::Frame caller_frame(caller);
  const std::span<double> values = losses.empty() ? caller.take<double>(theta.rows()) : losses;
  BatchLoss result;
  result.report = over_blocks(
      loss, theta, options, cached_rows(theta),
      [&](const Block<T>& block, std::size_t first, std::size_t last, Workspace& scratch) {
        const std::size_t rows = last - first;
        MatrixView<T> out =
            gradient ? gradient->block(first, rows)
                     : MatrixView<T>(scratch.take<T>(rows * theta.cols()).data(), rows, theta.cols());
        const auto weights = options.weights.empty() ? options.weights : options.weights.subspan(first, rows);
        return losses_of(block, y, weights, values.subspan(first, rows), out, scratch);
      });
  result.total = sum_of(values);  // in row order, whatever the threads did
  return result;
}

template <Real T>
Report jvp_rows(const FenchelYoungLoss& loss, MatrixView<const T> theta, MatrixView<const T> v,
                MatrixView<T> out, const BatchOptions& options) {
  check_input(loss.omega(), "theta", theta, options);
  check_same_shape<T>("v", theta, v, options);
  check_output<T>("out", v, out, options);
  check_output<T>("out", theta, out, options);
  return over_blocks(loss, theta, options, cached_rows(theta),
                     [&](const Block<T>& block, std::size_t first, std::size_t last, Workspace& scratch) {
                       const std::size_t rows = last - first;
                       return jvps_of<T>(block, v.block(first, rows), out.block(first, rows), scratch);
                     });
}

template <Real T>
Report prox_rows(const FenchelYoungLoss& loss, MatrixView<const T> eta, double tau, MatrixView<T> out,
                 const BatchOptions& options) {
  check_input(loss.omega(), "eta", eta, options);
  check_output<T>("out", eta, out, options);
  check_at_least("tau", tau, 0);
  check_finite("tau", tau);
  return over_blocks(loss, eta, options, cached_rows(eta),
                     [&](const Block<T>& block, std::size_t first, std::size_t last, Workspace& scratch) {
                       return proxes_of(block, tau, out.block(first, last - first), scratch);
                     });
}

}  // namespace
}  // namespace batch

Report FenchelYoungLoss::predict(MatrixView<const double> theta, MatrixView<double> out,
                                 const BatchOptions& options) const {
  return batch::predict_rows(*this, theta, out, options);
}
Report FenchelYoungLoss::predict(MatrixView<const float> theta, MatrixView<float> out,
                                 const BatchOptions& options) const {
  return batch::predict_rows(*this, theta, out, options);
}

CsrMatrix<double> FenchelYoungLoss::predict_csr(MatrixView<const double> theta,
                                                const BatchOptions& options) const {
  return batch::predict_rows_csr(*this, theta, options);
}
CsrMatrix<float> FenchelYoungLoss::predict_csr(MatrixView<const float> theta,
                                               const BatchOptions& options) const {
  return batch::predict_rows_csr(*this, theta, options);
}

Report FenchelYoungLoss::conjugate(MatrixView<const double> theta, std::span<double> out,
                                   const BatchOptions& options) const {
  return batch::conjugate_rows(*this, theta, out, options);
}
Report FenchelYoungLoss::conjugate(MatrixView<const float> theta, std::span<double> out,
                                   const BatchOptions& options) const {
  return batch::conjugate_rows(*this, theta, out, options);
}

BatchLoss FenchelYoungLoss::value(MatrixView<const double> theta, const Targets<double>& y,
                                  std::span<double> losses, const BatchOptions& options) const {
  return batch::loss_rows<double>(*this, theta, y, losses, nullptr, options);
}
BatchLoss FenchelYoungLoss::value(MatrixView<const float> theta, const Targets<float>& y,
                                  std::span<double> losses, const BatchOptions& options) const {
  return batch::loss_rows<float>(*this, theta, y, losses, nullptr, options);
}

BatchLoss FenchelYoungLoss::value_and_gradient(MatrixView<const double> theta, const Targets<double>& y,
                                               std::span<double> losses, MatrixView<double> gradient,
                                               const BatchOptions& options) const {
  return batch::loss_rows(*this, theta, y, losses, &gradient, options);
}
BatchLoss FenchelYoungLoss::value_and_gradient(MatrixView<const float> theta, const Targets<float>& y,
                                               std::span<double> losses, MatrixView<float> gradient,
                                               const BatchOptions& options) const {
  return batch::loss_rows(*this, theta, y, losses, &gradient, options);
}

Report FenchelYoungLoss::jvp(MatrixView<const double> theta, MatrixView<const double> v,
                             MatrixView<double> out, const BatchOptions& options) const {
  return batch::jvp_rows(*this, theta, v, out, options);
}
Report FenchelYoungLoss::jvp(MatrixView<const float> theta, MatrixView<const float> v, MatrixView<float> out,
                             const BatchOptions& options) const {
  return batch::jvp_rows(*this, theta, v, out, options);
}

Report FenchelYoungLoss::prox(MatrixView<const double> eta, double tau, MatrixView<double> out,
                              const BatchOptions& options) const {
  return batch::prox_rows(*this, eta, tau, out, options);
}
Report FenchelYoungLoss::prox(MatrixView<const float> eta, double tau, MatrixView<float> out,
                              const BatchOptions& options) const {
  return batch::prox_rows(*this, eta, tau, out, options);
}

}  // namespace fenchel
