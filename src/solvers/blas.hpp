// SPDX-License-Identifier: Apache-2.0
// Which linear algebra library stands behind the factorisations and products, and how many threads it takes.
#pragma once

#include <omp.h>

#include <string>

namespace fenchel {

/// The BLAS's own description of itself: name, version, CPU core it was chosen for.
std::string blas_description();

/// While it lives, the BLAS called from this thread uses this thread only, so that bits do not depend on the
/// number of threads and small systems do not wait for them. (Its OpenMP variant asks OpenMP how many to
/// take; inside a parallel region it takes one anyway.)
class OneBlasThread {
 public:
  OneBlasThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneBlasThread() { omp_set_num_threads(before_); }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_;
};

}  // namespace fenchel
