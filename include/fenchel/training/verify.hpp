// SPDX-License-Identifier: Apache-2.0
// Models that carry their proof. A certificate (models/certificate.hpp) holds a dual point μ; verify() finds
// the objective P of the model and the dual value D of μ again from the data, and by weak duality
//   P − optimum ≤ P − D,
// however the model was found and by whom. The code is plain and its own (src/training/verify): loops in
// double precision with definitions and bisection, no SIMD, no solver, no loss of the library. What it shares
// with training is the reading of files, of targets and of class weights.
//
// Linear and kernel models of every Ω with plain formulas are verified: all over the simplex but the pairwise
// hinges and Rényi with β > 1, all of cubes, and those of numbers. Orders and taggers are not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/models/task_targets.hpp"
#include "fenchel/training/fit.hpp"

namespace fenchel {

/// What is known about a model after verification.
struct Verification {
  bool verified = false;  ///< all that the certificate says is so, and gap ≤ tolerance · |primal|
  double primal = 0;      ///< the objective of the model
  double dual = 0;        ///< a lower bound of the optimum
  double gap = 0;         ///< primal − dual: the objective is at most this much above the optimum
  double relative = 0;    ///< gap / |primal|
  double tolerance = 0;   ///< as asked, or that of training, at most 0.01
  /// How far the stored point was from Σ w_i (y_i − μ_i) = 0, relative to Σ w_i, which a free intercept
  /// needs. The dual value is that of a point moved there, so that it is a bound all the same.
  double imbalance = 0;
  /// Where nothing is penalised the optimum may lie at infinity: the bound is about all weights of a norm up
  /// to this. Infinite otherwise.
  double radius = 0;
  std::vector<std::string> problems;  ///< why it is not verified, in words
};

/// The training examples, as a model's certificate should have seen them.
struct VerificationData {
  const Features& x;  ///< not scaled
  const TaskTargets& targets;
  std::span<const double> weights = {};  ///< of the examples, without class weights; all 1 if empty
};

/// Verifies a model with its certificate; `tolerance` instead of that of training (at most 0.01) where it is
/// given. Throws std::invalid_argument where there is no certificate, or no plain formulas for the model.
Verification verify(const AnyModel& model, const VerificationData& data,
                    std::optional<double> tolerance = {});
/// The same with targets read from the data set, whose rows without a target are left out.
Verification verify(const AnyModel& model, const Dataset& data, std::optional<double> tolerance = {});

/// Gives a model the certificate of the fit that made it: μ from the algorithm where that keeps dual
/// variables, else the predictions ŷ_Ω(θ_i), which are the best μ for given parameters. Returns what verify()
/// says.
Verification certify(AnyModel& model, const Fit& fit, const VerificationData& data);
Verification certify(AnyModel& model, const Fit& fit, const Dataset& data);

}  // namespace fenchel
