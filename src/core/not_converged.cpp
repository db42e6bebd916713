// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/not_converged.hpp"

#include <fmt/core.h>

namespace fenchel {

NotConverged::NotConverged(std::string_view what, const Report& how)
    : std::runtime_error(fmt::format("{} is not exact: {} after {} iterations (residual {:.3g})", what,
                                     to_string(how.status), how.iterations, how.residual)),
      report(how) {}

bool is_exact(const Report& report) {
  constexpr double negligible = 1e-8;
  return report.converged() || report.residual < negligible;
}

void require_converged(std::string_view what, const Report& report) {
  if (!is_exact(report)) throw NotConverged(what, report);
}

}  // namespace fenchel
