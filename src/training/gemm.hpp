// SPDX-License-Identifier: Apache-2.0
// C = A B + beta C on row-major blocks by one thread, whatever the BLAS would choose: the threads are ours.
#pragma once

#include <cblas.h>
#include <omp.h>

#include <cstddef>

#include "fenchel/core/views.hpp"

namespace fenchel {

// While it lives, the BLAS called from this thread uses this thread only (its OpenMP variant asks OpenMP how
// many to take, and inside a parallel region it takes one anyway).
class OneBlasThread {
 public:
  OneBlasThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneBlasThread() { omp_set_num_threads(before_); }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_;
};

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
