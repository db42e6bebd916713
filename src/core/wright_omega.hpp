// SPDX-License-Identifier: Apache-2.0
// The Wright omega function: ω(x) is the w > 0 with w + log w = x (paper, appendix A.1).
#pragma once

namespace fenchel {

/// ω(x), to a few units in the last place for every finite x: e^x for very negative x, about x − log x for
/// large x.
double wright_omega(double x);

}  // namespace fenchel
