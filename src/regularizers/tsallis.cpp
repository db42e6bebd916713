// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/tsallis.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/regularizers/sparse_sigmoid.hpp"
#include "fenchel/regularizers/tsallis_sigmoid.hpp"
#include "kernels/entmax_jvp.hpp"
#include "kernels/rows.hpp"
#include "regularizers/simplex_tools.hpp"
#include "solvers/threshold.hpp"

namespace fenchel {
namespace {

// Closer to 1 the kernels' powers lose accuracy; log1p does not.
constexpr double smallest_kernel_alpha = 1.05;

template <Real T>
std::size_t kernel(double alpha, MatrixView<const T> theta, MatrixView<T> out, RowSummaries summaries) {
  if (alpha == 1) return kernels::softmax(theta, out, summaries);
  if (alpha == 2) return kernels::sparsemax(theta, out, summaries);
  if (alpha == 1.5) return kernels::entmax15(theta, out, summaries);
  return kernels::entmax(theta, out, alpha, summaries);
}

// The t ∈ [0, 1] with t + τ (t^a − 1)/a = x, searched on log t so that tiny t stay exact.
double prox_inverse(double x, double tau, double a) {
  if (a > 0 && x <= -tau / a) return 0;
  auto excess = [&](double u) {
    const double t = std::exp(u);
    return RootSample{x - t - tau * (a == 0 ? u : std::expm1(a * u) / a), -t - tau * std::exp(a * u)};
  };
  return std::exp(find_root(excess, log_of_smallest, 0).x);
}

}  // namespace

std::vector<Tsallis> Tsallis::examples() {
  return {{0.3}, {0.7}, {1}, {1 + 1e-7}, {1.03}, {1.2}, {1.25}, {1.5}, {1.8}, {2}, {2.5}, {4}, {infinity}};
}

void Tsallis::check() const { check_greater("alpha", alpha, 0); }

Traits Tsallis::refined_traits() const {
  Traits refined = traits;
  refined.strictly_convex = alpha < infinity;
  refined.strongly_convex = alpha <= 2;
  refined.sparse = alpha > 1;
  refined.legendre = alpha <= 1;
  refined.entmax_order = alpha;
  return refined;
}

double Tsallis::value(std::span<const double> p) const {
  if (alpha == infinity) return 0;
  double sum = 0;
  for (const double entry : p) {
    if (entry > 0) sum += entry * power_ratio(entry, alpha - 1);
  }
  return sum / alpha;
}

bool Tsallis::takes_blocks() const { return alpha == 1 || (alpha >= smallest_kernel_alpha && alpha <= 2); }

std::size_t Tsallis::predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                   RowSummaries summaries) const {
  return kernel(alpha, theta, out, summaries);
}
std::size_t Tsallis::predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                   RowSummaries summaries) const {
  return kernel(alpha, theta, out, summaries);
}

Report Tsallis::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  if (takes_blocks()) {
    kernel<double>(alpha, {theta.data(), 1, theta.size()}, {out.data(), 1, out.size()}, {});
    return {};
  }
  if (alpha == infinity) {
    Argmax{}.predict(theta, out, scratch);
    return {};
  }
  const double a = alpha - 1;
  auto curve = [&](double x) {
    const double p = power_ratio_inverse(x, a);
    return RootSample{p, p > 0 ? std::pow(p, 1 - a) : 0};
  };
  const double top = max_of(theta);
  const auto d = static_cast<double>(simplex::count_finite(theta));
  return solve_threshold(theta, curve, top, top - power_ratio(1 / d, a), out).report;
}

double Tsallis::conjugate(std::span<const double> theta, std::span<const double> prediction) const {
  if (alpha == 1) return Shannon{}.conjugate(theta, prediction);
  return dot_masked(theta, prediction) - value(prediction);
}

void Tsallis::gradient(std::span<const double> p, std::span<double> out) const {
  // g'(p) + 1/α; the constant makes it the derivative of the formula as written.
  for (std::size_t j = 0; j < p.size(); ++j)
    out[j] = alpha == infinity ? 0 : power_ratio(p[j], alpha - 1) + 1 / alpha;
}

