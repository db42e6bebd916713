// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/kernel_predictor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "models/predict_rows.hpp"

namespace fenchel {
namespace {

// The rows in double, with as many columns as the model has; entries beyond them are counted in `ignored`.
template <Real T>
Matrix<double> fitted_dense(const FeaturesView<T>& x, std::size_t columns, std::size_t& ignored) {
  Matrix<double> rows(x.rows(), columns);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.for_each(i, [&](std::size_t j, double value) {
      if (j < columns) {
        rows(i, j) = value;
      } else {
        ++ignored;
      }
    });
  }
  return rows;
}

template <Real T>
CsrMatrix<double> fitted_sparse(const FeaturesView<T>& x, std::size_t columns, std::size_t& ignored) {
  CsrMatrix<double> rows;
  rows.cols = columns;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.for_each(i, [&](std::size_t j, double value) {
      if (j >= columns) {
        ++ignored;
        return;
      }
      rows.indices.push_back(static_cast<std::int32_t>(j));
      rows.values.push_back(value);
    });
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
  }
  return rows;
}

template <Real T>
std::size_t score_rows(const KernelPredictor& model, const FeaturesView<T>& x, MatrixView<double> theta,
                       int threads) {
  const KernelModel& expansion = model.expansion;
  std::size_t ignored = 0;
  // The rows are kept as those of the model are: kernels of dense and of sparse rows differ in last digits,
  // and a prediction is to depend on the row and the model alone.
  const bool sparse = expansion.sparse.rows() > 0 && model.scaler.mean.empty();
  if (expansion.kernel.kind == Kernel::Kind::precomputed ||
      (model.scaler.scaling == Scaling::none && x.cols() == expansion.features && x.sparse() == sparse)) {
    expansion.scores(x, theta, threads);
  } else if (sparse) {
    CsrMatrix<double> rows = fitted_sparse(x, expansion.features, ignored);
    model.scaler.apply(rows);
    expansion.scores(FeaturesView<double>(rows), theta, threads);
  } else {
    // Kernels other than linear ones cannot subtract a mean implicitly: sparse rows become dense.
    Matrix<double> rows = fitted_dense(x, expansion.features, ignored);
    model.scaler.apply(rows);
    expansion.scores(FeaturesView<double>(rows), theta, threads);
  }
  return ignored;
}

// Indices of sparse rows are of 32 bits. A file without any row says nothing else about these numbers.
void check_count(const char* name, std::size_t count) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (count <= most) return;
  throw std::invalid_argument(fmt::format("{} is {}; expected at most {}", name, count, most));
}

void check_rows(const char* name, const CsrMatrix<double>& rows, std::size_t cols) {
  check_size(name, rows.cols, cols);
  check_finite(name, rows.values);
}

}  // namespace

void KernelPredictor::check() const {
  check_not_empty("a row of scores", outputs());
  check_count("outputs", outputs());
  check_count("features", features());
  expansion.kernel.check();
  check_size("coefficients", expansion.coefficients.rows(), expansion.support.size());
  check_rows("coefficients", expansion.coefficients, outputs());
  if (!expansion.dense.empty() && expansion.sparse.rows() > 0)
    throw std::invalid_argument("dense and sparse both hold the rows of the support; expected one of them");
  if (!expansion.dense.empty()) {
    check_size("dense", expansion.dense.rows(), expansion.support.size());
    check_size("a row of dense", expansion.dense.cols(), features());
    check_finite("dense", expansion.dense.entries());
  } else if (expansion.sparse.rows() > 0) {
    check_size("sparse", expansion.sparse.rows(), expansion.support.size());
    check_rows("sparse", expansion.sparse, features());
  }
  ModelHead::check(features(), outputs());
}

std::size_t scores(const KernelPredictor& model, const FeaturesView<float>& x, MatrixView<double> theta,
                   int threads) {
  return score_rows(model, x, theta, threads);
}
std::size_t scores(const KernelPredictor& model, const FeaturesView<double>& x, MatrixView<double> theta,
                   int threads) {
  return score_rows(model, x, theta, threads);
}

ModelPredictions predict(const KernelPredictor& model, const FeaturesView<float>& x,
                         const PredictOptions& options) {
  return predict_rows(model, x, options);
}
ModelPredictions predict(const KernelPredictor& model, const FeaturesView<double>& x,
                         const PredictOptions& options) {
  return predict_rows(model, x, options);
}

}  // namespace fenchel
