// SPDX-License-Identifier: Apache-2.0
#include "solvers/root_cut.hpp"

#include <algorithm>

namespace fenchel {
namespace {

// A residual capacity this small is rounding of zero: n of them are far below any tolerance.
constexpr double negligible = 1e-16;

}  // namespace

RootCut::RootCut(MatrixView<const double> into, Workspace& scratch)
    : n_(into.rows()),
      into_(into),
      residual_(scratch.take<double>(n_ * n_)),
      inflow_(scratch.take<double>(n_)),
      supply_(scratch.take<double>(n_)),
      joined_(scratch.take<bool>(n_)),
      starts_(scratch.take<Index>(n_ + 1)),
      neighbours_(scratch.take<Index>(n_ * n_)),
      distance_(scratch.take<Index>(n_)),
      queue_(scratch.take<Index>(n_)),
      path_(scratch.take<Index>(n_ + 1)),
      next_(scratch.take<Index>(n_)),
      touched_(scratch.take<bool>(n_)) {
  for (std::size_t m = 0; m < n_; ++m) {
    std::ranges::copy(into.row(m), residual_.subspan(m * n_, n_).begin());
    inflow_[m] = into.row(m)[m];
    joined_[m] = touched_[m] = false;
  }
  list_neighbours();
}

void RootCut::find(double tolerance, FunctionRef<void(std::span<const std::uint32_t>, double)> found) {
  const double enough = 1 - tolerance;
  for (left_ = n_; left_ > 0; --left_) {
    const Index word = next_word();
    if (inflow_[word] < enough && flow_along_two_arcs(word) < enough) {
      const double flow = maximum_flow(word, enough);
      if (flow < enough) found(queue_.first(reached_), flow);
    }
    join(word);
  }
}

void RootCut::list_neighbours() {
  Index count = 0;
  for (Index m = 0; m < n_; ++m) {
    starts_[m] = count;
    for (Index h = 0; h < n_; ++h) {
      if (h != m && (into_.row(m)[h] > 0 || into_.row(h)[m] > 0)) neighbours_[count++] = h;
    }
  }
  starts_[n_] = count;
}

RootCut::Index RootCut::next_word() const {
  Index best = 0;
  double most = -1;
  for (Index m = 0; m < n_; ++m) {
    if (joined_[m] || inflow_[m] <= most) continue;
    best = m;
    most = inflow_[m];
  }
  return best;
}

void RootCut::join(Index word) {
  joined_[word] = true;
  for (const Index m : neighbours(word)) inflow_[m] += into_.row(m)[word];
}

double RootCut::flow_along_two_arcs(Index sink) const {
  double flow = inflow_[sink];
  for (const Index h : neighbours(sink)) {
    if (!joined_[h]) flow += std::min(inflow_[h], into_.row(sink)[h]);
  }
  return flow;
}

// Stops early once it is enough. Otherwise the words on the queue are those from which the sink can still be
// reached: the minimum cut.
double RootCut::maximum_flow(Index sink, double enough) {
  std::ranges::copy(inflow_, supply_.begin());
  double flow = supply_[sink];
  supply_[sink] = 0;
  for (bool grew = true; grew && flow < enough;) {
    grew = false;
    measure_distances(sink);
    std::ranges::copy(starts_.first(n_), next_.begin());
    for (std::size_t k = 1; k < reached_ && flow < enough; ++k) {
      const Index start = queue_[k];
      while (supply_[start] > negligible && flow < enough) {
        const double amount = augment(start, sink, supply_[start]);
        if (amount == 0) break;
        flow += amount;
        grew = true;
      }
    }
  }
  restore();
  return flow;
}

void RootCut::measure_distances(Index sink) {
  std::ranges::fill(distance_, static_cast<Index>(n_));
  distance_[sink] = 0;
  queue_[0] = sink;
  reached_ = 1;
  for (std::size_t k = 0; k < reached_ && reached_ < left_; ++k) {
    const Index to = queue_[k];
    for (const Index from : neighbours(to)) {
      if (joined_[from] || distance_[from] < n_ || !(residual(from, to) > negligible)) continue;
      distance_[from] = distance_[to] + 1;
      queue_[reached_++] = from;
    }
  }
}

// Sends what fits along one path that comes nearer to the sink with every arc; 0 if there is none.
double RootCut::augment(Index start, Index sink, double limit) {
  std::size_t length = 0;
  path_[0] = start;
  while (path_[length] != sink) {
    const Index from = path_[length];
    Index& next = next_[from];
    const auto leads_on = [&](Index to) {
      return distance_[to] + 1 == distance_[from] && residual(from, to) > negligible;
    };
    while (next < starts_[from + 1] && !leads_on(neighbours_[next])) ++next;
    if (next < starts_[from + 1]) {
      path_[++length] = neighbours_[next];
    } else if (length == 0) {
      return 0;
    } else {
      ++next_[path_[--length]];
    }
  }
  double amount = limit;
  for (std::size_t k = 0; k < length; ++k) amount = std::min(amount, residual(path_[k], path_[k + 1]));
  push(length, amount);
  return amount;
}

void RootCut::push(std::size_t length, double amount) {
  supply_[path_[0]] -= amount;
  for (std::size_t k = 0; k <= length; ++k) touched_[path_[k]] = true;
  for (std::size_t k = 0; k < length; ++k) {
    residual(path_[k], path_[k + 1]) -= amount;
    residual(path_[k + 1], path_[k]) += amount;
  }
}

// The residual capacities before the flow.
void RootCut::restore() {
  for (std::size_t m = 0; m < n_; ++m) {
    if (!touched_[m]) continue;
    std::ranges::copy(into_.row(m), residual_.subspan(m * n_, n_).begin());
    touched_[m] = false;
  }
}

}  // namespace fenchel
