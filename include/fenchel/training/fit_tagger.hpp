// SPDX-License-Identifier: Apache-2.0
// Fits of taggers, driven like those of rows (training/fit.hpp).
#pragma once

#include <memory>
#include <string>

#include "fenchel/models/attributes.hpp"
#include "fenchel/training/fit.hpp"

namespace fenchel {

/// What a tagger's fit needs beside FitOptions, of which omega, penalty, lambda, rho, solver, tolerance,
/// max_iterations, threads and seed count.
struct TaggerFitOptions {
  TaggerFeatureOptions features = {};
  std::string templates = {};  ///< kept in the tagger: what made the attributes from tokens
  std::string source = {};     ///< the name of the data
};

/// A fit at its start, or at the weights of `start`, a tagger.
std::unique_ptr<Fit> make_fit(std::shared_ptr<const TaggerData> data, const FitOptions& options,
                              const TaggerFitOptions& tagger, const AnyModel* start = nullptr);

}  // namespace fenchel
