// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/smoothed_paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/polytopes/all.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "regularizers/simplex_tools.hpp"
#include "regularizers/structured_tools.hpp"

namespace fenchel {
namespace {

// Sums along paths: scores of ±1e6 over hundreds of steps keep the digits that decide between two ways.
using Long = long double;

Long entry_sum(std::span<const double> theta, std::span<const std::uint32_t> entries) {
  Long sum = 0;
  for (const std::uint32_t entry : entries) sum += theta[entry];
  return sum;
}

double edge_score(std::span<const double> theta, const PathGraph::Edge& edge) {
  return edge.entry == PathGraph::no_entry ? 0 : theta[edge.entry];
}

// The forward pass: what every node has come to, and how it chooses between the edges into it.
struct Pass {
  std::span<Long> values;     // V, one per node
  std::span<double> scores;   // of edges into one node, the best of them 0; −inf: no way
  std::span<double> chances;  // ŷ_Ψ of these, one per edge
  Report report;
};

// The scores of the edges into a node, less the best, which is returned.
Long edge_scores(const PathGraph& graph, std::span<const double> theta, const Pass& pass, std::size_t node,
                 std::span<double> out) {
  const auto edges = graph.edges_into(node);
  Long best = -infinity;
  for (const PathGraph::Edge& edge : edges) {
    best = std::max(best, pass.values[edge.from] + edge_score(theta, edge));
  }
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Long score = pass.values[edges[k].from] + edge_score(theta, edges[k]);
    out[k] = best == -infinity || score == -infinity ? -infinity : static_cast<double>(score - best);
  }
  return best;
}

// p = ŷ_Ψ(x) and Ψ*(x); entries of −inf have no chance, and are not shown to Ψ.
double choose(const AnyRegularizer& entropy, std::span<const double> x, std::span<double> p, Report& report,
              Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto open = scratch.take<double>(x.size());
  const auto found = scratch.take<double>(x.size());
  std::size_t count = 0;
  for (const double score : x) {
    if (score != -infinity) open[count++] = score;
  }
  report = worst(report, entropy.predict(open.first(count), found.first(count), scratch));
  const double value = entropy.conjugate(open.first(count), found.first(count));
  count = 0;
  for (std::size_t k = 0; k < x.size(); ++k) p[k] = x[k] == -infinity ? 0 : found[count++];
  return value;
}

Pass forward(const PathGraph& graph, const AnyRegularizer& entropy, std::span<const double> theta,
             Workspace& scratch) {
  Pass pass{scratch.take<Long>(graph.nodes()),
            scratch.take<double>(graph.edges()),
            scratch.take<double>(graph.edges()),
            {}};
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    const std::size_t first = graph.first_edge(node), count = graph.edges_into(node).size();
    Long& value = pass.values[node];
    value = entry_sum(theta, graph.entries_of(node));
    if (count == 0) continue;
    const auto scores = pass.scores.subspan(first, count), chances = pass.chances.subspan(first, count);
    const Long best = value == -infinity ? value : edge_scores(graph, theta, pass, node, scores);
    if (best == -infinity) {
      value = best;
      std::ranges::fill(chances, 0.0);
      std::ranges::fill(scores, -infinity);
    } else {
      value += best + choose(entropy, scores, chances, pass.report, scratch);
    }
  }
  return pass;
}

// J_Ψ(x) v at p = ŷ_Ψ(x), with v in place.
void derive(const AnyRegularizer& entropy, std::span<const double> x, std::span<const double> p,
            std::span<double> v, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto take = [&] { return scratch.take<double>(x.size()); };
  const auto open = take(), chance = take(), direction = take(), moved = take();
  std::size_t count = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k] == -infinity) continue;
    open[count] = x[k];
    chance[count] = p[k];
    direction[count++] = v[k];
  }
  entropy.jvp(open.first(count), chance.first(count), direction.first(count), moved.first(count), scratch);
  count = 0;
  for (std::size_t k = 0; k < x.size(); ++k) v[k] = x[k] == -infinity ? 0 : moved[count++];
}

// Adds what a path through the node, and over the edge, has to the entries of both.
void add_entries(std::span<const std::uint32_t> entries, double weight, std::span<double> out) {
  for (const std::uint32_t entry : entries) out[entry] += weight;
}
void add_entry(const PathGraph::Edge& edge, double weight, std::span<double> out) {
  if (edge.entry != PathGraph::no_entry) out[edge.entry] += weight;
}

}  // namespace

std::vector<SmoothedPaths> SmoothedPaths::examples() {
  return {
      {Sequence{3, 2}}, {Chain{3, 2, true}, Tsallis{1.5}}, {Alignment{3, 3}}, {Sequence{3, 3}, Shannon{}}};
}

