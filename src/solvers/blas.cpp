// SPDX-License-Identifier: Apache-2.0
#include "solvers/blas.hpp"

#include <cblas.h>

namespace fenchel {

std::string blas_description() { return openblas_get_config(); }

}  // namespace fenchel
