// SPDX-License-Identifier: Apache-2.0
// Batches of rows in single precision, into the caller's buffers: labels or proportions as targets, weights,
// threads, masks and sparse output.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "fenchel/core/random.hpp"
#include "fenchel/fenchel.hpp"

namespace {

constexpr std::size_t rows = 1000, classes = 12;

// The sparsemax loss by the formula of the paper's Table 1: ½‖y − θ‖² − ½‖ŷ − θ‖².
double sparsemax_loss(const float* theta, const float* prediction, std::size_t label) {
  double loss = 0;
  for (std::size_t j = 0; j < classes; ++j) {
    const double to_truth = theta[j] - (j == label ? 1.0 : 0.0);
    const double to_prediction = static_cast<double>(theta[j]) - static_cast<double>(prediction[j]);
    loss += 0.5 * to_truth * to_truth - 0.5 * to_prediction * to_prediction;
  }
  return loss;
}

}  // namespace

int main() {
  std::vector<float> theta(rows * classes), out(theta.size()), gradient(theta.size());
  std::vector<std::int32_t> labels(rows);
  std::vector<double> weights(rows), losses(rows);
  fenchel::Random random(7);
  for (float& score : theta) score = static_cast<float>(random.normal());
  for (std::size_t i = 0; i < rows; ++i) {
    labels[i] = static_cast<std::int32_t>(random.below(classes));
    weights[i] = random.uniform();
  }

  // Views of memory that belongs to the caller; no row is copied.
  const fenchel::FenchelYoungLoss sparsemax{fenchel::Tsallis{.alpha = 2}};
  const fenchel::MatrixView<const float> scores(theta.data(), rows, classes);
  const fenchel::MatrixView<float> predictions(out.data(), rows, classes);
  const fenchel::MatrixView<float> gradients(gradient.data(), rows, classes);
  const fenchel::Targets<float> by_label(labels);
  sparsemax.predict(scores, predictions);
  const auto result = sparsemax.value_and_gradient(scores, by_label, losses, gradients, {.weights = weights});

  double worst = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    const double expected = sparsemax_loss(scores.row(i).data(), predictions.row(i).data(), label);
    worst = std::max(worst, std::abs(losses[i] - weights[i] * expected));
  }

  // Proportions as targets: the predictions themselves, so that every loss is zero.
  const auto zero = sparsemax.value(scores, fenchel::Targets<float>(predictions));

  // One thread or two, the same bits.
  std::vector<double> again(rows);
  const auto single = sparsemax.value(scores, by_label, again, {.threads = 1, .weights = weights});
  const bool same = again == losses && single.total == result.total;

  // −inf masks a class; only non-zero entries are kept.
  for (std::size_t i = 0; i < rows; ++i) {
    theta[i * classes + 3] = -std::numeric_limits<float>::infinity();
  }
  const fenchel::CsrMatrix<float> sparse = sparsemax.predict_csr(scores);
  const auto masked = std::ranges::count(sparse.indices, std::int64_t{3});
  const double density = static_cast<double>(sparse.values.size()) / static_cast<double>(rows * classes);

  std::printf("total loss %g, largest error %g, %.0f%% of the entries are non-zero\n", result.total, worst,
              100 * density);
  const bool right = worst < 1e-4 && zero.total < 1e-4 && same && masked == 0 && sparse.rows() == rows;
  return right && density < 0.5 ? 0 : 1;
}
