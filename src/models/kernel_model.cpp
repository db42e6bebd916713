// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/kernel_model.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/workspace.hpp"

namespace fenchel {
namespace {

constexpr std::size_t rows_of_block = 8;

KernelRows<double> rows_of(const KernelModel& model) {
  if (model.kernel.kind == Kernel::Kind::precomputed) return {model.kernel, model.support};
  if (model.sparse.rows() > 0) return {model.kernel, FeaturesView<double>(model.sparse)};
  return {model.kernel, FeaturesView<double>(model.dense)};
}

template <Real T>
void write_scores(const KernelModel& model, const FeaturesView<T>& x, MatrixView<double> out, int threads) {
  check_size("the columns of x", x.cols(), model.features);
  check_size("the rows of out", out.rows(), x.rows());
  check_size("the columns of out", out.cols(), model.outputs);
  const KernelRows<double> support = rows_of(model);
  const CsrView<double> coefficients = model.coefficients.view();
  for_each_block(x.rows(), rows_of_block, resolve_threads(threads), [&](std::size_t begin, std::size_t end) {
    Workspace& scratch = thread_workspace();
    const Workspace::Frame frame(scratch);
    const auto values = scratch.take<double>(support.size());
    for (std::size_t i = begin; i < end; ++i) {
      support.evaluate(x, i, values);
      const auto theta = out.row(i);
      std::ranges::fill(theta, 0.0);
      for (std::size_t s = 0; s < values.size(); ++s) {
        const auto indices = coefficients.indices(s);
        const auto entries = coefficients.values(s);
        for (std::size_t e = 0; e < entries.size(); ++e)
          theta[static_cast<std::size_t>(indices[e])] += values[s] * entries[e];
      }
    }
  });
}

template <Real T>
KernelModel make(const Kernel& kernel, const FeaturesView<T>& x, MatrixView<const double> coefficients) {
  check_size("the rows of coefficients", coefficients.rows(), x.rows());
  KernelModel model{.kernel = kernel, .features = x.cols(), .outputs = coefficients.cols()};
  model.coefficients.cols = coefficients.cols();
  model.sparse.cols = x.cols();
  const bool keeps_rows = kernel.kind != Kernel::Kind::precomputed;
  std::vector<double> entries;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const auto row = coefficients.row(i);
    if (std::ranges::all_of(row, [](double entry) { return entry == 0; })) continue;
    model.support.push_back(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k] == 0) continue;
      model.coefficients.indices.push_back(static_cast<std::int32_t>(k));
      model.coefficients.values.push_back(row[k]);
    }
    model.coefficients.offsets.push_back(static_cast<std::int64_t>(model.coefficients.values.size()));
    if (!keeps_rows) continue;
    if (x.sparse()) {
      x.for_each(i, [&](std::size_t j, double value) {
        model.sparse.indices.push_back(static_cast<std::int32_t>(j));
        model.sparse.values.push_back(value);
      });
      model.sparse.offsets.push_back(static_cast<std::int64_t>(model.sparse.values.size()));
    } else {
      const auto features = x.dense_rows().row(i);
      entries.insert(entries.end(), features.begin(), features.end());
    }
  }
  if (keeps_rows && !x.sparse())
    model.dense = Matrix<double>(model.support.size(), x.cols(), std::move(entries));
  return model;
}

}  // namespace

void KernelModel::scores(const FeaturesView<float>& x, MatrixView<double> out, int threads) const {
  write_scores(*this, x, out, threads);
}
void KernelModel::scores(const FeaturesView<double>& x, MatrixView<double> out, int threads) const {
  write_scores(*this, x, out, threads);
}

KernelModel make_kernel_model(const Kernel& kernel, const FeaturesView<float>& x,
                              MatrixView<const double> coefficients) {
  return make(kernel, x, coefficients);
}
KernelModel make_kernel_model(const Kernel& kernel, const FeaturesView<double>& x,
                              MatrixView<const double> coefficients) {
  return make(kernel, x, coefficients);
}

}  // namespace fenchel
