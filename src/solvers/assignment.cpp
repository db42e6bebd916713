// SPDX-License-Identifier: Apache-2.0
#include "solvers/assignment.hpp"

#include <algorithm>

#include "fenchel/core/numeric.hpp"
#include "kernels/assignment.hpp"

namespace fenchel {
namespace {

constexpr std::int64_t none = -1;

// Bidding pays as long as it settles most rows. Among rows that want the same columns it would go on with
// ever smaller raises; augmenting paths settle those in one search each.
constexpr std::size_t bids_a_row = 2;

class AssignmentSearch {
 public:
  AssignmentSearch(std::span<const double> theta, std::size_t n, Workspace& scratch)
      : theta_(theta),
        n_(n),
        prices_(scratch.take<double>(n)),
        column_of_(scratch.take<std::int64_t>(n)),
        row_of_(scratch.take<std::int64_t>(n)),
        free_(scratch.take<std::int64_t>(n)),
        open_prices_(scratch.take<double>(n)),
        occupied_(scratch.take<double>(n)),
        distance_(scratch.take<double>(n)),
        previous_(scratch.take<std::int64_t>(n)),
        scanned_(scratch.take<std::size_t>(n)),
        scanned_distance_(scratch.take<double>(n)) {}

  bool solve() {
    if (!take_column_maxima()) return false;
    lower_sole_owners();
    if (!bid()) return false;
    for (std::size_t j = 0; j < n_; ++j) occupied_[j] = row_of_[j] == none ? 0 : infinity;
    for (std::size_t k = 0; k < free_count_; ++k) {
      if (!augment(free_[k])) return false;
    }
    return true;
  }

  double write(const Assignment& out) const {
    CompensatedSum score;
    for (std::size_t i = 0; i < n_; ++i) {
      const auto j = static_cast<std::size_t>(column_of_[i]);
      const double entry = row(i)[j];
      out.columns[i] = static_cast<std::uint32_t>(j);
      out.row_prices[i] = entry - prices_[j];
      score += entry;
    }
    std::ranges::copy(prices_, out.column_prices.begin());
    return score.value();
  }

 private:
  std::span<const double> row(std::size_t i) const { return theta_.subspan(i * n_, n_); }

  void match(std::int64_t i, std::size_t j) {
    row_of_[j] = i;
    column_of_[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(j);
  }

  // Each column asks its best price, and goes to the row that pays it if that row has no column yet.
  bool take_column_maxima() {
    std::ranges::fill(prices_, -infinity);
    std::ranges::fill(row_of_, none);
    std::ranges::fill(column_of_, none);
    std::ranges::fill(previous_, none);
    for (std::size_t i = 0; i < n_; ++i) {
      kernels::raise_maxima(row(i), static_cast<std::int64_t>(i), prices_, previous_);
    }
    // Here free_ counts how many columns a row could have had.
    for (std::int64_t& count : free_) count = 0;
    for (std::size_t j = n_; j-- > 0;) {
      if (previous_[j] == none) return false;
      const auto i = static_cast<std::size_t>(previous_[j]);
      if (free_[i]++ == 0) match(previous_[j], j);
    }
    return true;
  }

  // A row that alone wanted its column leaves as much of the price as its second choice allows: the larger
  // the slack of a settled row, the shorter the later paths.
  void lower_sole_owners() {
    free_count_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const bool sole = free_[i] == 1;  // read before free_ is written up to i
      if (column_of_[i] == none) {
        free_[free_count_++] = static_cast<std::int64_t>(i);
      } else if (sole) {
        raise_own_price(i);
      }
    }
  }

  void raise_own_price(std::size_t i) {
    const kernels::TopTwo top = kernels::top_two(row(i), prices_);
    const auto j = static_cast<std::size_t>(column_of_[i]);
    const double second = top.at == j ? top.second : top.best;
    if (second > -infinity) prices_[j] = std::max(prices_[j], row(i)[j] - second);
  }

