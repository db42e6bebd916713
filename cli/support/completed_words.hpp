// SPDX-License-Identifier: Apache-2.0
// Words that shells complete for options that take others too.
#pragma once

#include <string>
#include <vector>

namespace fenchel::cli {

/// The names of all Ω and of all losses.
std::vector<std::string> words_of_losses();
/// The names of all sets of structures.
std::vector<std::string> words_of_polytopes();
/// The names of all metrics.
std::vector<std::string> words_of_metrics();

}  // namespace fenchel::cli
