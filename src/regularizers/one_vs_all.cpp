// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/one_vs_all.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "fenchel/core/numeric.hpp"
#include "fenchel/regularizers/norm.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "regularizers/simplex_tools.hpp"

namespace fenchel {
namespace {

using Pair = std::array<double, 2>;

// The two-class scores [s, 0], shifted so that the larger is 0 as Ω expects.
Pair scores(double s) { return s > 0 ? Pair{0, -s} : Pair{s, 0}; }

}  // namespace

std::vector<OneVsAll> OneVsAll::examples() { return {{Shannon{}}, {Tsallis{2}}, {Tsallis{1.3}}, {Norm{3}}}; }

void OneVsAll::check() const {
  const Traits inner = entropy.refined_traits();
  if (inner.domain != Domain::simplex) {
    throw std::invalid_argument("entropy is " + std::string(inner.name) +
                                "; expected an omega over the simplex");
  }
}

Traits OneVsAll::refined_traits() const {
  const Traits inner = entropy.refined_traits();
  Traits refined = simplex::inherited(traits, inner);
  refined.value_by_search = inner.value_by_search;
  refined.gradient_by_differences = inner.gradient_by_differences;
  return refined;
}

double OneVsAll::value(std::span<const double> p) const {
  double sum = 0;
  for (const double entry : p) sum += entropy.value(Pair{entry, 1 - entry});
  return sum;
}

Report OneVsAll::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  Report report;
  Pair mu{};
  for (std::size_t j = 0; j < theta.size(); ++j) {
    report = worst(report, entropy.predict(scores(theta[j]), mu, scratch));
    out[j] = mu[0];
  }
  return report;
}

double OneVsAll::loss(std::span<const double> theta, std::span<const double> y,
                      std::span<const double> prediction) const {
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (theta[j] == -infinity) continue;  // masked: its target is 0 and so is its loss
    sum += entropy.loss(scores(theta[j]), Pair{y[j], 1 - y[j]}, Pair{prediction[j], 1 - prediction[j]});
  }
  return sum;
}

void OneVsAll::gradient(std::span<const double> p, std::span<double> out, Workspace& scratch) const {
  Pair slope{};
  for (std::size_t j = 0; j < p.size(); ++j) {
    entropy.gradient(Pair{p[j], 1 - p[j]}, slope, scratch);
    out[j] = slope[0] - slope[1];
  }
}

Report OneVsAll::prox(std::span<const double> eta, double tau, std::span<double> out,
                      Workspace& scratch) const {
  // ½‖(p, 1−p) − (η, 1−η)‖² = (p − η)², twice the one-dimensional term: the two-class prox at 2τ.
  const double doubled = std::min(2 * tau, std::numeric_limits<double>::max());
  Report report;
  Pair mu{};
  for (std::size_t j = 0; j < eta.size(); ++j) {
    report = worst(report, entropy.prox(Pair{eta[j], 1 - eta[j]}, doubled, mu, scratch));
    out[j] = mu[0];
  }
  return report;
}

void OneVsAll::jvp(std::span<const double> theta, std::span<const double> prediction,
                   std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  Pair change{};
  for (std::size_t j = 0; j < v.size(); ++j) {
    entropy.jvp(scores(theta[j]), Pair{prediction[j], 1 - prediction[j]}, Pair{v[j], 0}, change, scratch);
    out[j] = theta[j] == -infinity ? 0 : change[0];
  }
}

}  // namespace fenchel
