// SPDX-License-Identifier: Apache-2.0
#include "models/features_for.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/mapping.hpp"
#include "data/known_columns.hpp"
#include "data/label_rows.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel {
namespace {

/// Column j of x becomes column places[j].
template <Real T>
Features moved_columns(const FeaturesView<T>& x, const std::vector<std::int32_t>& places) {
  if (!x.sparse()) {
    Matrix<T> result(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto from = x.dense_rows().row(i);
      const auto to = result.row(i);
      for (std::size_t j = 0; j < from.size(); ++j) to[static_cast<std::size_t>(places[j])] = from[j];
    }
    return Features(std::move(result));
  }
  CsrMatrix<T> result;
  result.cols = x.cols();
  std::vector<std::pair<std::int32_t, T>> row;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const auto columns = x.sparse_rows().indices(i);
    const auto values = x.sparse_rows().values(i);
    row.clear();
    for (std::size_t e = 0; e < columns.size(); ++e) {
      row.emplace_back(places[static_cast<std::size_t>(columns[e])], values[e]);
    }
    std::ranges::sort(row, {}, &std::pair<std::int32_t, T>::first);
    for (const auto& [column, value] : row) {
      result.indices.push_back(column);
      result.values.push_back(value);
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.indices.size()));
  }
  return Features(std::move(result));
}

/// The numbers of words must be those of training. An old model says nothing about them.
void check_words(const ModelHead& model, const Dataset& data) {
  for (const NominalColumn& known : data.nominal.empty() ? std::vector<NominalColumn>() : model.nominal) {
    const auto found = std::ranges::find(data.nominal, known.name, &NominalColumn::name);
    const bool same =
        found != data.nominal.end() && found->values == known.values && found->one_hot == known.one_hot;
    if (same) continue;
    throw std::invalid_argument(
        fmt::format("{}: the values of column {} have other numbers than in the model; expected data that "
                    "read_for(model, path) has read",
                    data.source, in_quotes(known.name)));
  }
}

/// The data set is an argument here, not a file at fault.
ColumnMatch matched(const std::vector<std::string>& known, const Dataset& data) {
  try {
    return match_columns(known, data.feature_names, data.feature_names.size(), data.source);
  } catch (const DataError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace

Features features_for(const ModelHead& model, const Dataset& data) {
  const std::vector<std::string>&known = model.feature_names, &names = data.feature_names;
  if (known.empty() || names.size() != data.x.cols() || are_numbers(known) || are_numbers(names))
    return data.x;
  check_words(model, data);
  if (names == known) return data.x;
  const ColumnMatch match = matched(known, data);
  std::vector<std::int32_t> places(names.size(), -1);
  std::int32_t next = 0;
  for (const std::size_t place : match.places) places[place] = next++;
  for (std::int32_t& place : places) {
    if (place < 0) place = next++;
  }
  Features result = data.x.visit([&](const auto& x) { return moved_columns(x, places); });
  check_mappings();
  return result;
}

}  // namespace fenchel