void SmoothedPaths::check() const {
  structured::check_polytope(traits.name, polytope);
  const Traits inner = entropy.refined_traits();
  if (inner.domain != Domain::simplex) {
    throw std::invalid_argument(
        fmt::format("entropy is {}, whose domain is {}; expected an Ω over the simplex", inner.name,
                    to_string(inner.domain)));
  }
  if (!inner.convex) {
    throw std::invalid_argument(
        fmt::format("entropy is {}, which is not convex; expected a convex Ω", inner.name));
  }
  if (!inner.zero_at_vertices) {
    throw std::invalid_argument(
        fmt::format("entropy is {}, which is not 0 at every class; expected one that is", inner.name));
  }
  if (!polytope.offers(Oracle::paths)) {
    throw std::invalid_argument(fmt::format(
        "polytope is {}; expected a set of paths: sequence, chain or alignment", polytope.traits().name));
  }
}

void SmoothedPaths::prepare() { graph = std::make_shared<const PathGraph>(polytope.paths()); }

Traits SmoothedPaths::refined_traits() const { return simplex::inherited(traits, entropy.refined_traits()); }

double SmoothedPaths::mean(std::span<const double> theta, std::span<double> out, Report& report,
                           Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Pass pass = forward(*graph, entropy, theta, scratch);
  report = pass.report;
  const Long value = pass.values.back();
  if (value == -infinity) polytope.reject_masked();
  const auto weights = scratch.take<double>(graph->nodes());
  std::ranges::fill(weights, 0.0);
  std::ranges::fill(out, 0.0);
  weights.back() = 1;
  for (std::size_t node = graph->nodes(); node-- > 0;) {
    const double weight = weights[node];
    if (weight == 0) continue;
    add_entries(graph->entries_of(node), weight, out);
    const auto edges = graph->edges_into(node);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const double share = weight * pass.chances[graph->first_edge(node) + k];
      if (share == 0) continue;
      add_entry(edges[k], share, out);
      weights[edges[k].from] += share;
    }
  }
  return static_cast<double>(value);
}

Report SmoothedPaths::predict(std::span<const double> theta, std::span<double> out,
                              Workspace& scratch) const {
  Report report;
  mean(theta, out, report, scratch);
  return report;
}

double SmoothedPaths::predict_and_conjugate(std::span<const double> theta, std::span<double> out,
                                            Workspace& scratch) const {
  Report report;
  return mean(theta, out, report, scratch);
}

double SmoothedPaths::conjugate(std::span<const double> theta, std::span<const double>) const {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const Long value = forward(*graph, entropy, theta, scratch).values.back();
  if (value == -infinity) polytope.reject_masked();
  return static_cast<double>(value);
}

operations::SolvedValue SmoothedPaths::solve_value(std::span<const double> mu) const {
  return structured::solve_value_of(*this, 0, mu);
}

Report SmoothedPaths::prox(std::span<const double> eta, double tau, std::span<double> out,
                           Workspace& scratch) const {
  return structured::prox_of(*this, eta, tau, out, scratch);
}

void SmoothedPaths::jvp(std::span<const double> theta, std::span<const double>, std::span<const double> v,
                        std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const Pass pass = forward(*graph, entropy, theta, scratch);
  const auto slopes = scratch.take<Long>(graph->nodes());  // of V along v
  for (std::size_t node = 0; node < graph->nodes(); ++node) {
    slopes[node] = entry_sum(v, graph->entries_of(node));
    const auto edges = graph->edges_into(node);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const double chance = pass.chances[graph->first_edge(node) + k];
      if (chance != 0) slopes[node] += chance * (slopes[edges[k].from] + edge_score(v, edges[k]));
    }
  }
  const auto weights = scratch.take<double>(graph->nodes()), changes = scratch.take<double>(graph->nodes());
  const auto direction = scratch.take<double>(graph->most_edges());
  std::ranges::fill(weights, 0.0);
  std::ranges::fill(changes, 0.0);
  std::ranges::fill(out, 0.0);
  weights.back() = 1;
  for (std::size_t node = graph->nodes(); node-- > 0;) {
    if (weights[node] == 0 && changes[node] == 0) continue;
    add_entries(graph->entries_of(node), changes[node], out);
    const auto edges = graph->edges_into(node);
    if (edges.empty()) continue;
    const std::size_t first = graph->first_edge(node);
    const auto moved = direction.first(edges.size());
    // Only differences between the edges matter: relative to the mean, they do not grow with the steps.
    const Long mean = slopes[node] - entry_sum(v, graph->entries_of(node));
    for (std::size_t k = 0; k < edges.size(); ++k) {
      moved[k] = static_cast<double>(slopes[edges[k].from] + edge_score(v, edges[k]) - mean);
    }
    const auto chances = pass.chances.subspan(first, edges.size());
    derive(entropy, pass.scores.subspan(first, edges.size()), chances, moved, scratch);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const double change = changes[node] * chances[k] + weights[node] * moved[k];
      add_entry(edges[k], change, out);
      changes[edges[k].from] += change;
      weights[edges[k].from] += weights[node] * chances[k];
    }
  }
}

std::optional<double> SmoothedPaths::margin(std::size_t) const {
  if (!entropy.margin(std::max<std::size_t>(graph->most_edges(), 2))) return std::nullopt;
  return structured::margin_of(*this, {.exists = true});
}

}  // namespace fenchel
