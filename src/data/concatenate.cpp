// SPDX-License-Identifier: Apache-2.0
// Several data sets as one.
#include <algorithm>
#include <string>
#include <utility>

#include "data/label_rows.hpp"
#include "data/readers.hpp"
#include "data/text_source.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {
namespace {

void check_parts(std::span<const Dataset> parts) {
  const Dataset& first = parts.front();
  for (const Dataset& part : parts) {
    const auto refuse = [&part](const char* what) {
      throw DataError(part.source, 0, 0, std::string(what) + " differs from the first file's");
    };
    if (part.x.single() != first.x.single()) refuse("the precision");
    if (part.x.sparse() != first.x.sparse()) refuse("the storage (dense or sparse)");
    if (!part.x.sparse() && part.x.cols() != first.x.cols()) refuse("the number of features");
    if (part.feature_names != first.feature_names) refuse("the list of features");
    if ((part.labels.rows() > 0) != (first.labels.rows() > 0)) refuse("whether there are labels");
    if (part.values.cols() != first.values.cols()) refuse("the number of target values");
    if (part.queries.empty() != first.queries.empty()) refuse("whether there are queries");
    if (part.weights.empty() != first.weights.empty()) refuse("whether there are weights");
    if (part.nominal != first.nominal) refuse("what the values of nominal columns are");
    if (part.fill != first.fill) refuse("what stands for missing values");
  }
}

template <Real T>
Features join_features(std::span<const Dataset> parts) {
  const auto view = [](const Dataset& part) {
    return part.x.visit([](const auto& x) {
      if constexpr (std::is_same_v<std::decay_t<decltype(x)>, FeaturesView<T>>) return x;
      return FeaturesView<T>();
    });
  };
  std::size_t rows = 0;
  std::size_t cols = 0;
  for (const Dataset& part : parts) {
    rows += part.rows();
    cols = std::max(cols, part.x.cols());
  }
  if (!parts.front().x.sparse()) {
    Matrix<T> x(rows, cols);
    std::size_t i = 0;
    for (const Dataset& part : parts) {
      const FeaturesView<T> from = view(part);
      for (std::size_t k = 0; k < from.rows(); ++k, ++i) {
        std::copy_n(from.dense_rows().row(k).data(), cols, x.row(i).data());
      }
    }
    return Features(std::move(x));
  }
  CsrMatrix<T> x;
  x.cols = cols;
  for (const Dataset& part : parts) {
    const CsrView<T> from = view(part).sparse_rows();
    for (std::size_t k = 0; k < from.rows(); ++k) {
      x.indices.insert(x.indices.end(), from.indices(k).begin(), from.indices(k).end());
      x.values.insert(x.values.end(), from.values(k).begin(), from.values(k).end());
      x.offsets.push_back(static_cast<std::int64_t>(x.indices.size()));
    }
  }
  return Features(std::move(x));
}

Labels join_labels(std::span<const Dataset> parts) {
  StringTable table;
  for (const Dataset& part : parts) {
    for (const std::string& name : part.labels.names) table.add(name);
  }
  const bool weighted = std::any_of(parts.begin(), parts.end(),
                                    [](const Dataset& part) { return !part.labels.weights.empty(); });
  const bool ordered = std::any_of(parts.begin(), parts.end(),
                                   [](const Dataset& part) { return !part.labels.places.empty(); });
  Labels result;
  result.names = table.strings();
  const std::vector<std::int32_t> place = sort_names(result.names);
  for (const Dataset& part : parts) {
    const auto before = static_cast<std::int64_t>(result.indices.size());
    for (const std::int32_t index : part.labels.indices) {
      const std::string& name = part.labels.names[static_cast<std::size_t>(index)];
      result.indices.push_back(place[static_cast<std::size_t>(table.find(name))]);
    }
    for (std::size_t i = 0; i < part.labels.rows(); ++i) {
      result.offsets.push_back(before + part.labels.offsets[i + 1]);
    }
    result.weights.insert(result.weights.end(), part.labels.weights.begin(), part.labels.weights.end());
    if (weighted) result.weights.resize(result.indices.size(), 1);
    result.places.insert(result.places.end(), part.labels.places.begin(), part.labels.places.end());
    if (ordered) result.places.resize(result.indices.size(), 0);
  }
  return result;
}

}  // namespace

Dataset concatenate(std::span<const Dataset> parts) {
  if (parts.size() == 1) return parts.front();
  check_parts(parts);
  const Dataset& first = parts.front();
  Dataset result;
  result.x = first.x.single() ? join_features<float>(parts) : join_features<double>(parts);
  result.feature_names = first.feature_names;
  result.fill = first.fill;
  result.nominal = first.nominal;
  const bool imputed =
      std::all_of(parts.begin(), parts.end(), [](const Dataset& part) { return part.imputed.has_value(); });
  if (imputed) result.imputed.emplace();
  result.labels = join_labels(parts);
  std::vector<double> values;
  std::size_t rows = 0;
  if (!first.queries.empty()) result.queries.push_back(0);
  for (const Dataset& part : parts) {
    values.insert(values.end(), part.values.entries().begin(), part.values.entries().end());
    result.weights.insert(result.weights.end(), part.weights.begin(), part.weights.end());
    for (const ImputedCell& cell : imputed ? *part.imputed : std::vector<ImputedCell>()) {
      result.imputed->push_back({rows + cell.row, cell.feature});
    }
    for (std::size_t q = 1; q < part.queries.size(); ++q) {
      result.queries.push_back(static_cast<std::int64_t>(rows) + part.queries[q]);
    }
    rows += part.rows();
  }
  if (!values.empty()) result.values = Matrix<double>(rows, first.values.cols(), std::move(values));
  return result;
}

}  // namespace fenchel