Report Tsallis::prox(std::span<const double> eta, double tau, std::span<double> out,
                     Workspace& scratch) const {
  if (alpha == infinity || tau == 0) return Argmax{}.prox(eta, tau, out, scratch);
  if (alpha == 1) return Shannon{}.prox(eta, tau, out, scratch);
  if (alpha == 2) {
    for (std::size_t j = 0; j < eta.size(); ++j) out[j] = eta[j] / (1 + tau);
    simplex::project(out, out);
    return {};
  }
  const double a = alpha - 1;
  auto numeric = [&](double x) {
    const double t = prox_inverse(x, tau, a);
    return RootSample{t, t > 0 ? 1 / (1 + tau * std::pow(t, a - 1)) : 0};
  };
  // α = 1.5: t + 2τ√t = x + 2τ, a quadratic in √t.
  auto quadratic = [&](double x) {
    const double shifted = x + 2 * tau;
    if (shifted <= 0) return RootSample{};
    const double root = shifted / (tau + std::sqrt(tau * tau + shifted));
    return RootSample{root * root, root / (root + tau)};
  };
  const double top = max_of(eta);
  const double share = 1 / static_cast<double>(simplex::count_finite(eta));
  const double lower = top - 1;
  const double upper = top - (share + tau * power_ratio(share, a));
  if (alpha == 1.5) return solve_threshold(eta, quadratic, lower, upper, out).report;
  return solve_threshold(eta, numeric, lower, upper, out).report;
}

void Tsallis::jvp(std::span<const double>, std::span<const double> prediction, std::span<const double> v,
                  std::span<double> out, Workspace&) const {
  jvp_block(MatrixView<const double>(prediction), MatrixView<const double>(v), MatrixView<double>(out));
}

bool Tsallis::jvp_block(MatrixView<const float> prediction, MatrixView<const float> v,
                        MatrixView<float> out) const {
  kernels::entmax_jvp(prediction, v, alpha, out);
  return true;
}
bool Tsallis::jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                        MatrixView<double> out) const {
  kernels::entmax_jvp(prediction, v, alpha, out);
  return true;
}

std::optional<double> Tsallis::ridge() const {
  if (alpha == 2) return 1;
  if (alpha == infinity) return 0;
  return std::nullopt;
}

std::optional<double> Tsallis::margin(std::size_t) const {
  if (alpha <= 1) return std::nullopt;
  return 1 / (alpha - 1);
}

std::optional<double> Tsallis::strong_convexity() const {
  // Ω'' = p^{α−2} ≥ 1 on (0, 1].
  if (alpha > 2) return std::nullopt;
  return 1;
}

std::optional<double> Tsallis::smoothness() const {
  if (alpha < 2) return std::nullopt;
  return 1;
}

void Tsallis::predict_alpha_derivative(std::span<const double> prediction, std::span<double> out) const {
  check_size("out", out.size(), prediction.size());
  if (alpha == infinity) {
    std::ranges::fill(out, 0.0);
    return;
  }
  // g'(p; α) = (p^a − 1)/a, so ∂g'/∂α = log²p · f(a log p) with f(u) = (u eᵘ − eᵘ + 1)/u².
  auto change = [&](double p) {
    const double logp = std::log(p);
    return logp * logp * expm1_ratio_derivative((alpha - 1) * logp);
  };
  double total = 0;
  double weighted = 0;
  for (const double p : prediction) {
    if (p <= 0) continue;
    const double s = std::pow(p, 2 - alpha);
    total += s;
    weighted += s * change(p);
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double p = prediction[j];
    out[j] = p > 0 ? std::pow(p, 2 - alpha) * (weighted / total - change(p)) : 0;
  }
}

double Tsallis::predict_alpha_product(std::span<const double> prediction, std::span<const double> v) const {
  check_size("v", v.size(), prediction.size());
  if (alpha == infinity) return 0;
  // With s and a as in predict_alpha_derivative: ⟨s, v⟩ ⟨s, a⟩/Σs − ⟨s a, v⟩.
  double total = 0, along = 0, weighted = 0, both = 0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    if (prediction[j] <= 0) continue;
    const double logp = std::log(prediction[j]);
    const double u = (alpha - 1) * logp;
    const double s = prediction[j] * std::exp(-u);
    const double change = s * logp * logp * expm1_ratio_derivative(u);
    total += s;
    along += s * v[j];
    weighted += change;
    both += change * v[j];
  }
  return total > 0 ? along * weighted / total - both : 0;
}

double Tsallis::loss_alpha_derivative(std::span<const double> y, std::span<const double> prediction) const {
  check_size("y", y.size(), prediction.size());
  if (alpha == infinity) return 0;
  // Ω = Σ p log p · E(a log p)/α with E(u) = (eᵘ − 1)/u.
  auto derivative = [&](double p) {
    if (p <= 0) return 0.0;
    const double logp = std::log(p);
    const double u = (alpha - 1) * logp;
    return p * logp * (logp * expm1_ratio_derivative(u) / alpha - expm1_ratio(u) / (alpha * alpha));
  };
  double difference = 0;
  for (std::size_t j = 0; j < y.size(); ++j) difference += derivative(y[j]) - derivative(prediction[j]);
  return difference;
}

AnyRegularizer Tsallis::coordinatewise(std::size_t) const {
  if (alpha == 2) return SparseSigmoid{};
  return TsallisSigmoid{alpha};
}

}  // namespace fenchel
