// SPDX-License-Identifier: Apache-2.0
// The matrix-tree theorem for Arborescence: in plain doubles where their exponents suffice (the SIMD kernel),
// else with exponents of their own. Exactly one child of the root is the limit ε → 0 of root weights ε r(m):
// with such exponents ε = 2^−2⁴⁴ is as good as the limit, since no other product of weights is that small.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/arborescence.hpp"
#include "kernels/matrix_tree.hpp"
#include "polytopes/arborescence_elimination.hpp"
#include "polytopes/arborescence_graph.hpp"
#include "polytopes/arborescence_numbers.hpp"

namespace fenchel {
namespace {

using arborescence::Elimination;
using arborescence::PlainTangent;
using arborescence::Rest;
using arborescence::Scaled;
using arborescence::ScaledTangent;
using arborescence::WeightedGraph;

// log of a product of rates; −inf if more than one child of the root is unavoidable.
double log_of_product(const WeightedGraph& graph, Scaled product) {
  const std::int64_t root = graph.root_exponent;
  if (root != 0) {
    // Other exponents are far below half of ε's.
    if (product.exponent < root + root / 2) return -infinity;
    product.exponent -= root;
  }
  return graph.shift +
         (std::log(product.mantissa) + static_cast<double>(product.exponent) * std::numbers::ln2_v<double>);
}

Rest<Scaled> copy_of(const WeightedGraph& graph, Workspace& scratch) {
  const auto memory = scratch.take<Scaled>((graph.n + 1) * graph.n);
  return graph.rest().copy_to(memory.data());
}

double eliminate_all(const WeightedGraph& graph, const Rest<Scaled>& rest, Elimination<Scaled>& elimination) {
  Scaled product = Scaled::one();
  for (std::size_t k = graph.n; k-- > 0;) {
    product = product.times(elimination.eliminate(rest, k, 0, k));
    product.normalize();
  }
  return log_of_product(graph, product);
}

double scaled_marginals(const Arborescence& set, std::span<const double> theta, std::span<double> mu,
                        Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const std::size_t n = set.n;
  const WeightedGraph graph = arborescence::weighted_graph(set, theta, scratch);
  if (!graph.reachable) return -infinity;
  Elimination<Scaled> elimination(n, scratch);
  const double log_z = eliminate_all(graph, copy_of(graph, scratch), elimination);
  if (log_z == -infinity) return log_z;
  elimination.run(copy_of(graph, scratch));
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      const Scaled weight = h == m ? graph.root[m] : graph.arcs[h * n + m].times(elimination.meeting(h, m));
      mu[h * n + m] = std::min(1.0, weight.divided_by(elimination.last(m)).value());
    }
  }
  return log_z;
}

// The largest spread of plain derivatives: as for the kernel, with room for ε = 2^−300.
constexpr double largest_plain_spread = 150;
constexpr double plain_epsilon = 0x1p-300;

template <class Number>
void write_derivatives(std::size_t n, const Rest<Number>& graph, Elimination<Number>& elimination,
                       std::span<double> out, Workspace& scratch) {
  const auto memory = scratch.take<Number>((n + 1) * n);
  elimination.run(graph.copy_to(memory.data()));
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m) {
      const Number weight = h == m ? graph.root[m] : graph.arcs[h * n + m].times(elimination.meeting(h, m));
      out[h * n + m] = weight.divided_by(elimination.last(m)).derivative();
    }
  }
}

template <class Number, class Convert>
void derivatives(const WeightedGraph& graph, std::span<const double> change, std::span<double> out,
                 Workspace& scratch, Convert convert) {
  const std::size_t n = graph.n;
  const auto arcs = scratch.take<Number>(n * n);
  const auto root = scratch.take<Number>(n);
  for (std::size_t h = 0; h < n; ++h) {
    for (std::size_t m = 0; m < n; ++m)
      arcs[h * n + m] = convert(graph.arcs[h * n + m], change[h * n + m], 0);
  }
  for (std::size_t m = 0; m < n; ++m) {
    root[m] = convert(graph.root[m], change[m * n + m], graph.root_exponent);
  }
  Elimination<Number> elimination(n, scratch);
  write_derivatives<Number>(n, {arcs.data(), root.data(), n, 0, n}, elimination, out, scratch);
}

}  // namespace

double Arborescence::marginals(std::span<const double> theta, std::span<double> mu,
                               Workspace& scratch) const {
  double log_z = 0;
  kernels::matrix_tree_marginals({n, single_root}, {theta.data(), 1, n * n}, {mu.data(), 1, n * n},
                                 {&log_z, 1}, scratch);
  return std::isnan(log_z) ? scaled_marginals(*this, theta, mu, scratch) : log_z;
}

void Arborescence::marginals_block(MatrixView<const double> thetas, MatrixView<double> mus,
                                   std::span<double> log_partitions, Workspace& scratch) const {
  kernels::matrix_tree_marginals({n, single_root}, thetas, mus, log_partitions, scratch);
  for (std::size_t i = 0; i < thetas.rows(); ++i) {
    if (!std::isnan(log_partitions[i])) continue;
    log_partitions[i] = scaled_marginals(*this, thetas.row(i), mus.row(i), scratch);
  }
}

double Arborescence::log_partition(std::span<const double> theta, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  // The kernel's marginals cost less than an elimination in wide numbers, where it can be used.
  double result = 0;
  const MatrixView<double> mu(scratch.take<double>(n * n));
  kernels::matrix_tree_marginals({n, single_root}, MatrixView<const double>(theta), mu, {&result, 1},
                                 scratch);
  if (!std::isnan(result)) return result;
  const WeightedGraph graph = arborescence::weighted_graph(*this, theta, scratch);
  if (!graph.reachable) return -infinity;
  Elimination<Scaled> elimination(n, scratch);
  return eliminate_all(graph, graph.rest(), elimination);
}

void Arborescence::marginals_jvp(std::span<const double> theta, std::span<const double> mu,
                                 std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const auto change = scratch.take<double>(n * n);
  // A word has one head, so a constant added to a column of v does not matter: without the mean, sums stay
  // small.
  double scale = 0;
  for (std::size_t m = 0; m < n; ++m) {
    double mean = 0;
    for (std::size_t h = 0; h < n; ++h) mean += mu[h * n + m] * v[h * n + m];
    for (std::size_t h = 0; h < n; ++h) {
      change[h * n + m] = v[h * n + m] - mean;
      scale = std::max(scale, std::abs(change[h * n + m]));
    }
  }
  std::ranges::fill(out, 0.0);
  if (scale == 0) return;
  for (double& entry : change) entry /= scale;
  const WeightedGraph graph = arborescence::weighted_graph(*this, theta, scratch);
  if (!graph.reachable) return;
  if (!graph.masked && graph.spread <= largest_plain_spread) {
    derivatives<PlainTangent>(graph, change, out, scratch,
                              [](Scaled weight, double derivative, std::int64_t root_exponent) {
                                weight.exponent -= root_exponent;
                                const double epsilon = root_exponent != 0 ? plain_epsilon : 1;
                                const double value = weight.value() * epsilon;
                                return PlainTangent{value, value * derivative};
                              });
  } else {
    derivatives<ScaledTangent>(
        graph, change, out, scratch, [](const Scaled& weight, double derivative, std::int64_t) {
          return ScaledTangent{{weight.mantissa, weight.mantissa * derivative}, weight.exponent};
        });
  }
  for (double& entry : out) entry *= scale;
}

}  // namespace fenchel
