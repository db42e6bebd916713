// SPDX-License-Identifier: Apache-2.0
// Pearson's test of frequencies, in a file of its own because Boost.Math takes the compiler a while.
#pragma once

namespace fenchel::test {

/// P(χ² ≥ statistic) for the given degrees of freedom.
double chi_squared_tail(double statistic, double degrees);

}  // namespace fenchel::test
