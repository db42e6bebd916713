// SPDX-License-Identifier: Apache-2.0
// Your own Ω as a struct: a value, a prediction and what is known about it. Here Ω(p) = Σ p log(p/π), the
// divergence from class frequencies π; ŷ is the softmax of θ + log π. Loss, gradient, prox, Jacobian
// products, margin and batches follow.
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

namespace {

struct Prior {
  std::vector<double> frequency;

  static constexpr fenchel::Traits traits{
      .name = "prior", .sparse = false, .symmetric = false, .zero_at_vertices = false};
  double value(std::span<const double> p) const {
    double sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] > 0 ? p[j] * std::log(p[j] / frequency[j]) : 0;
    return sum;
  }
  void predict(std::span<const double> theta, std::span<double> out, fenchel::Workspace&) const {
    double sum = 0;  // the library has subtracted max θ, so nothing overflows
    for (std::size_t j = 0; j < theta.size(); ++j) sum += out[j] = frequency[j] * std::exp(theta[j]);
    for (double& entry : out) entry /= sum;
  }
};

}  // namespace

int main() {
  const fenchel::FenchelYoungLoss loss{Prior{{0.7, 0.2, 0.1}}};
  const std::vector<double> theta{0.5, 1.5, 1.0};
  std::vector<double> gradient(3), prox(3);
  const double value = loss.value_and_gradient(theta, 1, gradient);
  loss.prox(theta, 0.5, prox);
  const bool none = !loss.margin(3);
  std::printf("loss %g, gradient %g %g %g, margin %s\n", value, gradient[0], gradient[1], gradient[2],
              none ? "none" : "some");

  // L(θ; e_1) = log Σ π e^θ − θ_1 − log π_1, and the prox is where p − η + τ(log(p/π) + 1) is constant.
  const double sum = 0.7 * std::exp(0.5) + 0.2 * std::exp(1.5) + 0.1 * std::exp(1.0);
  const double expected = std::log(sum) - 1.5 - std::log(0.2);
  const double first = prox[0] - theta[0] + 0.5 * std::log(prox[0] / 0.7);
  const double second = prox[1] - theta[1] + 0.5 * std::log(prox[1] / 0.2);
  return none && std::abs(value - expected) < 1e-12 && std::abs(first - second) < 1e-6 ? 0 : 1;
}
