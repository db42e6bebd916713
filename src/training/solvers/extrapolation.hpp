// SPDX-License-Identifier: Apache-2.0
// Extrapolation of passes (Anderson 1965; of coordinate descent: Bertrand and Massias 2021). On one face of
// the domain, a pass over a quadratic dual in a fixed order is a linear map x ← M x + b, and where examples
// are alike it moves little each time. Among the affine combinations Σ_k c_k x_k of the last iterates, the
// one whose steps combine to the smallest, min ‖Σ_k c_k (x_k − x_{k−1})‖ with Σ_k c_k = 1, is far nearer to
// the fixed point than the last iterate is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fenchel/core/numeric.hpp"

namespace fenchel {

class Extrapolation {
 public:
  /// Passes from one extrapolation to the next.
  static constexpr std::size_t passes = 5;

  /// An iterate, and what follows from it by an affine map.
  struct Point {
    std::vector<double> x, image;
  };

  void clear() { points_.clear(); }
  void add(Point next) { points_.push_back(std::move(next)); }
  bool ready() const { return points_.size() > passes; }

  /// The combination; none where the steps do not tell. What has not moved stays as it is, to the last digit.
  std::optional<Point> combine() const {
    const auto shares = weights();
    if (!shares) return std::nullopt;
    // Σ_k c_k x_k = x_last − Σ_k C_k (x_{k+1} − x_k), where C_k = Σ_{j ≤ k} c_j.
    Point out = points_.back();
    double sum = 0;
    for (std::size_t k = 0; k + 1 < passes; ++k) {
      sum += (*shares)[k];
      subtract_step(sum, points_[k + 1].x, points_[k + 2].x, out.x);
      subtract_step(sum, points_[k + 1].image, points_[k + 2].image, out.image);
    }
    return out;
  }

 private:
  static void subtract_step(double scale, std::span<const double> from, std::span<const double> to,
                            std::span<double> out) {
    for (std::size_t e = 0; e < out.size(); ++e) out[e] -= scale * (to[e] - from[e]);
  }

  // c = G⁻¹1 / 1ᵀG⁻¹1, where G has the inner products of the steps.
  std::optional<std::array<double, passes>> weights() const {
    constexpr double ridge = 1e-10;  // of the trace: steps are alike in the end
    std::array<std::array<double, passes>, passes> gram{};
    std::array<double, passes> c{};
    double trace = 0;
    for (std::size_t a = 0; a < passes; ++a) {
      c[a] = 1;
      for (std::size_t b = 0; b <= a; ++b) gram[a][b] = gram[b][a] = product_of_steps(a, b);
      trace += gram[a][a];
    }
    for (std::size_t a = 0; a < passes; ++a) gram[a][a] += ridge * trace;
    // Elimination without pivots: G is positive definite.
    for (std::size_t a = 0; a < passes; ++a) {
      for (std::size_t r = a + 1; r < passes; ++r) {
        const double factor = gram[r][a] / gram[a][a];
        for (std::size_t k = a; k < passes; ++k) gram[r][k] -= factor * gram[a][k];
        c[r] -= factor * c[a];
      }
    }
    double sum = 0;
    for (std::size_t a = passes; a-- > 0;) {
      for (std::size_t k = a + 1; k < passes; ++k) c[a] -= gram[a][k] * c[k];
      c[a] /= gram[a][a];
      sum += c[a];
    }
    for (double& share : c) share /= sum;
    if (!std::ranges::all_of(c, [](double share) { return std::isfinite(share); })) return std::nullopt;
    return c;
  }

  double product_of_steps(std::size_t a, std::size_t b) const {
    const auto &p = points_[a].x, &q = points_[a + 1].x, &r = points_[b].x, &s = points_[b + 1].x;
    double sum = 0;
    for (std::size_t e = 0; e < p.size(); ++e) sum += (q[e] - p[e]) * (s[e] - r[e]);
    return sum;
  }

  std::vector<Point> points_;
};

}  // namespace fenchel
