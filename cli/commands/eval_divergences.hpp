// SPDX-License-Identifier: Apache-2.0
// The ops of `fenchel eval` on divergences, risks, proper losses (paper §3.2, §3.3, §10.1) and binary margin
// losses (§4.4).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fenchel/regularizers/any.hpp"

namespace fenchel::cli {

/// The result of an op that takes an Ω; nothing for any other op.
std::optional<nlohmann::json> evaluate_divergence(const std::string& op, const AnyRegularizer& omega,
                                                  const nlohmann::json& item);

/// The same for ops without an Ω: kullback_leibler, brier_score, project onto a set, and binary_loss by a
/// name.
std::optional<nlohmann::json> evaluate_plain(const std::string& op, const nlohmann::json& item);

}  // namespace fenchel::cli
