// SPDX-License-Identifier: Apache-2.0
#include "regularizers/pairwise_tools.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fenchel/core/numeric.hpp"

namespace fenchel::pairwise {
namespace {

// The two best scores; the second is −inf for one class.
std::pair<double, double> two_best(std::span<const double> theta) {
  double first = -infinity;
  double second = -infinity;
  for (const double score : theta) {
    if (score > first) {
      second = first;
      first = score;
    } else {
      second = std::max(second, score);
    }
  }
  return {first, second};
}

}  // namespace

double sum_of_ratios(std::span<const double> p, double top) {
  CompensatedSum sum;
  for (const double entry : p) sum += ratio(entry, top);
  return sum.value();
}

double top_gap(std::span<const double> theta) {
  const auto [first, second] = two_best(theta);
  return first - second;
}

std::span<double> relative_scores(std::span<const double> theta, Workspace& scratch) {
  const double second = two_best(theta).second;
  const auto scores = scratch.take<double>(theta.size());
  for (std::size_t j = 0; j < scores.size(); ++j) scores[j] = theta[j] - second;
  return scores;
}

}  // namespace fenchel::pairwise
