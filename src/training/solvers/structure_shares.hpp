// SPDX-License-Identifier: Apache-2.0
// A dual variable as a mixture of structures, with the products of them that its optimum depends on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "fenchel/core/structure.hpp"

namespace fenchel {

/// Points y_k in the order of their arrival, their shares p_k > 0 with sum 1, and a positive semidefinite H.
/// Shares move so that f(p) = ⟨b, p⟩ − ½ pᵀHp grows.
class StructureShares {
 public:
  std::size_t size() const { return shares_.size(); }
  const Structure& point(std::size_t k) const { return points_[k]; }
  std::span<const double> shares() const { return shares_; }

  /// Where a point is; size() if it is none of them.
  std::size_t find(const Structure& point) const {
    return static_cast<std::size_t>(std::ranges::find(points_, point) - points_.begin());
  }
  /// A new point, with its products with those before it and, last, with itself.
  void add(Structure point, double share, std::span<const double> products) {
    points_.push_back(std::move(point));
    shares_.push_back(share);
    products_.insert(products_.end(), products.begin(), products.end());
  }
  void clear() {
    points_.clear();
    shares_.clear();
    products_.clear();
  }

  /// Moves shares from the worst to the best of the points, whose slopes are b − Hp, until their slopes
  /// differ by no more than `tolerance`; keeps the slopes up to date. Points may have no share left.
  void balance(std::span<double> slopes, double tolerance) {
    // Far more than it takes; what is left is for the next visit.
    const std::size_t most_steps = 20 + 10 * size();
    for (std::size_t step = 0; step < most_steps; ++step) {
      std::size_t up = 0;
      std::size_t down = size();
      for (std::size_t k = 0; k < size(); ++k) {
        if (slopes[k] > slopes[up]) up = k;
        if (shares_[k] > 0 && (down == size() || slopes[k] < slopes[down])) down = k;
      }
      const double difference = slopes[up] - slopes[down];
      if (!(difference > tolerance)) return;
      const double curvature = product(up, up) + product(down, down) - 2 * product(up, down);
      const bool all = !(difference < curvature * shares_[down]);
      const double moved = all ? shares_[down] : difference / curvature;
      shares_[up] += moved;
      shares_[down] = all ? 0 : shares_[down] - moved;
      for (std::size_t k = 0; k < size(); ++k) slopes[k] -= moved * (product(k, up) - product(k, down));
    }
  }

  /// Forgets the points without a share. The others keep their order.
  void drop_empty() {
    if (std::ranges::find(shares_, 0.0) == shares_.end()) return;
    std::size_t kept = 0;
    std::size_t entry = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      if (shares_[k] == 0) continue;
      for (std::size_t l = 0; l <= k; ++l) {
        if (shares_[l] != 0) products_[entry++] = product(k, l);
      }
      if (kept != k) points_[kept] = std::move(points_[k]);
      ++kept;
    }
    products_.resize(entry);
    points_.resize(kept);
    std::erase(shares_, 0.0);
  }

 private:
  double product(std::size_t k, std::size_t l) const {
    if (k < l) std::swap(k, l);
    return products_[k * (k + 1) / 2 + l];
  }

  std::vector<Structure> points_;
  std::vector<double> shares_;
  std::vector<double> products_;  // row by row, each up to its diagonal
};

}  // namespace fenchel
