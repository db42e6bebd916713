// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/linear_model.hpp"

#include <algorithm>
#include <numeric>

#include "fenchel/core/check.hpp"
#include "fenchel/core/parallel.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/kernels/dense_linear.hpp"
#include "models/predict_rows.hpp"

namespace fenchel {
namespace {

// θ += x · (row of W), the inner loop of scoring.
void add_scaled(double x, std::span<const double> weights, std::span<double> theta) {
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += x * weights[k];
}

// What every row of scores starts from: the intercept, less the mean's part of what scaling subtracts.
std::vector<double> starting_scores(const LinearModel& model) {
  std::vector<double> start(model.outputs());
  if (!model.intercept.empty()) start = model.intercept;
  const std::vector<double> center = model.scaler.center();
  for (std::size_t j = 0; j < center.size(); ++j) add_scaled(-center[j], model.weights.row(j), start);
  return start;
}

// Scales the entry of column j; the mean is taken care of in starting_scores.
double scaled(const LinearModel& model, std::size_t j, double value) {
  return model.scaler.scale.empty() ? value : value / model.scaler.scale[j];
}

template <Real T>
std::size_t score_sparse_row(const LinearModel& model, const CsrView<T>& x, std::size_t i,
                             std::span<double> theta) {
  std::size_t ignored = 0;
  const auto indices = x.indices(i);
  const auto values = x.values(i);
  for (std::size_t e = 0; e < indices.size(); ++e) {
    const auto j = static_cast<std::size_t>(indices[e]);
    if (j >= model.features()) {
      ++ignored;
      continue;
    }
    add_scaled(scaled(model, j, static_cast<double>(values[e])), model.weights.row(j), theta);
  }
  return ignored;
}

template <Real T>
std::size_t score_sparse_rows(const LinearModel& model, const CsrView<T>& x, std::span<const double> start,
                              MatrixView<double> theta) {
  std::size_t ignored = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    std::ranges::copy(start, theta.row(i).begin());
    ignored += score_sparse_row(model, x, i, theta.row(i));
  }
  return ignored;
}

// A row in the units of the weights. The mean is subtracted before the products: it may be much larger than
// what is left.
template <Real T>
std::size_t scale_row(const LinearModel& model, std::span<const T> x, std::span<double> out) {
  const std::vector<double>& mean = model.scaler.mean;
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double value = j < x.size() ? static_cast<double>(x[j]) : 0;
    out[j] = scaled(model, j, mean.empty() ? value : value - mean[j]);
  }
  std::size_t ignored = 0;
  for (std::size_t j = out.size(); j < x.size(); ++j) ignored += x[j] != 0 ? 1 : 0;
  return ignored;
}

template <Real T>
std::size_t score_dense_rows(const LinearModel& model, MatrixView<const T> x,
                             const Matrix<double>& transposed, std::span<const double> start,
                             MatrixView<double> theta) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const MatrixView<double> rows{scratch.take<double>(x.rows() * model.features()).data(), x.rows(),
                                model.features()};
  std::size_t ignored = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) ignored += scale_row(model, x.row(i), rows.row(i));
  kernels::linear_scores(MatrixView<const double>(rows), transposed.view(), start, theta);
  return ignored;
}

template <Real T>
std::size_t score_rows(const LinearModel& model, const FeaturesView<T>& x, MatrixView<double> theta,
                       int threads) {
  check_size("theta", theta.rows(), x.rows());
  check_size("a row of theta", theta.cols(), model.outputs());
  std::vector<double> start(model.outputs());
  Matrix<double> transposed;
  if (x.sparse()) {
    start = starting_scores(model);
  } else {
    if (!model.intercept.empty()) start = model.intercept;
    transposed = Matrix<double>(model.outputs(), model.features());
    for (std::size_t j = 0; j < model.features(); ++j) {
      for (std::size_t k = 0; k < model.outputs(); ++k) transposed(k, j) = model.weights(j, k);
    }
  }
  const std::size_t block = rows_per_block(std::max(model.outputs(), model.features()) * sizeof(double));
  std::vector<std::size_t> ignored((x.rows() + block - 1) / block);
  for_each_block(x.rows(), block, threads, [&](std::size_t first, std::size_t last) {
    const MatrixView<double> out = theta.block(first, last - first);
    ignored[first / block] =
        x.sparse()
            ? score_sparse_rows(model, x.sparse_rows().block(first, last - first), start, out)
            : score_dense_rows(model, x.dense_rows().block(first, last - first), transposed, start, out);
  });
  return std::accumulate(ignored.begin(), ignored.end(), std::size_t{0});
}

