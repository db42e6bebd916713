// SPDX-License-Identifier: Apache-2.0
// Rows of features times one weight a feature, both ways, for dense and sparse rows alike.
#pragma once

#include <cstddef>
#include <span>

#include "fenchel/core/features.hpp"

namespace fenchel::document_rows {

/// ⟨x_i, w⟩.
template <Real T>
double dot(const FeaturesView<T>& x, std::size_t i, std::span<const double> w) {
  double sum = 0;
  if (x.sparse()) {
    const auto indices = x.sparse_rows().indices(i);
    const auto values = x.sparse_rows().values(i);
    for (std::size_t e = 0; e < indices.size(); ++e) {
      sum += static_cast<double>(values[e]) * w[static_cast<std::size_t>(indices[e])];
    }
  } else {
    const auto row = x.dense_rows().row(i);
    for (std::size_t j = 0; j < row.size(); ++j) sum += static_cast<double>(row[j]) * w[j];
  }
  return sum;
}

/// w += scale · x_i.
template <Real T>
void add(const FeaturesView<T>& x, std::size_t i, double scale, std::span<double> w) {
  if (scale == 0) return;
  if (x.sparse()) {
    const auto indices = x.sparse_rows().indices(i);
    const auto values = x.sparse_rows().values(i);
    for (std::size_t e = 0; e < indices.size(); ++e) {
      w[static_cast<std::size_t>(indices[e])] += scale * static_cast<double>(values[e]);
    }
  } else {
    const auto row = x.dense_rows().row(i);
    for (std::size_t j = 0; j < row.size(); ++j) w[j] += scale * static_cast<double>(row[j]);
  }
}

/// ⟨center, w⟩, 0 if there is no center.
inline double centered(std::span<const double> center, std::span<const double> w) {
  double sum = 0;
  for (std::size_t j = 0; j < center.size(); ++j) sum += center[j] * w[j];
  return sum;
}

}  // namespace fenchel::document_rows
