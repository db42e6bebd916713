// SPDX-License-Identifier: Apache-2.0
#include "data/known_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/label_rows.hpp"

namespace fenchel {
namespace {

constexpr std::size_t listed = 8;  // values in a message: more are no help to read

}  // namespace

std::string apply_known(const std::vector<NominalColumn>& known, bool named,
                        std::vector<FeatureColumn>& columns) {
  auto next = known.begin();
  std::size_t feature = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    FeatureColumn& column = columns[j];
    column.nominal = next != known.end() && next->feature == feature;
    column.values = {};
    if (!column.nominal) {
      ++feature;
      continue;
    }
    if (named && column.name != next->name) {
      return fmt::format("feature column {} is {}; expected {}, as in training", j + 1,
                         in_quotes(column.name), in_quotes(next->name));
    }
    column.name = next->name;
    column.one_hot = next->one_hot;
    for (const std::string& value : next->values) column.values.add(value);
    feature += next->width();
    ++next;
  }
  if (next == known.end()) return {};
  return fmt::format("{} feature columns; expected more, among them {}, as in training", columns.size(),
                     in_quotes(next->name));
}

std::string unseen_problem(std::string_view value, std::string_view kind, const FeatureColumn& column) {
  const std::size_t count = column.values.size();
  const std::size_t shown = std::min(count, listed);
  std::string expected;
  for (std::size_t v = 0; v < shown; ++v) {
    if (v > 0) expected += v + 1 == count ? " or " : ", ";
    expected += in_quotes(column.values[static_cast<std::int32_t>(v)]);
  }
  if (shown < count) expected += fmt::format(" or one of {} more", count - shown);
  return fmt::format("{} is not a value of {} {}; expected {}, as in training", in_quotes(value), kind,
                     in_quotes(column.name), expected);
}

}  // namespace fenchel
