// SPDX-License-Identifier: Apache-2.0
#include "solvers/interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/numeric.hpp"
#include "solvers/blas.hpp"
#include "solvers/lapack.hpp"

namespace fenchel {
namespace {

constexpr double centring = 0.1;          // the share of the complementarity that a step aims to keep
constexpr double boundary_share = 0.995;  // how far towards the boundary a step may go
constexpr int halvings = 50;              // of a step that does not reduce the residual
constexpr int patience = 8;  // iterations without a smaller gap before giving up at working precision

// The state of one solve: iterate, slacks, derivatives and residuals, and the Newton step.
class Solve {
 public:
  Solve(const ConvexProgram& program, std::span<double> x, std::span<double> multipliers)
      : program_(program),
        x_(x),
        lambda_(multipliers),
        n_(x.size()),
        m_(program.bound.size()),
        slack_(m_),
        gradient_(n_),
        hessian_(n_ * n_),
        dual_(n_),
        dx_(n_),
        dlambda_(m_),
        trial_(n_),
        trial_lambda_(m_) {
    update(x_);
    for (std::size_t i = 0; i < m_; ++i) lambda_[i] = 1 / slack_[i];
  }

  double gap() const { return dot(slack_, lambda_); }
  double scale() const { return std::max(1.0, max_abs(gradient_)); }

  // Recomputes everything that depends on x; false where a slack is not positive.
  bool update(std::span<const double> x) {
    for (std::size_t i = 0; i < m_; ++i) {
      slack_[i] = program_.bound[i];
      for (std::size_t j = 0; j < n_; ++j) slack_[i] -= program_.inequality[i * n_ + j] * x[j];
      if (!(slack_[i] > 0)) return false;
    }
    program_.objective(x, gradient_, hessian_);
    return true;
  }
  double residual_norm(std::span<const double> lambda, double nu, double mu) {
    double total = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      dual_[j] = gradient_[j] + nu * program_.equality[j];
      for (std::size_t i = 0; i < m_; ++i) dual_[j] += program_.inequality[i * n_ + j] * lambda[i];
      total += dual_[j] * dual_[j];
    }
    for (std::size_t i = 0; i < m_; ++i) {
      const double entry = lambda[i] * slack_[i] - mu;
      total += entry * entry;
    }
    return std::sqrt(total);
  }

  // The Newton direction for the perturbed KKT conditions at complementarity mu. Constraints far from active
  // (λ < slack) are eliminated; the others keep their multiplier as an unknown, because their weight λ/slack
  // would swamp everything else where the solution is nearly degenerate.
  bool direction(double mu) {
    kept_.clear();
    for (std::size_t i = 0; i < m_; ++i) {
      if (lambda_[i] >= slack_[i]) kept_.push_back(i);
    }
    const std::size_t size = n_ + kept_.size() + 1;
    const std::size_t last = size - 1;
    system_.assign(size * size, 0);
    right_.assign(size, 0);
    pivots_.resize(size);
    right_[last] = 1;
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < n_; ++k) system_[j * size + k] = hessian_[j * n_ + k];
      system_[j * size + last] = system_[last * size + j] = program_.equality[j];
      right_[j] = -gradient_[j] - nu_ * program_.equality[j];
      right_[last] -= program_.equality[j] * x_[j];
    }
    for (std::size_t i = 0; i < m_; ++i) {
      if (lambda_[i] < slack_[i]) eliminate(i, mu, size);
    }
    for (std::size_t k = 0; k < kept_.size(); ++k) keep(kept_[k], n_ + k, mu, size);
    const int order = static_cast<int>(size);
    const int one = 1;
    int info = 0;
    dgesv_(&order, &one, system_.data(), &order, pivots_.data(), right_.data(), &order, &info);  // symmetric
    if (info != 0) return false;
    std::copy_n(right_.begin(), n_, dx_.begin());
    dnu_ = right_[last];
    for (std::size_t i = 0; i < m_; ++i) {
      double change = 0;
      for (std::size_t j = 0; j < n_; ++j) change += program_.inequality[i * n_ + j] * dx_[j];
      dlambda_[i] = mu / slack_[i] - lambda_[i] + lambda_[i] / slack_[i] * change;
    }
    for (std::size_t k = 0; k < kept_.size(); ++k) dlambda_[kept_[k]] = right_[n_ + k];
    return true;
  }

  // Moves along the direction as far as the residual falls and everything stays positive.
  bool step(double mu) {
    double length = 1;
    for (std::size_t i = 0; i < m_; ++i) {
      if (dlambda_[i] < 0) length = std::min(length, -boundary_share * lambda_[i] / dlambda_[i]);
    }
    const double before = residual_norm(lambda_, nu_, mu);
    for (int attempt = 0; attempt < halvings; ++attempt, length *= 0.5) {
      for (std::size_t j = 0; j < n_; ++j) trial_[j] = x_[j] + length * dx_[j];
      for (std::size_t i = 0; i < m_; ++i) trial_lambda_[i] = lambda_[i] + length * dlambda_[i];
      if (!update(trial_)) continue;
      if (residual_norm(trial_lambda_, nu_ + length * dnu_, mu) > (1 - 0.01 * length) * before &&
          attempt + 1 < halvings) {
        continue;
      }
      std::ranges::copy(trial_, x_.begin());
      std::ranges::copy(trial_lambda_, lambda_.begin());
      nu_ += length * dnu_;
      return true;
    }
    update(x_);
    return false;
  }

 private:
  // Constraint i with its multiplier expressed by dx.
  void eliminate(std::size_t i, double mu, std::size_t size) {
    const double weight = lambda_[i] / slack_[i];
    for (std::size_t j = 0; j < n_; ++j) {
      const double a = program_.inequality[i * n_ + j];
      if (a == 0) continue;
      right_[j] -= a * mu / slack_[i];
      for (std::size_t k = 0; k < n_; ++k)
        system_[j * size + k] += weight * a * program_.inequality[i * n_ + k];
    }
  }
  // Constraint i with its multiplier as unknown number `row`.
  void keep(std::size_t i, std::size_t row, double mu, std::size_t size) {
    for (std::size_t j = 0; j < n_; ++j) {
      const double a = program_.inequality[i * n_ + j];
      system_[j * size + row] = system_[row * size + j] = a;
      right_[j] -= a * lambda_[i];
    }
    system_[row * size + row] = -slack_[i] / lambda_[i];
    right_[row] = slack_[i] - mu / lambda_[i];
  }

  const ConvexProgram& program_;
  std::span<double> x_, lambda_;
  std::size_t n_, m_;
  double nu_ = 0, dnu_ = 0;
  std::vector<double> slack_, gradient_, hessian_, dual_, dx_, dlambda_, trial_, trial_lambda_, system_,
      right_;
  std::vector<std::size_t> kept_;
  std::vector<int> pivots_;
};

}  // namespace

Report InteriorPoint::minimize(const ConvexProgram& program, std::span<double> x,
                               std::span<double> multipliers) const {
  const OneBlasThread alone;
  Solve solve(program, x, multipliers);
  double best = infinity;
  int since_best = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const double gap = solve.gap();
    if (gap < best) {
      best = gap;
      since_best = 0;
    } else if (++since_best > patience) {
      return {Status::stalled, iteration, gap};
    }
    if (gap <= tolerance * solve.scale()) return {Status::converged, iteration, gap};
    const double mu = centring * gap / static_cast<double>(program.bound.size());
    if (!solve.direction(mu) || !solve.step(mu)) return {Status::stalled, iteration, gap};
  }
  return {Status::max_iterations, max_iterations, solve.gap()};
}

}  // namespace fenchel
