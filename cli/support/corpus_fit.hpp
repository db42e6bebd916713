// SPDX-License-Identifier: Apache-2.0
// From a corpus to a model, whatever its kind.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "fenchel/models/model_file.hpp"
#include "fenchel/training/fit.hpp"
#include "support/corpus.hpp"

namespace fenchel::cli {

/// A fit at its start.
std::unique_ptr<Fit> make_fit(const Corpus& corpus, const FitOptions& options);
/// What the model should remember of the data and the flags.
void finish_model(AnyModel& model, const Corpus& corpus, double temperature);

/// All that a step of the fit depends on, as text under the names of the flags: what a run and the checkpoint
/// that it resumes must have in common.
std::map<std::string, std::string> identity_of(const Corpus& corpus, const FitOptions& options);

}  // namespace fenchel::cli
