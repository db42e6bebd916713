// SPDX-License-Identifier: Apache-2.0
#include "solvers/transport.hpp"

// LEMON appends arcs it fills in afterwards, which GCC reports as uninitialised under sanitizers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "solvers/assignment.hpp"

namespace fenchel {
namespace {

using Integer = std::int64_t;
using Graph = lemon::SmartDigraph;

constexpr int sum_bits = 60;    // the total mass, scaled
constexpr int price_bits = 60;  // a price is a sum of at most rows + columns scaled scores

bool same_everywhere(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  const auto is_first = [&](double entry) { return entry == a[0]; };
  return std::ranges::all_of(a, is_first) && std::ranges::all_of(b, is_first);
}

double solve_as_assignment(std::span<const double> theta, double mass, const TransportSolution& out,
                           Workspace& scratch) {
  const std::size_t n = out.row_prices.size();
  const auto columns = scratch.take<std::uint32_t>(n);
  const double score = assign_rows(theta, n, {columns, out.row_prices, out.column_prices}, scratch);
  if (score == -infinity) return score;
  out.plan.clear();
  if (mass == 0) return 0;
  for (std::size_t i = 0; i < n; ++i) {
    out.plan.indices.push_back(static_cast<std::uint32_t>(i * n + columns[i]));
    if (mass != 1) out.plan.values.push_back(mass);
  }
  return mass * score;
}

// Times 2^exponent; a factor of that size might overflow.
Integer whole(double value, int exponent) { return std::llround(std::ldexp(value, exponent)); }

// Whole numbers with the proportions of `sums` and exactly the given total; the largest one takes what
// rounding leaves over.
std::vector<Integer> whole_sums(std::span<const double> sums, double factor, int exponent, Integer total) {
  std::vector<Integer> result(sums.size());
  Integer rest = total;
  for (std::size_t i = 0; i < sums.size(); ++i) rest -= result[i] = whole(sums[i] * factor, exponent);
  result[static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin())] += rest;
  return result;
}

// One network: nodes for the rows and columns with mass, arcs for the allowed pairs among them.
class TransportNetwork {
 public:
  TransportNetwork(std::span<const double> theta, std::span<const double> a, std::span<const double> b)
      : theta_(theta), a_(a), b_(b), rows_(a.size()), columns_(b.size()), costs_(graph_), supplies_(graph_) {}

  // False where no plan exists.
  bool solve() {
    const double mass = sum_of(a_);
    exponent_ = sum_bits - 1 - std::ilogb(mass);
    const Integer total = whole(mass, exponent_);
    const std::vector<Integer> rows = whole_sums(a_, 1, exponent_, total);
    const std::vector<Integer> columns = whole_sums(b_, mass / sum_of(b_), exponent_, total);
    for (std::size_t i = 0; i < rows_ + columns_; ++i) graph_.addNode();
    for (std::size_t i = 0; i < rows_; ++i) supplies_[node(i)] = rows[i];
    for (std::size_t j = 0; j < columns_; ++j) supplies_[node(rows_ + j)] = -columns[j];
    add_arcs();
    Simplex simplex(graph_);
    if (simplex.costMap(costs_).supplyMap(supplies_).run() != Simplex::OPTIMAL) return false;
    for (int id = 0; id < graph_.arcNum(); ++id) {
      const Graph::Arc arc = Graph::arcFromId(id);
      if (simplex.flow(arc) > 0) flows_.push_back({entry(arc), simplex.flow(arc)});
    }
    std::ranges::sort(flows_, {}, &Flow::entry);
    for (std::size_t i = 0; i < rows_ + columns_; ++i) prices_.push_back(simplex.potential(node(i)));
    bound_prices();
    return true;
  }

  double write(const TransportSolution& out) const {
    for (std::size_t i = 0; i < rows_; ++i) {
      out.row_prices[i] = row_tops_[i] + std::ldexp(static_cast<double>(prices_[i]), -cost_exponent_);
    }
    for (std::size_t j = 0; j < columns_; ++j) {
      out.column_prices[j] =
          column_tops_[j] - std::ldexp(static_cast<double>(prices_[rows_ + j]), -cost_exponent_);
    }
    price_the_massless(out);
    out.plan.clear();
    CompensatedSum score;
    bool ones = true;
    for (const Flow& flow : flows_) {
      const double mass = std::ldexp(static_cast<double>(flow.amount), -exponent_);
      out.plan.indices.push_back(static_cast<std::uint32_t>(flow.entry));
      out.plan.values.push_back(mass);
      score += theta_[flow.entry] * mass;
      ones = ones && mass == 1;
    }
    if (ones) out.plan.values.clear();
    return score.value();
  }

 private:
  using Simplex = lemon::NetworkSimplex<Graph, Integer, Integer>;
  struct Flow {
    std::size_t entry;
    Integer amount;
  };

  static Graph::Node node(std::size_t index) { return Graph::nodeFromId(static_cast<int>(index)); }
  std::size_t entry(Graph::Arc arc) const {
    const auto i = static_cast<std::size_t>(Graph::id(graph_.source(arc)));
    const auto j = static_cast<std::size_t>(Graph::id(graph_.target(arc))) - rows_;
    return i * columns_ + j;
  }
  bool open(std::size_t i, std::size_t j) const {
    return a_[i] > 0 && b_[j] > 0 && theta_[i * columns_ + j] > -infinity;
  }

