// SPDX-License-Identifier: Apache-2.0
// The ops of fenchel eval that ask a polytope's oracles: {"op": "marginals", "polytope": {…}, "theta": […]}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"

namespace fenchel::cli {

/// The result of one op; T is the precision of the scores and of the result. Structures are written as dense
/// lists.
template <Real T>
nlohmann::json evaluate_structures(const std::string& op, const nlohmann::json& item, Report& report);

}  // namespace fenchel::cli
