// SPDX-License-Identifier: Apache-2.0
// What to type where training did not converge.
#pragma once

#include <string>

#include "fenchel/core/report.hpp"
#include "fenchel/training/fit.hpp"
#include "support/corpus.hpp"

namespace fenchel::cli {

/// The flags that help a fit which ended with that status; --scale only where the features differ in size.
std::string convergence_advice(Status status, const Corpus& corpus, const FitOptions& options);

}  // namespace fenchel::cli
