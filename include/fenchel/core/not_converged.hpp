// SPDX-License-Identifier: Apache-2.0
// The error of functions that return a result without a Report, thrown where the search for it did not
// converge.
#pragma once

#include <stdexcept>
#include <string_view>

#include "fenchel/core/report.hpp"

namespace fenchel {

/// Thrown by functions that return a result alone, where the search for it ended before it was exact;
/// `report` says how. The overloads that return a Report give what was found instead.
class NotConverged : public std::runtime_error {
 public:
  NotConverged(std::string_view what, const Report& how);

  Report report;
};

/// Whether a search found what it looked for, or left a residual below 1e-8.
bool is_exact(const Report& report);

/// Throws NotConverged where a result is not exact.
void require_converged(std::string_view what, const Report& report);

}  // namespace fenchel
