// SPDX-License-Identifier: Apache-2.0
#include "regularizers/margin_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/pooled.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/random.hpp"

namespace fenchel {
namespace {

constexpr std::uint64_t seed = 20200102;
// Predictions leave a structure linearly in m: rounding is far below. A share of its largest entry.
constexpr double equal = 1e-9;
// A tenth below a true margin the prediction has left y; without a margin it is then still near y.
constexpr double closer = 0.9;
constexpr double separation_tolerance = 1e-6;
constexpr double largest = 1e6;  // of a margin, for entries of size one
constexpr double precision = 1e-12;
constexpr int directions = 32;
constexpr std::size_t few = 1024;  // structures: all of them are looked at
// A margin below this, for entries of size one, is a tie at 0 that was not broken in favour of y.
constexpr double no_margin = 1e-9;
constexpr int edges = 128;            // of sets where the distance is not linear
constexpr int most_breakpoints = 64;  // between the structures of two random scores
// How far the structures outside an edge are pushed below it, tried in turn: enough for almost every edge,
// and little enough for the edge itself to be resolved.
constexpr double pushes[] = {1e4, 1e6};
constexpr double spike = 8;  // of one score, per structure that could use it: reaches extreme structures

// The search: θ(m) = fixed + m·slope has ⟨θ, y⟩ = ⟨θ, z⟩ + (m/2)‖y − z‖² for every z that matters.
class Search {
 public:
  Search(const AnyPolytope& polytope, TruthPrediction predict, bool exists, Workspace& scratch)
      : polytope_(polytope),
        predict_(predict),
        exists_(exists),
        scratch_(scratch),
        scores_(take()),
        other_scores_(take()),
        y_(take()),
        z_(take()),
        fixed_(take()),
        slope_(take()),
        theta_(take()),
        mu_(take()) {}

  // At −m c, c the cost ½‖y − z‖² of y.
  std::optional<double> by_structures() {
    const double shift = polytope_.traits().sphere ? 0 : 0.5;
    std::ranges::fill(fixed_, 0.0);
    const auto look_at_y = [&] {
      for (std::size_t j = 0; j < y_.size(); ++j) slope_[j] = y_[j] - shift;
      return raise();
    };
    const std::vector<Structure> all = all_if_few();
    for (const Structure& structure : all) {
      write(structure, y_);
      if (!look_at_y()) return std::nullopt;
    }
    for (int i = 0; all.empty() && i < directions; ++i) {
      for (double& score : scores_) score = random_.normal();
      best(scores_, y_);
      if (!look_at_y()) return std::nullopt;
    }
    return margin_;
  }

  // Every edge found, in both directions.
  std::optional<double> by_edges() {
    for (int i = 0; i < edges; ++i) {
      const double extra = i % 2 == 0 ? 0 : spike * std::sqrt(static_cast<double>(y_.size()));
      const std::size_t special = random_.below(y_.size());
      for (double& score : scores_) score = random_.normal();
      for (double& score : other_scores_) score = random_.normal();
      scores_[special] += extra;
      other_scores_[special] += extra;
      if (!find_edge()) continue;
      for (int side = 0; side < 2; ++side) {
        for (const double push : pushes) {
          for (std::size_t j = 0; j < y_.size(); ++j) {
            fixed_[j] = push * scores_[j];
            slope_[j] = 0.5 * (y_[j] - z_[j]);
          }
          if (distance(margin_) > equal * scale() && !on_edge(margin_)) continue;
          if (!raise()) return std::nullopt;
          break;
        }
        std::swap(y_, z_);
      }
    }
    return margin_;
  }

 private:
  std::span<double> take() { return scratch_.take<double>(polytope_.dimension()); }

  // All structures, if they can be listed and are not many; else none.
  std::vector<Structure> all_if_few() {
    std::vector<Structure> list;
    if (!polytope_.offers(Oracle::k_best)) return list;
    std::ranges::fill(scores_, 0.0);
    polytope_.k_best(scores_, few + 1, list, scratch_);
    if (list.size() > few) list.clear();
    return list;
  }

  void best(std::span<const double> scores, std::span<double> vertex) {
    polytope_.map(scores, *structure_, scratch_);
    write(*structure_, vertex);
  }

