// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/split.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "fenchel/core/random.hpp"

namespace fenchel {
namespace {

/// 0, …, size − 1 in random order.
std::vector<std::size_t> shuffled(std::size_t size, std::uint64_t seed) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// Rows of one label put together, in the random order they were in: evenly spaced positions then have every
/// label in its share, up to one row.
std::vector<std::size_t> stratify(std::vector<std::size_t> order, const Labels& labels) {
  if (labels.rows() != order.size()) return order;
  const auto label = [&labels](std::size_t row) {
    return labels.row(row).empty() ? std::int32_t{-1} : labels.row(row)[0];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return label(a) < label(b); });
  return order;
}

/// What is split: rows, whole queries, or numbers; in random order.
struct Units {
  explicit Units(std::vector<std::size_t> order) : order(std::move(order)) {}
  Units(const Dataset& data, const SplitOptions& options)
      : order(shuffled(data.queries.empty() ? data.rows() : data.queries.size() - 1, options.seed)),
        queries(data.queries) {
    if (options.stratified && queries.empty()) order = stratify(std::move(order), data.labels);
  }
  void append(std::size_t unit, std::vector<std::size_t>& rows) const {
    if (queries.empty()) {
      rows.push_back(unit);
      return;
    }
    for (auto row = queries[unit]; row < queries[unit + 1]; ++row)
      rows.push_back(static_cast<std::size_t>(row));
  }
  std::vector<std::size_t> order;
  std::span<const std::int64_t> queries;
};

std::size_t held_out_count(std::size_t size, double fraction) {
  if (!(fraction > 0 && fraction < 1)) {
    throw std::invalid_argument(fmt::format("fraction is {}; expected a number between 0 and 1", fraction));
  }
  // The product may lie a rounding error above a whole number (0.07 · 100): that is not one row more.
  const double exact = fraction * static_cast<double>(size);
  const double rounded = std::round(exact);
  const double count = std::abs(exact - rounded) < 1e-9 * exact ? rounded : std::ceil(exact);
  const auto result = static_cast<std::size_t>(count);
  if (result == 0 || result >= size) {
    throw std::invalid_argument(fmt::format("fraction {} of {} leaves one part empty", fraction, size));
  }
  return result;
}

/// Holds out what stands at the chosen positions of the order.
template <class Chosen>
Split split_by(const Units& units, Chosen is_held_out) {
  std::vector<bool> held(units.order.size());
  for (std::size_t i = 0; i < held.size(); ++i) held[units.order[i]] = is_held_out(i);
  Split split;
  for (std::size_t unit = 0; unit < held.size(); ++unit)
    units.append(unit, held[unit] ? split.held_out : split.train);
  return split;
}

Split hold_out(const Units& units, double fraction) {
  const std::size_t size = units.order.size(), count = held_out_count(size, fraction);
  // Evenly spaced positions.
  return split_by(units, [&](std::size_t i) { return (i + 1) * count / size != i * count / size; });
}

std::vector<Split> folds(const Units& units, std::size_t count) {
  if (count < 2 || count > units.order.size()) {
    throw std::invalid_argument(
        fmt::format("count is {}; expected 2 to {} folds", count, units.order.size()));
  }
  std::vector<Split> result;
  for (std::size_t fold = 0; fold < count; ++fold) {
    result.push_back(split_by(units, [&](std::size_t i) { return i % count == fold; }));
  }
  return result;
}

}  // namespace

Split split_rows(const Dataset& data, double fraction, const SplitOptions& options) {
  return hold_out(Units(data, options), fraction);
}

std::vector<Split> split_folds(const Dataset& data, std::size_t count, const SplitOptions& options) {
  return folds(Units(data, options), count);
}

SplitData take_apart(const Dataset& data, const Split& split) {
  SplitData parts{select_rows(data, split.train), select_rows(data, split.held_out)};
  if (!data.imputed) return parts;
  const std::vector<double> fill = fill_of(parts.train);
  return {with_fill(parts.train, fill), with_fill(parts.held_out, fill)};
}

Split split_indices(std::size_t size, double fraction, std::uint64_t seed) {
  return hold_out(Units(shuffled(size, seed)), fraction);
}

std::vector<Split> split_index_folds(std::size_t size, std::size_t count, std::uint64_t seed) {
  return folds(Units(shuffled(size, seed)), count);
}

}  // namespace fenchel