  std::size_t free_column_at(std::span<const double> scores, double value, std::size_t otherwise) const {
    for (std::size_t j = 0; j < n_; ++j) {
      if (row_of_[j] == none && scores[j] - prices_[j] == value) return j;
    }
    return otherwise;
  }

  // Rows without a column take their best one, raising its price to where the second best is as good; the row
  // that had it bids next.
  bool bid() {
    std::size_t bids = bids_a_row * n_;
    for (int pass = 0; pass < 2; ++pass) {
      const std::size_t count = free_count_;
      std::size_t k = 0;
      free_count_ = 0;
      while (k < count) {
        const std::int64_t i = free_[k++];
        const std::span<const double> scores = row(static_cast<std::size_t>(i));
        const kernels::TopTwo top = kernels::top_two(scores, prices_);
        if (top.best == -infinity) return false;
        std::size_t j = top.at;
        const bool raised = top.second > -infinity && prices_[j] + (top.best - top.second) > prices_[j];
        if (!raised && row_of_[j] != none) j = free_column_at(scores, top.best, j);
        const std::int64_t loser = row_of_[j];
        if (!raised && loser != none) {  // nothing gained by taking it: leave the row to the paths
          free_[free_count_++] = i;
          continue;
        }
        if (raised) prices_[j] += top.best - top.second;
        match(i, j);
        if (loser == none) continue;
        column_of_[static_cast<std::size_t>(loser)] = none;
        if (bids > 0) {
          --bids;
          free_[--k] = loser;
        } else {
          free_[free_count_++] = loser;
        }
      }
    }
    return true;
  }

  // Dijkstra over the columns from the free row `start`; free columns are preferred among equals.
  bool augment(std::int64_t start) {
    std::ranges::copy(prices_, open_prices_.begin());
    std::ranges::fill(distance_, infinity);
    const kernels::PathSearch search{open_prices_, occupied_, distance_, previous_};
    std::size_t scanned = 0;
    std::int64_t i = start;
    double base = kernels::top_two(row(static_cast<std::size_t>(start)), prices_).best;
    if (base == -infinity) return false;
    while (true) {
      const kernels::Nearest nearest = kernels::relax(row(static_cast<std::size_t>(i)), base, i, search);
      if (nearest.distance == infinity) return false;
      if (nearest.free_distance <= nearest.distance) {
        finish(start, nearest.free_distance, scanned);
        return true;
      }
      const std::size_t j = nearest.at;
      scanned_[scanned] = j;
      scanned_distance_[scanned++] = nearest.distance;
      distance_[j] = infinity;
      open_prices_[j] = infinity;
      i = row_of_[j];
      base = nearest.distance + (row(static_cast<std::size_t>(i))[j] - prices_[j]);
    }
  }

  void finish(std::int64_t start, double length, std::size_t scanned) {
    std::size_t j = 0;
    while (distance_[j] + occupied_[j] != length) ++j;
    for (std::size_t k = 0; k < scanned; ++k) prices_[scanned_[k]] += length - scanned_distance_[k];
    occupied_[j] = infinity;
    while (true) {
      const std::int64_t i = previous_[j];
      const std::int64_t left = column_of_[static_cast<std::size_t>(i)];
      match(i, j);
      if (i == start) return;
      j = static_cast<std::size_t>(left);
    }
  }

  std::span<const double> theta_;
  std::size_t n_;
  std::span<double> prices_;
  std::span<std::int64_t> column_of_, row_of_, free_;
  std::size_t free_count_ = 0;
  std::span<double> open_prices_, occupied_, distance_;
  std::span<std::int64_t> previous_;
  std::span<std::size_t> scanned_;
  std::span<double> scanned_distance_;
};

}  // namespace

double assign_rows(std::span<const double> theta, std::size_t n, const Assignment& out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  AssignmentSearch search(theta, n, scratch);
  if (!search.solve()) return -infinity;
  return search.write(out);
}

}  // namespace fenchel