  // The first breakpoint on the way from `scores_` to `other_scores_`: an edge [y, z] and scores at which
  // both are best.
  bool find_edge() {
    best(scores_, y_);
    best(other_scores_, z_);
    for (int i = 0; i < most_breakpoints; ++i) {
      for (std::size_t j = 0; j < y_.size(); ++j) slope_[j] = y_[j] - z_[j];
      const double first = dot(scores_, slope_), last = dot(other_scores_, slope_);
      if (!(first > 0)) return false;
      const double share = first / (first - std::min(last, 0.0));
      for (std::size_t j = 0; j < y_.size(); ++j) {
        theta_[j] = (1 - share) * scores_[j] + share * other_scores_[j];
      }
      const double length = squared_norm(slope_);
      for (int twice = 0; twice < 2; ++twice) {  // the second pass removes the rounding of the first
        const double left = dot(theta_, slope_) / length;
        for (std::size_t j = 0; j < y_.size(); ++j) theta_[j] -= left * slope_[j];
      }
      best(theta_, mu_);
      const double tie = dot(theta_, y_);
      if (dot(theta_, mu_) <= tie + equal * (1 + std::abs(tie))) {
        std::swap(scores_, theta_);
        return true;
      }
      std::swap(z_, mu_);
    }
    return false;
  }

  // Whether the prediction at m is between y and z.
  bool on_edge(double m) {
    distance(m);
    double along = 0, length = 0, off = 0;
    for (std::size_t j = 0; j < y_.size(); ++j) {
      along += (mu_[j] - y_[j]) * (z_[j] - y_[j]);
      length += (z_[j] - y_[j]) * (z_[j] - y_[j]);
    }
    for (std::size_t j = 0; j < y_.size(); ++j) {
      off = std::max(off, std::abs(mu_[j] - y_[j] - along / length * (z_[j] - y_[j])));
    }
    return off <= separation_tolerance * scale();
  }

  double scale() const {
    const double result = max_abs(y_);
    return result > 0 ? result : 1;
  }

  // ‖prediction − y‖_∞ at m.
  double distance(double m) {
    for (std::size_t j = 0; j < y_.size(); ++j) theta_[j] = fixed_[j] + m * slope_[j];
    predict_(theta_, y_, mu_);
    double result = 0;
    for (std::size_t j = 0; j < y_.size(); ++j) result = std::max(result, std::abs(mu_[j] - y_[j]));
    return result;
  }

  // Raises the margin to what y needs; false if no margin is enough.
  bool raise() {
    const double size = scale();
    const auto enough = [&](double m) { return distance(m) <= equal * size; };
    if (enough(margin_)) return true;
    // Where m is enough, so is every larger one. Hence bisection.
    double below = margin_, above = std::max(1 / (size * size), 2 * margin_);
    while (!enough(above)) {
      below = above;
      above *= 2;
      if (above * size * size > largest) return false;
    }
    while (above - below > precision * above && above * size * size > no_margin) {
      const double middle = 0.5 * (below + above);
      if (middle <= below || middle >= above) break;
      (enough(middle) ? above : below) = middle;
    }
    if (above * size * size <= no_margin) return true;
    margin_ = above;
    return exists_ || distance(closer * margin_) >= separation_tolerance * size;
  }

  const AnyPolytope& polytope_;
  TruthPrediction predict_;
  bool exists_;
  Workspace& scratch_;
  const Pooled<Structure> structure_;
  Random random_{seed};
  double margin_ = 0;
  std::span<double> scores_, other_scores_, y_, z_, fixed_, slope_, theta_, mu_;
};

}  // namespace

std::optional<double> search_structured_margin(const AnyPolytope& polytope, TruthPrediction predict,
                                               const MarginFacts& facts) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  Search search(polytope, predict, facts.exists, scratch);
  const PolytopeTraits set = polytope.traits();
  if (set.sphere || set.binary) return search.by_structures();
  if (facts.differentiable) return search.by_edges();
  throw std::invalid_argument(fmt::format(
      "this margin over {} is not known: its structures have several norms, and there only margins "
      "of differentiable omegas are known, such as sparsemap and map",
      set.name));
}

bool single_structure(const AnyPolytope& polytope) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(polytope.dimension());
  const Pooled<Structure> best, worst;
  Random random(seed);
  for (double& score : scores) score = random.normal();
  polytope.map(scores, *best, scratch);
  for (double& score : scores) score = -score;
  polytope.map(scores, *worst, scratch);
  return *best == *worst;
}

}  // namespace fenchel
