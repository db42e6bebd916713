// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/matrix.hpp"

namespace fenchel {
namespace {

template <Real T>
CsrMatrix<T> transpose_of(const CsrView<T>& a) {
  CsrMatrix<T> result;
  result.cols = a.rows();
  result.offsets.assign(a.cols() + 1, 0);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (const std::int32_t column : a.indices(i)) ++result.offsets[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t j = 0; j < a.cols(); ++j) result.offsets[j + 1] += result.offsets[j];
  result.indices.resize(a.size());
  result.values.resize(a.size());
  std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const auto columns = a.indices(i);
    const auto values = a.values(i);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(columns[e])]++);
      result.indices[place] = static_cast<std::int32_t>(i);
      result.values[place] = values[e];
    }
  }
  return result;
}

}  // namespace

CsrMatrix<float> transpose(const CsrView<float>& a) { return transpose_of(a); }
CsrMatrix<double> transpose(const CsrView<double>& a) { return transpose_of(a); }

}  // namespace fenchel
