// SPDX-License-Identifier: Apache-2.0
// Scores and penalties of linear and kernel models, from the numbers in their files and the data as they were
// read.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "fenchel/core/dataset.hpp"
#include "fenchel/models/kernel_predictor.hpp"
#include "fenchel/models/linear_model.hpp"
#include "training/verify/plain_problem.hpp"

namespace fenchel::plain {

/// (l2/2)‖W‖² + l1‖W‖₁ + group Σ_j ‖W_j‖.
struct Strengths {
  double l2 = 0;
  double l1 = 0;
  double group = 0;

  bool none() const { return l2 == 0 && l1 == 0 && group == 0; }
};
/// Throws std::invalid_argument unless the name is none, l2, l1, elastic_net or group_lasso, and lambda and
/// rho are ≥ 0.
Strengths strengths_of(const Certificate& certificate);

/// Where nothing is penalised the optimum may lie at infinity: what is proved then is about all parameters of
/// a norm up to this many times the model's (or 1 if that is less).
inline constexpr double radius_factor = 10;

/// The norm up to which a bound holds; infinite where something is penalised.
double radius_of(const LinearModel& model, const Strengths& strengths);

std::unique_ptr<Model> plain_model(const LinearModel& model, const Features& x,
                                   const Certificate& certificate);
std::unique_ptr<Model> plain_model(const KernelPredictor& model, const Features& x,
                                   const Certificate& certificate);

/// What the scaling of the features should be; throws std::invalid_argument naming the first feature for
/// which the model has another.
void check_scaling(const Scaler& scaler, const Features& x, std::span<const double> weights);

}  // namespace fenchel::plain
