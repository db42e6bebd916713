// SPDX-License-Identifier: Apache-2.0
// Jacobian products at a solution of the entropic active set method, by implicit differentiation on its face.
#include <algorithm>
#include <cmath>

#include "solvers/entropic_active_set.hpp"
#include "solvers/entropic_newton.hpp"

namespace fenchel {
namespace {

// A structure with a weight below this is outside the face of the solution, or moves it no more than that.
constexpr double face_weight = 1e-12;

// Whether a structure of the mixture is on the face of the solution: there its slope ⟨θ − ∇Ω(μ), y − μ⟩ is 0
// and its weight is not. Off the face it is the other way round, up to what the tolerance has left of both.
class Face {
 public:
  Face(std::span<const double> theta, std::span<const double> mu, Workspace& scratch)
      : scores_(scratch.take<double>(theta.size())) {
    for (std::size_t j = 0; j < mu.size(); ++j) {
      scores_[j] = mu[j] > 0 ? theta[j] - std::log(mu[j]) : 0;
      level_ += scores_[j] * mu[j];
      mass_ += mu[j];
    }
  }
  bool has(const Structure& y, double weight) const {
    double mass = 0;
    for (std::size_t k = 0; k < y.size(); ++k) mass += y.value(k);
    const double slope = dot(y, scores_) - level_ - (mass - mass_);  // ∇Ω = 1 + log μ
    return weight >= face_weight && weight >= -slope;
  }

 private:
  std::span<double> scores_;
  double level_ = 0, mass_ = 0;
};

}  // namespace

void entropic_active_set_jvp(std::span<const double> theta, const Mixture& mixture, std::span<const double> v,
                             std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto inverse = scratch.take<double>(v.size());
  const auto change = scratch.take<double>(mixture.size());
  const auto active = scratch.take<const Structure*>(mixture.size());
  write(mixture, inverse);
  const Face face(theta, inverse, scratch);
  for (double& entry : inverse) entry = entry > 0 ? 1 / entry : 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    if (!face.has(mixture.structures[i], mixture.weights[i])) continue;
    active[count] = &mixture.structures[i];
    change[count] = dot(*active[count], v);
    ++count;
  }
  std::ranges::fill(out, 0.0);
  if (count < 2) return;
  EntropicNewton newton(count, scratch);
  newton.factorize(active.first(count), inverse);
  newton.solve(change.first(count));
  for (std::size_t i = 0; i < count; ++i) add(*active[i], change[i], out);
}

}  // namespace fenchel
