// SPDX-License-Identifier: Apache-2.0
// Small models, checkpoints and caches of every kind, as the bytes of their files: what the fuzz targets
// start from and what the campaign of damaged files damages.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/training/fit.hpp"

namespace fenchel::fuzz {

std::vector<std::string> sample_models();
std::vector<std::string> sample_caches();
/// Of every solver on every kind of problem that it does not refuse, after a step.
std::vector<std::string> sample_checkpoints();

/// The entry of a checkpoint's identity that says what it is of: "lbfgs rows", …
inline constexpr const char* kind_key = "kind";
/// A fit of that kind at its start; the first of all for a kind that there is not.
std::unique_ptr<Fit> fit_of_kind(const std::string& kind);

/// What `bytes` functions of the library give, as a string.
std::string bytes_of(const AnyModel& model);

}  // namespace fenchel::fuzz
