// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/linear_model.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/workspace.hpp"
#include "kernels/dense_linear.hpp"
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

// Rows in the order of their entries, whatever they are kept as.
template <Real T>
std::size_t score_entries(const LinearModel& model, const FeaturesView<T>& x, std::span<const double> start,
                          MatrixView<double> theta) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) longest = std::max(longest, x.values(i).size());
  const auto indices = scratch.take<std::int32_t>(longest);
  const auto values = scratch.take<double>(longest);
  const auto sums = scratch.take<double>(kernels::score_scratch(model.outputs()));
  std::size_t ignored = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    std::size_t count = 0;
    x.for_each(i, [&](std::size_t j, double value) {
      if (j >= model.features()) {
        ++ignored;
        return;
      }
      indices[count] = static_cast<std::int32_t>(j);
      values[count++] = scaled(model, j, value);
    });
    kernels::linear_scores(indices.first(count), values.first(count), model.weights.view(), start,
                           theta.row(i), sums);
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

// The entries of a row, zeros included; those beyond `out` are counted.
template <Real T>
std::size_t spread_row(const FeaturesView<T>& x, std::size_t i, std::span<double> out) {
  std::size_t ignored = 0;
  std::ranges::fill(out, 0.0);
  x.for_each(i, [&](std::size_t j, double value) {
    if (j < out.size()) {
      out[j] = value;
    } else {
      ++ignored;
    }
  });
  return ignored;
}

template <Real T>
std::size_t score_matrix(const LinearModel& model, const FeaturesView<T>& x, const Matrix<double>& transposed,
                         std::span<const double> start, MatrixView<double> theta) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const MatrixView<double> rows{scratch.take<double>(x.rows() * model.features()).data(), x.rows(),
                                model.features()};
  std::size_t ignored = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (x.sparse()) {
      ignored += spread_row(x, i, rows.row(i));
      scale_row(model, std::span<const double>(rows.row(i)), rows.row(i));
    } else {
      ignored += scale_row(model, x.dense_rows().row(i), rows.row(i));
    }
  }
  kernels::linear_scores(MatrixView<const double>(rows), transposed.view(), start, theta);
  return ignored;
}

// Whether rows are multiplied as a matrix, or entry by entry. Both have the same bits, unless a mean is
// subtracted: entry by entry that happens in the start. The model decides then, so that the scores of a row
// do not depend on how it is kept: from that many features on zeros would cost more than the digits that a
// mean much larger than the deviation takes.
template <Real T>
bool as_matrix(const LinearModel& model, const FeaturesView<T>& x) {
  constexpr std::size_t most_features = 4096;
  return model.scaler.mean.empty() ? !x.sparse() : model.features() <= most_features;
}

template <Real T>
std::size_t score_rows(const LinearModel& model, const FeaturesView<T>& x, MatrixView<double> theta,
                       int threads) {
  check_size("theta", theta.rows(), x.rows());
  check_size("a row of theta", theta.cols(), model.outputs());
  const bool matrix = as_matrix(model, x);
  std::vector<double> start(model.outputs());
  Matrix<double> transposed;
  if (!matrix) {
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
    const FeaturesView<T> rows = x.block(first, last - first);
    ignored[first / block] =
        matrix ? score_matrix(model, rows, transposed, start, out) : score_entries(model, rows, start, out);
  });
  return std::accumulate(ignored.begin(), ignored.end(), std::size_t{0});
}

template <Real T>
CsrMatrix<double> predict_rows_csr(const LinearModel& model, const FeaturesView<T>& x,
                                   const PredictOptions& options) {
  Matrix<double> theta(x.rows(), model.outputs());
  scores(model, x, theta.view(), options.threads);
  check_row_scores(std::as_const(theta).view(), options);
  check_mappings();
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

ModelPredictions LinearModel::predict(const Features& x, const PredictOptions& options) const {
  return x.visit([&](const auto& rows) { return predict_rows(*this, rows, options); });
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
  result.certificate = nullptr;  // that of other parameters
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
