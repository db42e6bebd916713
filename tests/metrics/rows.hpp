// SPDX-License-Identifier: Apache-2.0
// A matrix from its rows, for tests.
#pragma once

#include <initializer_list>
#include <vector>

#include "fenchel/core/matrix.hpp"

namespace fenchel::test {

inline Matrix<double> rows_of(std::initializer_list<std::vector<double>> rows) {
  std::vector<double> entries;
  for (const auto& row : rows) entries.insert(entries.end(), row.begin(), row.end());
  return {rows.size(), rows.size() == 0 ? 0 : rows.begin()->size(), std::move(entries)};
}

inline MatrixView<const double> view_of(const Matrix<double>& rows) { return rows.view(); }

}  // namespace fenchel::test
