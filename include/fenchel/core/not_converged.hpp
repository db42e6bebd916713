// SPDX-License-Identifier: Apache-2.0
// What functions that return a result without a Report do where the search for it was not successful.
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

/// Throws NotConverged where a residual above 1e-8 is left.
void require_converged(std::string_view what, const Report& report);

}  // namespace fenchel
