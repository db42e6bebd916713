// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/nominal_column.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <string_view>
#include <unordered_set>

namespace fenchel {
namespace {

constexpr std::size_t numbers = 3;  // of a column: feature, values, one-hot

}  // namespace

void check_nominal(const std::vector<NominalColumn>& columns, std::size_t features) {
  std::size_t free = 0;  // the first feature after those of the columns before
  for (const NominalColumn& column : columns) {
    const auto refuse = [&column](const std::string& problem) {
      throw std::invalid_argument(fmt::format("nominal column '{}' {}", column.name, problem));
    };
    if (column.values.empty()) refuse("has no values; expected at least one");
    if (column.feature < free || column.feature >= features || column.width() > features - column.feature) {
      refuse(fmt::format("takes {} features from {} on; expected them between {} and {}", column.width(),
                         column.feature, free, features));
    }
    const std::unordered_set<std::string_view> different(column.values.begin(), column.values.end());
    if (different.size() != column.values.size()) refuse("has a value twice; expected different ones");
    free = column.feature + column.width();
  }
}

PackedNominal pack(const std::vector<NominalColumn>& columns) {
  PackedNominal packed;
  for (const NominalColumn& column : columns) {
    packed.texts.push_back(column.name);
    packed.texts.insert(packed.texts.end(), column.values.begin(), column.values.end());
    packed.columns.push_back(static_cast<std::int64_t>(column.feature));
    packed.columns.push_back(static_cast<std::int64_t>(column.values.size()));
    packed.columns.push_back(column.one_hot ? 1 : 0);
  }
  return packed;
}

std::vector<NominalColumn> unpack(const PackedNominal& packed) {
  const auto refuse = [&packed] {
    throw std::invalid_argument(
        fmt::format("nominal.columns does not fit the {} texts of nominal columns", packed.texts.size()));
  };
  if (packed.columns.size() % numbers != 0) refuse();
  std::vector<NominalColumn> columns;
  auto text = packed.texts.begin();
  for (std::size_t i = 0; i < packed.columns.size(); i += numbers) {
    const std::int64_t feature = packed.columns[i];
    const std::int64_t values = packed.columns[i + 1];
    const std::int64_t one_hot = packed.columns[i + 2];
    if (feature < 0 || values < 0 || values >= packed.texts.end() - text || one_hot < 0 || one_hot > 1) {
      refuse();
    }
    NominalColumn& column = columns.emplace_back();
    column.name = *text++;
    column.values.assign(text, text + values);
    column.feature = static_cast<std::size_t>(feature);
    column.one_hot = one_hot == 1;
    text += values;
  }
  if (text != packed.texts.end()) refuse();
  return columns;
}

}  // namespace fenchel
