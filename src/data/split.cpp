// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/split.hpp"

#include <fmt/format.h>

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

/// The units that are split, rows or whole queries.
struct Units {
  explicit Units(const Dataset& data)
      : queries(data.queries), size(queries.empty() ? data.rows() : queries.size() - 1) {}
  void append(std::size_t unit, std::vector<std::size_t>& rows) const {
    if (queries.empty()) {
      rows.push_back(unit);
      return;
    }
    for (auto row = queries[unit]; row < queries[unit + 1]; ++row)
      rows.push_back(static_cast<std::size_t>(row));
  }
  const std::vector<std::int64_t>& queries;
  std::size_t size;
};

std::vector<std::size_t> order_of(const Dataset& data, const Units& units, const SplitOptions& options) {
  std::vector<std::size_t> order = shuffled(units.size, options.seed);
  return options.stratified && data.queries.empty() ? stratify(std::move(order), data.labels) : order;
}

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

void check_folds(std::size_t size, std::size_t count) {
  if (count < 2 || count > size) {
    throw std::invalid_argument(fmt::format("count is {}; expected 2 to {} folds", count, size));
  }
}

/// Whether position i is one of `count` evenly spaced ones among `size`.
bool chosen(std::size_t i, std::size_t count, std::size_t size) {
  return (i + 1) * count / size != i * count / size;
}

template <class Chosen, class Append>
Split split_by(const std::vector<std::size_t>& order, Chosen&& is_held_out, Append&& append) {
  std::vector<bool> held(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) held[order[i]] = is_held_out(i);
  Split split;
  for (std::size_t unit = 0; unit < order.size(); ++unit)
    append(unit, held[unit] ? split.held_out : split.train);
  return split;
}

}  // namespace

Split split_rows(const Dataset& data, double fraction, const SplitOptions& options) {
  const Units units(data);
  const std::size_t count = held_out_count(units.size, fraction);
  return split_by(
      order_of(data, units, options), [&](std::size_t i) { return chosen(i, count, units.size); },
      [&](std::size_t unit, auto& rows) { units.append(unit, rows); });
}

std::vector<Split> split_folds(const Dataset& data, std::size_t count, const SplitOptions& options) {
  const Units units(data);
  check_folds(units.size, count);
  const std::vector<std::size_t> order = order_of(data, units, options);
  std::vector<Split> result;
  for (std::size_t fold = 0; fold < count; ++fold) {
    result.push_back(split_by(
        order, [&](std::size_t i) { return i % count == fold; },
        [&](std::size_t unit, auto& rows) { units.append(unit, rows); }));
  }
  return result;
}

Split split_indices(std::size_t size, double fraction, std::uint64_t seed) {
  const std::size_t count = held_out_count(size, fraction);
  return split_by(
      shuffled(size, seed), [&](std::size_t i) { return chosen(i, count, size); },
      [](std::size_t unit, auto& part) { part.push_back(unit); });
}

std::vector<Split> split_index_folds(std::size_t size, std::size_t count, std::uint64_t seed) {
  check_folds(size, count);
  const std::vector<std::size_t> order = shuffled(size, seed);
  std::vector<Split> result;
  for (std::size_t fold = 0; fold < count; ++fold) {
    result.push_back(split_by(
        order, [&](std::size_t i) { return i % count == fold; },
        [](std::size_t unit, auto& part) { part.push_back(unit); }));
  }
  return result;
}

}  // namespace fenchel
