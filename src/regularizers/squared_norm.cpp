// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/squared_norm.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "fenchel/solvers/root.hpp"
#include "regularizers/norms.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {

void SquaredNorm::check() const {
  check_greater("q", q, 1);
  if (q > 2) throw std::invalid_argument("q is " + std::to_string(q) + "; expected a number in (1, 2]");
}

double SquaredNorm::value(std::span<const double> p) const {
  const double length = norm(p, q);
  return 0.5 * (length - 1) * (length + 1);
}

Report SquaredNorm::predict(std::span<const double> theta, std::span<double> out, Workspace&) const {
  if (q == 2) {
    simplex::project(theta, out);
    return {};
  }
  const double power = 1 / (q - 1);
  const double top = max_of(theta);
  // Homogeneous of degree one in x, so x is scaled by its largest entry: no power over- or underflows.
  auto excess = [&](double tau) {
    const double scale = top - tau;
    double a = 0;
    double b = 0;
    for (const double score : theta) {
      if (score <= tau) continue;
      const double x = (score - tau) / scale;
      const double w = std::pow(x, power);
      a += w;
      b += w * x;
    }
    return RootSample{scale * a * std::pow(b, (q - 2) / q) - 1, 0};
  };
  // At distance 1/(2d) from the top the left-hand side is at most ½; τ = max θ itself is a spurious root.
  const Root root = find_root(excess, top - 1, top - 0.5 / static_cast<double>(theta.size()));
  double sum = 0;
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double x = (theta[j] - root.x) / (top - root.x);
    out[j] = x > 0 ? std::pow(x, power) : 0;
    sum += out[j];
  }
  for (double& entry : out) entry /= sum;
  return root.report;
}

void SquaredNorm::gradient(std::span<const double> p, std::span<double> out) const {
  const double length = norm(p, q);
  for (std::size_t j = 0; j < p.size(); ++j) out[j] = length * std::pow(p[j] / length, q - 1);
}

Report SquaredNorm::prox(std::span<const double> eta, double tau, std::span<double> out,
                         Workspace& scratch) const {
  if (q == 2 || tau == 0) return Tsallis{2}.prox(eta, tau, out, scratch);
  // ∇Ω = N^{2−q} p^{q−1}: for a fixed N = ‖p‖_q the prox of a Tsallis entropy of order q, whose solution has
  // a smaller norm the larger N is.
  auto excess = [&](double length) {
    Tsallis{q}.prox(eta, (q - 1) * tau * std::pow(length, 2 - q), out, scratch);
    return RootSample{norm(out, q) - length, 0};
  };
  const double least = std::pow(static_cast<double>(eta.size()), 1 / q - 1);
  const Root root = find_root(excess, least, 1);
  excess(root.x);
  return root.report;
}

void SquaredNorm::jvp(std::span<const double>, std::span<const double> prediction, std::span<const double> v,
                      std::span<double> out, Workspace& scratch) const {
  // ∇²Ω = (q−1) diag((p/N)^{q−2}) + (2−q) r rᵀ, r = (p/N)^{q−1}, N = ‖p‖_q.
  const Workspace::Frame frame(scratch);
  const auto s = scratch.take<double>(v.size());
  const auto r = scratch.take<double>(v.size());
  const double length = norm(prediction, q);
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double ratio = prediction[j] / length;
    s[j] = ratio > 0 ? std::pow(ratio, 2 - q) / (q - 1) : 0;
    r[j] = ratio > 0 ? std::pow(ratio, q - 1) : 0;
  }
  simplex::jvp(s, r, 2 - q, v, out);
}

std::optional<double> SquaredNorm::smoothness() const {
  if (q < 2) return std::nullopt;
  return 1;
}

}  // namespace fenchel
