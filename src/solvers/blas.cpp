// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/blas.hpp"

#include "solvers/lapack.hpp"

namespace fenchel {

std::string blas_description() { return openblas_get_config(); }

}  // namespace fenchel
