// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/summary.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

namespace fenchel {
namespace {

/// A number that depends on every bit of both (the finaliser of SplitMix64).
std::uint64_t mixed_bits(std::uint64_t row, double value, std::uint64_t salt) {
  std::uint64_t x = std::bit_cast<std::uint64_t>(value) + salt * (row + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// What is known of a column from its entries that are not 0. Two columns with the same sums of 128 bits
/// are taken for equal.
struct ColumnDigest {
  std::size_t entries = 0;
  double first = 0;
  bool same = true;  ///< all entries that are not 0 equal the first
  std::uint64_t low = 0, high = 0;

  void add(std::size_t row, double value) {
    if (entries++ == 0) first = value;
    same = same && value == first;
    low += mixed_bits(row, value, 0x9e3779b97f4a7c15u);
    high += mixed_bits(row, value, 0xd1342543de82ef95u);
  }
  bool constant(std::size_t rows) const { return entries == 0 || (entries == rows && same); }
};

}  // namespace

FeatureSummary summarize_features(const Dataset& data) {
  const std::size_t rows = data.rows(), cols = data.x.cols();
  std::vector<ColumnDigest> columns(cols);
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < rows; ++i) {
      x.for_each(i, [&](std::size_t j, double value) {
        if (value != 0) columns[j].add(i, value);
      });
    }
  });
  FeatureSummary result;
  std::size_t entries = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> seen;
  for (std::size_t j = 0; j < cols; ++j) {
    entries += columns[j].entries;
    if (columns[j].constant(rows)) {
      result.constant.push_back(j);
      continue;
    }
    const auto [place, added] = seen.emplace(std::pair(columns[j].low, columns[j].high), j);
    if (!added) result.duplicates.emplace_back(j, place->second);
  }
  const double cells = static_cast<double>(rows) * static_cast<double>(cols);
  result.density = cells == 0 ? 0 : static_cast<double>(entries) / cells;
  result.missing = data.imputed ? data.imputed->size() : 0;
  return result;
}

std::optional<NumberRange> target_range(const Dataset& data) {
  const auto values = data.values.entries();
  if (values.empty()) return std::nullopt;
  const auto [smallest, largest] = std::ranges::minmax(values);
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  return NumberRange{smallest, largest, mean};
}

std::string feature_name(const Dataset& data, std::size_t feature) {
  return data.feature_names.empty() ? "feature " + std::to_string(feature + 1) : data.feature_names[feature];
}

}  // namespace fenchel
