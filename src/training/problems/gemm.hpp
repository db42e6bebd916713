// SPDX-License-Identifier: Apache-2.0
// C = A B + beta C on row-major blocks by one thread, whatever the BLAS would choose: the threads are ours.
#pragma once

#include <cblas.h>

#include <cstddef>

#include "fenchel/core/views.hpp"
#include "solvers/blas.hpp"

namespace fenchel {

template <Real T>
void multiply(MatrixView<const T> a, bool transpose_a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  const auto mode = transpose_a ? CblasTrans : CblasNoTrans;
  const auto m = static_cast<blasint>(c.rows());
  const auto n = static_cast<blasint>(c.cols());
  const auto k = static_cast<blasint>(b.rows());
  const auto lda = static_cast<blasint>(a.stride());
  const auto ldb = static_cast<blasint>(b.stride());
  const auto ldc = static_cast<blasint>(c.stride());
  const OneBlasThread guard;
  if constexpr (std::same_as<T, float>) {
    cblas_sgemm(CblasRowMajor, mode, CblasNoTrans, m, n, k, 1, a.data(), lda, b.data(), ldb, beta, c.data(),
                ldc);
  } else {
    cblas_dgemm(CblasRowMajor, mode, CblasNoTrans, m, n, k, 1, a.data(), lda, b.data(), ldb, beta, c.data(),
                ldc);
  }
}

}  // namespace fenchel
