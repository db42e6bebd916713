// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/operations.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "fenchel/core/random.hpp"
#include "solvers/lbfgs_minimizer.hpp"

namespace fenchel::operations {

double conjugate_at(ValueFunction value, PredictFunction predict, std::span<const double> theta,
                    Domain domain, std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto shifted = scratch.take<double>(theta.size());
  std::ranges::copy(theta, shifted.begin());
  const double shift = shift_scores(domain, shifted);
  predict(shifted, out);
  return shift + dot_masked(shifted, out) - value(out);
}

void check_convex(const Traits& traits) {
  if (traits.convex) return;
  throw std::invalid_argument("prox: " + std::string(traits.name) +
                              " is not convex with these parameters; its proximity operator is not defined");
}

void gradient_by_differences(ValueFunction value, std::span<const double> mu, const Traits& traits,
                             std::span<double> out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto at = scratch.take<double>(mu.size());
  std::ranges::copy(mu, at.begin());
  const bool bounded_below = traits.domain != Domain::reals;
  const bool bounded_above = traits.domain == Domain::cube;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    const double step = difference_step * std::max(1.0, std::abs(mu[j]));
    const double left = bounded_below && mu[j] < step ? 0 : step;  // one-sided where the domain ends
    const double right = bounded_above && mu[j] > 1 - step ? 0 : step;
    at[j] = mu[j] + right;
    const double above = value(at);
    at[j] = mu[j] - left;
    const double below = value(at);
    at[j] = mu[j];
    out[j] = (above - below) / (left + right);
  }
}

Report prox_by_moreau(ConjugateFunction conjugate, std::span<const double> eta, double tau,
                      std::span<double> out, Workspace& scratch) {
  // prox_{τΩ}(η) = η − τ prox_{Ω*/τ}(η/τ) = ŷ_Ω(u) at the minimiser u of ½‖u − η/τ‖² + Ω*(u)/τ. In the
  // variable τu the curvature is at least 1 and the gradient is the infeasibility τu + ŷ(u) − η.
  // As τ → 0 it becomes the projection onto the domain; a τ this small is as good in double precision.
  constexpr double least_tau = 1e-12;
  tau = std::max(tau, least_tau);
  const Workspace::Frame frame(scratch);
  const auto x = scratch.take<double>(eta.size());
  const auto scores = scratch.take<double>(eta.size());
  std::ranges::copy(eta, x.begin());
  auto objective = [&](std::span<const double> at, std::span<double> gradient) {
    for (std::size_t j = 0; j < at.size(); ++j) scores[j] = at[j] / tau;
    double total = tau * conjugate(scores, out);
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double distance = at[j] - eta[j];
      total += 0.5 * distance * distance;
      gradient[j] = distance + out[j];
    }
    return total;
  };
  Report report = LbfgsMinimizer{}.minimize(objective, x, scratch);
  // The gradient is the distance between two estimates of the solution; ŷ(u) is the feasible one.
  constexpr double precise_enough = 1e-9;
  if (report.status == Status::stalled && report.residual <= precise_enough)
    report.status = Status::converged;
  for (std::size_t j = 0; j < x.size(); ++j) scores[j] = x[j] / tau;
  conjugate(scores, out);
  return report;
}

std::optional<double> margin_by_search(ValueFunction value, std::size_t d) {
  // max_k sup_p (Ω(e_k) − Ω(p))/(1 − p_k) along rays p = e_k + t(q − e_k) with q on the opposite face. For a
  // concave entropy the ratio is largest as t → 0, where it is a slope. It approaches it like t^s, so three
  // values at t, t/100 and t/10⁴ give the limit (Aitken) or, where they keep growing as a logarithm or a
  // negative power does, tell that there is no margin.
  constexpr double near = 1e-5;
  constexpr double shrink = 1e-2;
  constexpr double noise = 1e-6;          // of ratios at t = 1e-9, relative: roundings of Ω divided by t
  constexpr double slowest_decay = 0.97;  // s = 0.007, Tsallis' α = 1.007; slower looks like a logarithm
  constexpr int directions = 64;
  constexpr int steps = 48;
  std::vector<double> p(d), q(d);
  Random random(20200101);
  double margin = 0;
  for (std::size_t k = 0; k < d; ++k) {
    std::ranges::fill(p, 0.0);
    p[k] = 1;
    const double at_vertex = value(p);
    auto ratio = [&](double t) {
      for (std::size_t j = 0; j < d; ++j) p[j] = j == k ? 1 - t : t * q[j];
      return (at_vertex - value(p)) / t;
    };
    for (int direction = 0; direction < static_cast<int>(d) + directions; ++direction) {
      const auto target = static_cast<std::size_t>(direction);
      double total = 0;
      for (std::size_t j = 0; j < d; ++j) {
        q[j] = j == k ? 0 : (target < d ? (j == target ? 1 : 0) : (target == d ? 1 : random.exponential()));
        total += q[j];
      }
      if (total == 0) continue;  // the direction of the vertex itself
      for (double& entry : q) entry /= total;
      const double middle = ratio(near * shrink);
      const double last = ratio(near * shrink * shrink);
      const double before = middle - ratio(near);
      const double after = last - middle;
      margin = std::max(margin, middle);
      if (after > noise * std::max(1.0, std::abs(middle))) {
        const double decay = after / before;
        if (!(before > 0) || decay > slowest_decay) return std::nullopt;
        margin = std::max(margin, last + after * decay / (1 - decay));
      }
      for (int i = 1; i <= steps; ++i) margin = std::max(margin, ratio(static_cast<double>(i) / steps));
    }
  }
  return margin;
}

}  // namespace fenchel::operations
