// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/binary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "fenchel/core/check.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel::binary {
namespace {

void check_sign(double s, int y) {
  check_finite("s", s);
  if (y != 1 && y != -1) throw std::invalid_argument("y is " + std::to_string(y) + "; expected 1 or -1");
}

}  // namespace

Sample margin_loss(const AnyRegularizer& omega, double s, int y) {
  check_sign(s, y);
  const std::array<double, 2> theta{s, 0};
  const std::int64_t label = y == 1 ? 0 : 1;
  std::array<double, 2> gradient{};
  const double value = FenchelYoungLoss(omega).value_and_gradient(theta, label, gradient);
  return {value, gradient[0]};
}

Sample logistic(double s, int y) {
  check_sign(s, y);
  const double u = -y * s;
  const double e = std::exp(-std::abs(u));
  return {std::max(u, 0.0) + std::log1p(e), -y * (u >= 0 ? 1 / (1 + e) : e / (1 + e))};
}

Sample modified_huber(double s, int y) {
  check_sign(s, y);
  const double u = -y * s;
  if (u <= -1) return {0, 0};
  if (u >= 1) return {u, static_cast<double>(-y)};
  return {0.25 * (u + 1) * (u + 1), -y * 0.5 * (u + 1)};
}

Sample smoothed_hinge(double s, int y) {
  check_sign(s, y);
  const double u = -y * s;
  if (u <= -1) return {0, 0};
  if (u >= 0) return {u + 0.5, static_cast<double>(-y)};
  return {0.5 * (1 + u) * (1 + u), -y * (1 + u)};
}

Sample hinge(double s, int y) {
  check_sign(s, y);
  const double u = -y * s;
  return u > -1 ? Sample{1 + u, static_cast<double>(-y)} : Sample{};
}

Sample perceptron(double s, int y) {
  check_sign(s, y);
  const double u = -y * s;
  return u > 0 ? Sample{u, static_cast<double>(-y)} : Sample{};
}

std::span<const NamedLoss> named_losses() {
  static constexpr std::array<NamedLoss, 5> list{{{"logistic", logistic},
                                                  {"modified_huber", modified_huber},
                                                  {"smoothed_hinge", smoothed_hinge},
                                                  {"hinge", hinge},
                                                  {"perceptron", perceptron}}};
  return list;
}

}  // namespace fenchel::binary
