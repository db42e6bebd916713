// SPDX-License-Identifier: Apache-2.0
// What the smoothed and the squared pairwise hinge share where all costs are one.
#pragma once

#include <span>

#include "fenchel/core/workspace.hpp"

namespace fenchel::pairwise {

/// r_j = t/(1 − p_j) with t = 1 − max p; 1 for the largest entries, also at a vertex, where it is 0/0.
inline double ratio(double p, double top) { return p == top ? 1 : (1 - top) / (1 - p); }

/// Σ_j r_j, compensated because the slopes of Ω are of the size of d².
double sum_of_ratios(std::span<const double> p, double top);

/// The best score less the second best; inf for one class.
double top_gap(std::span<const double> theta);

/// Scores relative to the second best. Near a vertex θ_j − τ is tiny for all classes but the best, and keeps
/// its digits only if τ is near 0 too.
std::span<double> relative_scores(std::span<const double> theta, Workspace& scratch);

}  // namespace fenchel::pairwise
