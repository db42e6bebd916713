// SPDX-License-Identifier: Apache-2.0
// A row of a data set's features, whichever way they are stored.
#pragma once

#include <cstddef>
#include <vector>

#include "fenchel/core/dataset.hpp"

namespace fenchel::test {

inline std::vector<double> row_of(const Dataset& data, std::size_t i) {
  std::vector<double> row(data.x.cols());
  data.x.visit([&](const auto& x) {
    if (!x.sparse()) {
      row.assign(x.dense_rows().row(i).begin(), x.dense_rows().row(i).end());
      return;
    }
    const auto rows = x.sparse_rows();
    for (std::size_t e = 0; e < rows.indices(i).size(); ++e) {
      row[static_cast<std::size_t>(rows.indices(i)[e])] = rows.values(i)[e];
    }
  });
  return row;
}

/// All entries of the features, row after row.
inline std::vector<double> entries_of(const Dataset& data) {
  std::vector<double> result(data.rows() * data.x.cols());
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      x.for_each(i, [&](std::size_t j, double value) { result[i * x.cols() + j] = value; });
    }
  });
  return result;
}

}  // namespace fenchel::test
