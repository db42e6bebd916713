// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/structured_margin.hpp"

#include <algorithm>
#include <cmath>

#include "fenchel/core/pooled.hpp"
#include "fenchel/core/random.hpp"

namespace fenchel {
namespace {

constexpr double equal = 1e-9;  // predictions leave a structure linearly in m: rounding is far below
// A tenth below a true margin the prediction is away from y; an entropy without one is then still near it.
constexpr double closer = 0.9;
constexpr double apart = 1e-6;
constexpr double largest = 1e6;  // of a margin
constexpr double precision = 1e-12;
constexpr int directions = 32;

// ‖prediction at m·y − y‖_∞.
double distance(TruthPrediction predict, std::span<const double> y, double m, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const auto theta = scratch.take<double>(y.size());
  const auto mu = scratch.take<double>(y.size());
  for (std::size_t j = 0; j < y.size(); ++j) theta[j] = m * y[j];
  predict(theta, y, mu);
  double result = 0;
  for (std::size_t j = 0; j < y.size(); ++j) result = std::max(result, std::abs(mu[j] - y[j]));
  return result;
}

// The smallest m ≥ `from` that is enough for y.
std::optional<double> margin_at(TruthPrediction predict, std::span<const double> y, double from,
                                Workspace& scratch) {
  const auto enough = [&](double m) { return distance(predict, y, m, scratch) <= equal; };
  if (enough(from)) return from;
  // Where m is enough, so is every larger one, because y is its own best structure on a sphere. Hence
  // bisection.
  double below = from, above = std::max(1.0, 2 * from);
  while (!enough(above)) {
    below = above;
    above *= 2;
    if (above > largest) return std::nullopt;
  }
  while (above - below > precision * above) {
    const double middle = 0.5 * (below + above);
    if (middle <= below || middle >= above) break;
    (enough(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace

std::optional<double> structured_margin(const AnyPolytope& polytope, TruthPrediction predict, bool exists) {
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto scores = scratch.take<double>(polytope.dimension());
  const auto y = scratch.take<double>(polytope.dimension());
  const Pooled<Structure> structure;
  Random random(20200102);
  double margin = 0;
  for (int i = 0; i < directions; ++i) {
    for (double& score : scores) score = random.normal();
    polytope.map(scores, *structure, scratch);
    write(*structure, y);
    const auto here = margin_at(predict, y, margin, scratch);
    if (!here) return std::nullopt;
    if (*here == margin) continue;
    margin = *here;
    if (!exists && distance(predict, y, closer * margin, scratch) < apart) return std::nullopt;
  }
  return margin;
}

}  // namespace fenchel
