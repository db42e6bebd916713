// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/structured_margin.hpp"

#include <algorithm>
#include <cmath>

#include "core/pooled.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/random.hpp"
#include "regularizers/margin_search.hpp"

namespace fenchel {
namespace {

constexpr double cost_rounding = 1e-12;  // of a cost, relative to its scale
constexpr int structures = 8;            // at which a cost is compared with the distance

// s where the cost is s‖z − y‖², looked up at random structures: nothing where it is something else, or where
// that is not linear in z.
std::optional<double> distance_scale(const AnyPolytope& polytope, const Cost& cost, Workspace& scratch) {
  const PolytopeTraits facts = polytope.traits();
  if (!facts.sphere && !facts.binary) return std::nullopt;
  if (cost.empty()) return 0;
  const Workspace::Frame frame(scratch);
  const auto y = scratch.take<double>(polytope.dimension());
  const auto written = scratch.take<double>(polytope.dimension());
  const Pooled<Structure> structure;
  Random random(1);
  std::optional<double> scale;
  for (int i = 0; i < structures; ++i) {
    for (double& score : y) score = random.normal();
    polytope.map(y, *structure, scratch);
    write(*structure, y);
    cost.write(y, written);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double distance = (facts.binary ? 1 : 0) - 2 * y[j];  // as AnyPolytope::hamming_cost
      if (!scale && distance != 0) scale = written[j] / distance;
      if (std::abs(written[j] - scale.value_or(0) * distance) > cost_rounding * std::abs(scale.value_or(1))) {
        return std::nullopt;
      }
    }
  }
  return scale;
}

}  // namespace

std::optional<double> structured_margin(const FenchelYoungLoss& loss, const AnyPolytope& polytope) {
  const AnyRegularizer& omega = loss.omega();
  const auto d = omega.dimension();
  if (d) check_size("polytope", polytope.dimension(), *d);
  Workspace& scratch = thread_workspace();
  if (single_structure(polytope)) return 0;
  // The scores −m c of the search become −(m − 2s) c: a cost of s‖z − y‖² adds 2s to a margin that is known.
  if (d) {
    const auto known = omega.margin(*d);
    if (!known) return std::nullopt;  // costs move scores, and no scores are enough
    const bool structured = omega.refined_traits().domain == Domain::polytope;
    const auto scale = structured ? distance_scale(polytope, loss.cost(), scratch) : std::nullopt;
    if (scale) return *known + 2 * *scale;
  }
  const auto predict = [&](std::span<const double> theta, std::span<const double> y, std::span<double> mu) {
    const Workspace::Frame frame(scratch);
    const auto augmented = scratch.take<double>(theta.size());
    loss.cost().write(y, augmented);
    for (std::size_t j = 0; j < theta.size(); ++j) augmented[j] += theta[j];
    omega.predict(augmented, mu, scratch);
  };
  return search_structured_margin(polytope, predict, {.differentiable = omega.ridge().has_value()});
}

}  // namespace fenchel