  // The cost of an entry is its distance to the best of its row and column, so that shifts of rows and
  // columns cost no digits.
  void add_arcs() {
    row_tops_.assign(rows_, -infinity);
    column_tops_.assign(columns_, -infinity);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        if (open(i, j)) row_tops_[i] = std::max(row_tops_[i], theta_[i * columns_ + j]);
      }
    }
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        if (open(i, j)) column_tops_[j] = std::max(column_tops_[j], theta_[i * columns_ + j] - row_tops_[i]);
      }
    }
    double largest = 0;
    const auto lack = [&](std::size_t i, std::size_t j) {
      return column_tops_[j] - (theta_[i * columns_ + j] - row_tops_[i]);
    };
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        if (open(i, j)) largest = std::max(largest, lack(i, j));
      }
    }
    const int bits = price_bits - static_cast<int>(std::bit_width(rows_ + columns_));
    if (largest > 0) cost_exponent_ = bits - 1 - std::ilogb(largest);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        if (open(i, j)) costs_[graph_.addArc(node(i), node(rows_ + j))] = whole(lack(i, j), cost_exponent_);
      }
    }
  }

  // The simplex method may leave parts of the network that no plan connects a huge price apart, which would
  // cost digits. The lengths of shortest paths in the network of changes to the plan are prices too, and
  // bounded; the prices at hand make all steps non-negative, so that Dijkstra's method finds them. Lengths
  // are halved so that two of them can be added.
  void bound_prices() {
    const Integer limit = Integer{1} << (price_bits + 1);
    if (std::ranges::all_of(prices_, [&](Integer price) { return -limit < price && price < limit; })) return;
    std::vector<std::vector<std::pair<std::size_t, Integer>>> steps(rows_ + columns_);
    for (int id = 0; id < graph_.arcNum(); ++id) {
      const Graph::Arc arc = Graph::arcFromId(id);
      const auto source = static_cast<std::size_t>(Graph::id(graph_.source(arc)));
      const auto target = static_cast<std::size_t>(Graph::id(graph_.target(arc)));
      steps[source].push_back({target, costs_[arc] + prices_[source] - prices_[target]});
    }
    for (const Flow& flow : flows_)
      steps[rows_ + flow.entry % columns_].push_back({flow.entry / columns_, 0});
    const Integer top = *std::ranges::max_element(prices_);
    constexpr Integer done = -1;
    std::vector<Integer> distance(rows_ + columns_);
    std::vector<Integer> final_distance(rows_ + columns_);
    for (std::size_t i = 0; i < distance.size(); ++i) distance[i] = top / 2 - prices_[i] / 2;
    for (std::size_t round = 0; round < distance.size(); ++round) {
      std::size_t nearest = distance.size();
      for (std::size_t i = 0; i < distance.size(); ++i) {
        if (distance[i] != done && (nearest == distance.size() || distance[i] < distance[nearest]))
          nearest = i;
      }
      const Integer length = std::exchange(distance[nearest], done);
      final_distance[nearest] = length;
      for (const auto& step : steps[nearest]) {
        if (distance[step.first] != done)
          distance[step.first] = std::min(distance[step.first], length + step.second / 2);
      }
    }
    for (std::size_t i = 0; i < distance.size(); ++i) prices_[i] = prices_[i] + 2 * final_distance[i] - top;
  }

  // Rows and columns without mass take part in no plan: any price that covers their scores will do.
  void price_the_massless(const TransportSolution& out) const {
    for (std::size_t j = 0; j < columns_; ++j) {
      if (b_[j] > 0) continue;
      out.column_prices[j] = 0;
      double top = -infinity;
      for (std::size_t i = 0; i < rows_; ++i) {
        if (a_[i] > 0) top = std::max(top, theta_[i * columns_ + j] - out.row_prices[i]);
      }
      if (top > -infinity) out.column_prices[j] = top;
    }
    for (std::size_t i = 0; i < rows_; ++i) {
      if (a_[i] > 0) continue;
      double top = -infinity;
      for (std::size_t j = 0; j < columns_; ++j) {
        top = std::max(top, theta_[i * columns_ + j] - out.column_prices[j]);
      }
      out.row_prices[i] = top > -infinity ? top : 0;
    }
  }

  std::span<const double> theta_, a_, b_;
  std::size_t rows_, columns_;
  int exponent_ = 0;       // masses are multiplied by 2^exponent,
  int cost_exponent_ = 0;  // and costs by a power of their own
  Graph graph_;
  Graph::ArcMap<Integer> costs_;
  Graph::NodeMap<Integer> supplies_;
  std::vector<double> row_tops_, column_tops_;
  std::vector<Flow> flows_;
  std::vector<Integer> prices_;
};

}  // namespace

double solve_transport(std::span<const double> theta, std::span<const double> a, std::span<const double> b,
                       const TransportSolution& out, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  if (same_everywhere(a, b)) return solve_as_assignment(theta, a[0], out, scratch);
  TransportNetwork network(theta, a, b);
  if (!network.solve()) return -infinity;
  return network.write(out);
}

}  // namespace fenchel
