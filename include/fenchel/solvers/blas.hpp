// SPDX-License-Identifier: Apache-2.0
// Which linear algebra library stands behind the small factorisations.
#pragma once

#include <string>

namespace fenchel {

/// The BLAS's own description of itself: name, version, CPU core it was chosen for.
std::string blas_description();

}  // namespace fenchel
