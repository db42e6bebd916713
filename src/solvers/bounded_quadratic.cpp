// SPDX-License-Identifier: Apache-2.0
#include "solvers/bounded_quadratic.hpp"

#include <cmath>
#include <cstddef>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr int block_tries = 5;                       // block exchanges without progress before single ones
constexpr double slope_noise = 8 * machine_epsilon;  // of a sum of products, in units of their magnitude
constexpr std::size_t rounds_each = 10;              // per variable, far more than are ever needed

class Pivoting {
 public:
  Pivoting(const BoundedQuadratic& problem, std::span<double> x, Workspace& scratch)
      : problem_(problem),
        x_(x),
        factor_(scratch.take<double>(x.size() * x.size())),
        free_(scratch.take<std::size_t>(x.size())),
        held_(scratch.take<bool>(x.size())),
        wrong_(scratch.take<bool>(x.size())) {
    for (std::size_t k = 0; k < x.size(); ++k) held_[k] = problem.lower[k] == 0 && problem.gradient[k] >= 0;
  }

  bool run() {
    std::size_t fewest = x_.size() + 1;
    int tries = block_tries;
    for (std::size_t round = 0; round <= rounds_each * x_.size(); ++round) {
      if (!solve()) return false;
      const std::size_t count = find_wrong();
      if (count == 0) return true;
      if (count < fewest) {
        fewest = count;
        tries = block_tries;
      } else {
        --tries;
      }
      exchange(tries > 0);
    }
    return false;
  }

 private:
  // The minimum over the free variables.
  bool solve() {
    std::size_t size = 0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (held_[k]) {
        x_[k] = problem_.lower[k];
      } else {
        free_[size++] = k;
      }
    }
    if (!factorize(size)) return false;
    substitute(size);
    return true;
  }

  // Cholesky, for few variables. False if the matrix is not positive definite or not finite.
  bool factorize(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      double* row = factor_.data() + i * x_.size();
      for (std::size_t j = 0; j <= i; ++j) {
        const double* other = factor_.data() + j * x_.size();
        double sum = problem_.hessian.row(free_[i])[free_[j]];
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        if (i == j && !(sum > 0)) return false;
        row[j] = i == j ? std::sqrt(sum) : sum / other[j];
      }
    }
    return true;
  }

  void substitute(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const double* row = factor_.data() + i * x_.size();
      const auto hessian = problem_.hessian.row(free_[i]);
      double sum = -problem_.gradient[free_[i]];
      for (std::size_t k = 0; k < x_.size(); ++k) sum -= held_[k] ? hessian[k] * x_[k] : 0;
      for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x_[free_[k]];
      x_[free_[i]] = sum / row[i];
    }
    for (std::size_t i = size; i-- > 0;) {
      double sum = x_[free_[i]];
      for (std::size_t k = i + 1; k < size; ++k) sum -= factor_[k * x_.size() + i] * x_[free_[k]];
      x_[free_[i]] = sum / factor_[i * x_.size() + i];
    }
  }

  // Free variables below their bound, and held ones whose slope points upwards from it.
  std::size_t find_wrong() {
    std::size_t count = 0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      wrong_[k] = !(held_[k] ? slope_bound(k) >= 0 : x_[k] >= problem_.lower[k]);  // NaN is wrong
      count += wrong_[k] ? 1 : 0;
    }
    return count;
  }

  double slope_bound(std::size_t k) const {
    const auto row = problem_.hessian.row(k);
    double sum = problem_.gradient[k];
    double magnitude = std::abs(sum);
    for (std::size_t j = 0; j < x_.size(); ++j) {
      sum += row[j] * x_[j];
      magnitude += std::abs(row[j] * x_[j]);
    }
    return sum + slope_noise * magnitude;
  }

  void exchange(bool all) {
    for (std::size_t k = x_.size(); k-- > 0;) {
      if (!wrong_[k]) continue;
      held_[k] = !held_[k];
      if (!all) return;
    }
  }

  const BoundedQuadratic& problem_;
  std::span<double> x_;
  std::span<double> factor_;
  std::span<std::size_t> free_;
  std::span<bool> held_, wrong_;
};

}  // namespace

bool BoundedQuadratic::minimize(std::span<double> x, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return Pivoting(*this, x, scratch).run();
}

}  // namespace fenchel
