// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/shannon.hpp"

#include <algorithm>
#include <cmath>

#include "core/wright_omega.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/regularizers/sigmoid.hpp"
#include "kernels/entmax_jvp.hpp"
#include "kernels/rows.hpp"
#include "regularizers/simplex_tools.hpp"
#include "solvers/threshold.hpp"

namespace fenchel {

double Shannon::value(std::span<const double> p) const {
  double sum = 0;
  for (const double entry : p) sum += xlogx(entry);
  return sum;
}

void Shannon::predict(std::span<const double> theta, std::span<double> out, Workspace&) const {
  kernels::softmax(MatrixView<const double>(theta.data(), 1, theta.size()),
                   MatrixView<double>(out.data(), 1, out.size()), {});
}

double Shannon::conjugate(std::span<const double> theta, std::span<const double>) const {
  // Leaving out one largest term and using log1p keeps a nearly certain prediction's tiny loss exact.
  const auto top = std::ranges::max_element(theta);
  double others = 0;
  for (auto entry = theta.begin(); entry != theta.end(); ++entry) {
    if (entry != top) others += std::exp(*entry - *top);
  }
  return *top + std::log1p(others);
}

void Shannon::gradient(std::span<const double> p, std::span<double> out) const {
  for (std::size_t j = 0; j < p.size(); ++j) out[j] = std::log(p[j]) + 1;
}

Report Shannon::prox(std::span<const double> eta, double tau, std::span<double> out, Workspace&) const {
  if (tau == 0) {
    simplex::project(eta, out);
    return {};
  }
  const double top = max_of(eta);
  const double offset = -1 - std::log(tau);
  auto curve = [&](double x) {
    const double scaled = x / tau + offset;
    if (std::isinf(scaled)) return RootSample{std::max(x, 0.0), x > 0 ? 1.0 : 0.0};  // the limit of τ → 0
    const double omega = wright_omega(scaled);
    return RootSample{tau * omega, omega / (1 + omega)};
  };
  const auto d = static_cast<double>(simplex::count_finite(eta));
  const double lower = top - (1 + tau);
  const double upper = top - (1 / d + tau * (1 - std::log(d)));
  return solve_threshold(eta, curve, lower, upper, out).report;
}

void Shannon::jvp(std::span<const double>, std::span<const double> prediction, std::span<const double> v,
                  std::span<double> out, Workspace&) const {
  jvp_block(MatrixView<const double>(prediction), MatrixView<const double>(v), MatrixView<double>(out));
}

bool Shannon::jvp_block(MatrixView<const float> prediction, MatrixView<const float> v,
                        MatrixView<float> out) const {
  kernels::entmax_jvp(prediction, v, 1, out);
  return true;
}
bool Shannon::jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                        MatrixView<double> out) const {
  kernels::entmax_jvp(prediction, v, 1, out);
  return true;
}

std::size_t Shannon::predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                   RowSummaries summaries) const {
  return kernels::softmax(theta, out, summaries);
}
std::size_t Shannon::predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                   RowSummaries summaries) const {
  return kernels::softmax(theta, out, summaries);
}

AnyRegularizer Shannon::coordinatewise(std::size_t) const { return Sigmoid{}; }

}  // namespace fenchel
