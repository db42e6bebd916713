// SPDX-License-Identifier: Apache-2.0
// An Ω written by coordinates, with everything it may offer: Ω(μ) = Σ a²(cosh(μ/a) − 1) on R^d. Its
// prediction a·asinh(θ/a) grows like a logarithm; as a → ∞ the loss is the squared loss.
// docs/adding_an_omega.md walks through it.
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "fenchel/fenchel.hpp"

namespace {

struct Arcsinh {
  double scale = 1;

  static constexpr fenchel::Traits traits{.name = "arcsinh",
                                          .domain = fenchel::Domain::reals,
                                          .sparse = false,
                                          .separable = true,
                                          .zero_at_vertices = false,
                                          .legendre = true,
                                          .formula = "Σ a²(cosh(μ/a) − 1)",
                                          .loss = "log-like regression",
                                          .prediction = "asinh"};
  double phi(double m) const { return scale * scale * (std::cosh(m / scale) - 1); }
  double predict_one(double s) const { return scale * std::asinh(s / scale); }

  // Optional: each has a fallback.
  double phi_prime(double m) const { return scale * std::sinh(m / scale); }
  double slope_one(double s) const { return 1 / std::hypot(1.0, s / scale); }
  std::optional<double> margin(std::size_t) const { return std::nullopt; }
  std::optional<double> strong_convexity() const { return 1; }
  void check() const { fenchel::check_greater("scale", scale, 0); }

  // Only for an Ω of the library's list.
  static constexpr auto parameters() {
    return std::tuple{fenchel::Parameter{"scale", &Arcsinh::scale, "where logarithmic growth sets in, > 0"}};
  }
  static std::vector<Arcsinh> examples() { return {{0.5}, {1}, {10}}; }
};

static_assert(fenchel::Regularizer<Arcsinh>);

}  // namespace

int main() {
  bool right = true;
  const std::vector<double> theta{-40.0, 0.3, 2.0};
  const std::vector<double> y{-2.0, 0.5, 2.0};
  for (const Arcsinh& omega : Arcsinh::examples()) {
    const fenchel::FenchelYoungLoss loss{omega};
    std::vector<double> back(3), prox(3);
    loss.link(loss.predict(theta), back);
    loss.prox(y, 0.7, prox);
    const double a = omega.scale;
    double expected = 0;  // Ω*(θ) + Ω(y) − ⟨θ, y⟩ with φ*(s) = s a asinh(s/a) − a √(a² + s²) + a²
    for (std::size_t j = 0; j < theta.size(); ++j) {
      expected += theta[j] * a * std::asinh(theta[j] / a) - a * std::hypot(a, theta[j]) +
                  a * a * std::cosh(y[j] / a) - theta[j] * y[j];
      right = right && std::abs(back[j] - theta[j]) < 1e-9;  // the link inverts the prediction
      right = right && std::abs(prox[j] + 0.7 * a * std::sinh(prox[j] / a) - y[j]) < 1e-6;
    }
    std::printf("%s: loss %g\n", fenchel::to_json(loss.omega().spec()).c_str(), loss.value(theta, y));
    right = right && std::abs(loss.value(theta, y) - expected) < 1e-9 * (1 + std::abs(expected));
  }
  try {
    const fenchel::FenchelYoungLoss bad{Arcsinh{.scale = -1}};
    right = false;
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
  }
  return right ? 0 : 1;
}
