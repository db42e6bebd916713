// SPDX-License-Identifier: Apache-2.0
#include "solvers/transport_start.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/structure.hpp"
#include "solvers/transport.hpp"

namespace fenchel {
namespace {

struct Shape {
  double spread = 0;    // of the finite entries below their prices
  bool masked = false;  // an entry whose row and column have mass is forbidden
  bool feasible = true;
};

// Subtracts the maxima of rows, then of columns, among the entries that can have mass.
Shape subtract_maxima(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
                      std::span<double> reduced, std::span<double> tops) {
  const std::size_t columns = b.size();
  Shape shape;
  std::ranges::fill(tops, -infinity);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double* from = &theta[i * columns];
    double* to = &reduced[i * columns];
    double top = -infinity;
    for (std::size_t j = 0; j < columns; ++j) {
      to[j] = a[i] > 0 && b[j] > 0 ? from[j] : -infinity;
      top = std::max(top, to[j]);
    }
    if (a[i] == 0) continue;
    if (top == -infinity) return {.feasible = false};
    for (std::size_t j = 0; j < columns; ++j) {
      to[j] -= top;
      tops[j] = std::max(tops[j], to[j]);
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    if (b[j] > 0 && tops[j] == -infinity) return {.feasible = false};
    if (b[j] == 0) tops[j] = 0;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    double* row = &reduced[i * columns];
    for (std::size_t j = 0; j < columns; ++j) {
      row[j] -= tops[j];
      if (row[j] > -infinity) {
        shape.spread = std::max(shape.spread, -row[j]);
      } else {
        shape.masked = shape.masked || b[j] > 0;
      }
    }
  }
  return shape;
}

// Strongly connected parts (Tarjan) of the graph with steps from a row to every allowed column and from a
// column to the rows that use it in some plan: an entry is positive in some plan if and only if its ends
// are in one part.
class PlanParts {
 public:
  PlanParts(std::span<const double> scores, std::size_t rows, const Structure& plan, Workspace& scratch)
      : scores_(scores),
        rows_(rows),
        columns_(scores.size() / rows),
        next_(scratch.take<std::size_t>(rows + columns_)),
        order_(scratch.take<std::size_t>(rows + columns_)),
        low_(scratch.take<std::size_t>(rows + columns_)),
        part_(scratch.take<std::size_t>(rows + columns_)),
        open_(scratch.take<std::size_t>(rows + columns_)),
        path_(scratch.take<std::size_t>(rows + columns_)),
        first_user_(scratch.take<std::size_t>(columns_ + 1)),
        users_(scratch.take<std::size_t>(plan.size())) {
    list_users(plan);
    std::ranges::fill(next_, std::size_t{0});
    std::ranges::fill(order_, unseen);
    std::ranges::fill(part_, unseen);
    for (std::size_t node = 0; node < rows_ + columns_; ++node) {
      if (order_[node] == unseen) visit(node);
    }
  }

  bool together(std::size_t i, std::size_t j) const { return part_[i] == part_[rows_ + j]; }

 private:
  static constexpr std::size_t unseen = ~std::size_t{0};

  void list_users(const Structure& plan) {
    std::ranges::fill(first_user_, std::size_t{0});
    for (const std::uint32_t index : plan.indices) ++first_user_[index % columns_ + 1];
    for (std::size_t j = 0; j < columns_; ++j) first_user_[j + 1] += first_user_[j];
    for (const std::uint32_t index : plan.indices) users_[first_user_[index % columns_]++] = index / columns_;
    for (std::size_t j = columns_; j-- > 0;) first_user_[j + 1] = first_user_[j];
    first_user_[0] = 0;
  }

  // The next node that `node` steps to, or unseen.
  std::size_t step(std::size_t node) {
    std::size_t& next = next_[node];
    if (node < rows_) {
      while (next < columns_ && scores_[node * columns_ + next] == -infinity) ++next;
      return next < columns_ ? rows_ + next++ : unseen;
    }
    const std::size_t at = first_user_[node - rows_] + next;
    if (at == first_user_[node - rows_ + 1]) return unseen;
    ++next;
    return users_[at];
  }

  void enter(std::size_t node) {
    order_[node] = low_[node] = count_++;
    open_[open_count_++] = node;
    path_[depth_++] = node;
  }

  void visit(std::size_t root) {
    enter(root);
    while (depth_ > 0) {
      const std::size_t node = path_[depth_ - 1];
      const std::size_t target = step(node);
      if (target == unseen) {
        --depth_;
        if (depth_ > 0) low_[path_[depth_ - 1]] = std::min(low_[path_[depth_ - 1]], low_[node]);
        if (low_[node] == order_[node]) close(node);
      } else if (order_[target] == unseen) {
        enter(target);
      } else if (part_[target] == unseen) {
        low_[node] = std::min(low_[node], order_[target]);
      }
    }
  }

  void close(std::size_t root) {
    std::size_t node = unseen;
    do {
      node = open_[--open_count_];
      part_[node] = root;
    } while (node != root);
  }

  std::span<const double> scores_;
  std::size_t rows_, columns_;
  std::span<std::size_t> next_, order_, low_, part_, open_, path_, first_user_, users_;
  std::size_t count_ = 0;
  std::size_t open_count_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

bool TransportStart::reduce(std::span<const double> theta, std::span<const double> a,
                            std::span<const double> b, std::span<double> reduced, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const std::size_t columns = b.size();
  const auto row_prices = scratch.take<double>(a.size());
  const auto column_prices = scratch.take<double>(columns);
  const Shape shape = subtract_maxima(theta, a, b, reduced, column_prices);
  if (!shape.feasible) return false;
  if (!shape.masked && shape.spread <= plain_spread) return true;
  Structure plan;
  const TransportSolution solution{plan, row_prices, column_prices};
  if (solve_transport(reduced, a, b, solution, scratch) == -infinity) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      double& entry = reduced[i * columns + j];
      entry = std::min(entry - row_prices[i] - column_prices[j], 0.0);
    }
  }
  if (!drop_unusable || !shape.masked) return true;
  const PlanParts parts(reduced, a.size(), plan, scratch);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (!parts.together(i, j)) reduced[i * columns + j] = -infinity;
    }
  }
  return true;
}

}  // namespace fenchel
