// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/entmax.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "losses/block.hpp"

namespace fenchel::batch {
namespace {

struct Run {
  std::size_t first = 0;
  std::size_t count = 0;
  double alpha = 1;
};

// Rows of one α, in pieces that threads can share; a function of the batch, never of the number of threads.
std::vector<Run> runs_of(std::span<const double> alphas, std::size_t rows, std::size_t row_bytes) {
  if (alphas.size() != 1) check_size("alpha", alphas.size(), rows);
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    if (alphas[i] > 0) continue;
    throw std::invalid_argument(fmt::format("alpha{} is {}; expected a number > 0",
                                            alphas.size() == 1 ? "" : fmt::format("[{}]", i), alphas[i]));
  }
  const std::size_t most = rows_per_block(row_bytes);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < rows; ++i) {
    const double alpha = alphas.size() == 1 ? alphas[0] : alphas[i];
    if (runs.empty() || runs.back().alpha != alpha || runs.back().count == most)
      runs.push_back({i, 0, alpha});
    ++runs.back().count;
  }
  return runs;
}

// Each thread's body gets a run; short runs are cheap, so several make a block.
template <class Body>
void over_runs(std::span<const Run> runs, int threads, Body body) {
  const std::size_t block = std::max<std::size_t>(1, std::min<std::size_t>(16, runs.size() / 64));
  for_each_block(runs.size(), block, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) body(runs[r]);
  });
}

// A run is a batch of its own, whose rows messages name as the caller does.
BatchOptions options_of(const Run& run, const BatchOptions& options) {
  return {.threads = 1, .one_vector = options.one_vector, .first_row = run.first};
}

template <Real T>
void entmax_rows(MatrixView<const T> theta, std::span<const double> alphas, MatrixView<T> out,
                 const BatchOptions& options) {
  check_shape<T>("out", out, theta);
  const auto runs = runs_of(alphas, theta.rows(), theta.cols() * sizeof(T));
  if (alphas.size() == 1) {
    FenchelYoungLoss(Tsallis{alphas[0]}).predict(theta, out, options);
    return;
  }
  over_runs(runs, options.threads, [&](const Run& run) {
    FenchelYoungLoss(Tsallis{run.alpha})
        .predict(theta.block(run.first, run.count), out.block(run.first, run.count),
                 options_of(run, options));
  });
}

template <Real T>
void backward_rows(MatrixView<const T> prediction, std::span<const double> alphas, MatrixView<const T> v,
                   const EntmaxDerivatives<T>& derivatives, const BatchOptions& options) {
  check_shape("v", v, prediction);
  check_shape<T>("derivatives", derivatives.theta, prediction);
  if (!derivatives.alpha.empty()) check_size("derivatives", derivatives.alpha.size(), prediction.rows());
  const std::size_t d = prediction.cols();
  const auto runs = runs_of(alphas, prediction.rows(), d * sizeof(T));
  over_runs(runs, options.threads, [&](const Run& run) {
    if (!derivatives.alpha.empty()) {
      Workspace& scratch = thread_workspace();
      const Workspace::Frame frame(scratch);
      const auto p = scratch.take<double>(d);
      const auto direction = scratch.take<double>(d);
      for (std::size_t i = run.first; i < run.first + run.count; ++i) {
        std::ranges::copy(prediction.row(i), p.begin());
        std::ranges::copy(v.row(i), direction.begin());
        derivatives.alpha[i] = Tsallis{run.alpha}.predict_alpha_product(p, direction);
      }
    }
    Tsallis{run.alpha}.jvp_block(prediction.block(run.first, run.count), v.block(run.first, run.count),
                                 derivatives.theta.block(run.first, run.count));
  });
}

template <Real T>
void loss_rows(MatrixView<const T> theta, std::span<const double> alphas, const Targets<T>& y,
               std::span<double> losses, const EntmaxDerivatives<T>& derivatives,
               const BatchOptions& options) {
  check_shape<T>("derivatives", derivatives.theta, theta);
  check_size("losses", losses.size(), theta.rows());
  check_size("y", y.size(), theta.rows());
  if (!derivatives.alpha.empty()) check_size("derivatives", derivatives.alpha.size(), theta.rows());
  const std::size_t d = theta.cols();
  const auto runs = runs_of(alphas, theta.rows(), d * sizeof(T));
  over_runs(runs, options.threads, [&](const Run& run) {
    const MatrixView<T> gradient = derivatives.theta.block(run.first, run.count);
    FenchelYoungLoss(Tsallis{run.alpha})
        .value_and_gradient(theta.block(run.first, run.count), y.block(run.first, run.count),
                            losses.subspan(run.first, run.count), gradient, options_of(run, options));
    if (derivatives.alpha.empty()) return;
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto target = scratch.take<double>(d);
    const auto prediction = scratch.take<double>(d);
    for (std::size_t i = run.first; i < run.first + run.count; ++i) {
      y.write(i, target);
      for (std::size_t j = 0; j < d; ++j)
        prediction[j] = target[j] + static_cast<double>(derivatives.theta.row(i)[j]);
      derivatives.alpha[i] = Tsallis{run.alpha}.loss_alpha_derivative(target, prediction);
    }
  });
}

}  // namespace

void entmax(MatrixView<const float> theta, std::span<const double> alphas, MatrixView<float> out,
            const BatchOptions& options) {
  entmax_rows(theta, alphas, out, options);
}
void entmax(MatrixView<const double> theta, std::span<const double> alphas, MatrixView<double> out,
            const BatchOptions& options) {
  entmax_rows(theta, alphas, out, options);
}

void entmax_backward(MatrixView<const float> prediction, std::span<const double> alphas,
                     MatrixView<const float> v, const EntmaxDerivatives<float>& derivatives,
                     const BatchOptions& options) {
  backward_rows(prediction, alphas, v, derivatives, options);
}
void entmax_backward(MatrixView<const double> prediction, std::span<const double> alphas,
                     MatrixView<const double> v, const EntmaxDerivatives<double>& derivatives,
                     const BatchOptions& options) {
  backward_rows(prediction, alphas, v, derivatives, options);
}

void entmax_loss(MatrixView<const float> theta, std::span<const double> alphas, const Targets<float>& y,
                 std::span<double> losses, const EntmaxDerivatives<float>& derivatives,
                 const BatchOptions& options) {
  loss_rows(theta, alphas, y, losses, derivatives, options);
}
void entmax_loss(MatrixView<const double> theta, std::span<const double> alphas, const Targets<double>& y,
                 std::span<double> losses, const EntmaxDerivatives<double>& derivatives,
                 const BatchOptions& options) {
  loss_rows(theta, alphas, y, losses, derivatives, options);
}

}  // namespace fenchel::batch