template <Real T>
CsrMatrix<double> predict_rows_csr(const LinearModel& model, const FeaturesView<T>& x,
                                   const PredictOptions& options) {
  Matrix<double> theta(x.rows(), model.outputs());
  scores(model, x, theta.view(), options.threads);
  return outputs_from_scores_csr(model, theta.view(), options);
}

}  // namespace

void LinearModel::set_parameters(std::span<const double> parameters, std::size_t features,
                                 std::size_t outputs) {
  const std::size_t plain = features * outputs;
  const bool with_intercept = parameters.size() != plain;
  check_size("parameters", parameters.size(), with_intercept ? plain + outputs : plain);
  weights =
      Matrix<double>(features, outputs, {parameters.begin(), parameters.begin() + std::ptrdiff_t(plain)});
  intercept.assign(parameters.begin() + std::ptrdiff_t(plain), parameters.end());
}

std::vector<double> LinearModel::parameters(bool with_intercept) const {
  const auto entries = weights.entries();
  std::vector<double> result(entries.size() + (with_intercept ? outputs() : 0), 0.0);
  std::ranges::copy(entries, result.begin());
  if (with_intercept) std::ranges::copy(intercept, result.begin() + std::ptrdiff_t(entries.size()));
  return result;
}

void LinearModel::check() const {
  check_not_empty("a row of weights", outputs());
  // Without rows nothing else bounds the number of columns.
  if (features() == 0) check_size("intercept", intercept.size(), outputs());
  check_finite("weights", weights.entries());
  if (!intercept.empty()) check_size("intercept", intercept.size(), outputs());
  check_finite("intercept", intercept);
  ModelHead::check(features(), outputs());
}

LinearModel rescaled(const LinearModel& model, const Scaler& scaler) {
  LinearModel result = model;
  if (model.scaler == scaler) return result;
  if (!scaler.scale.empty()) check_size("the scales", scaler.scale.size(), model.features());
  result.scaler = scaler;
  result.intercept = starting_scores(model);
  for (std::size_t j = 0; j < model.features(); ++j) {
    const double factor = (scaler.scale.empty() ? 1 : scaler.scale[j]) * scaled(model, j, 1);
    for (double& weight : result.weights.row(j)) weight *= factor;
  }
  const std::vector<double> center = scaler.center();
  for (std::size_t j = 0; j < center.size(); ++j) {
    add_scaled(center[j], result.weights.row(j), result.intercept);
  }
  return result;
}

std::size_t scores(const LinearModel& model, const FeaturesView<float>& x, MatrixView<double> theta,
                   int threads) {
  return score_rows(model, x, theta, threads);
}
std::size_t scores(const LinearModel& model, const FeaturesView<double>& x, MatrixView<double> theta,
                   int threads) {
  return score_rows(model, x, theta, threads);
}

ModelPredictions predict(const LinearModel& model, const FeaturesView<float>& x,
                         const PredictOptions& options) {
  return predict_rows(model, x, options);
}
ModelPredictions predict(const LinearModel& model, const FeaturesView<double>& x,
                         const PredictOptions& options) {
  return predict_rows(model, x, options);
}

CsrMatrix<double> predict_csr(const LinearModel& model, const FeaturesView<float>& x,
                              const PredictOptions& options) {
  return predict_rows_csr(model, x, options);
}
CsrMatrix<double> predict_csr(const LinearModel& model, const FeaturesView<double>& x,
                              const PredictOptions& options) {
  return predict_rows_csr(model, x, options);
}

}  // namespace fenchel
