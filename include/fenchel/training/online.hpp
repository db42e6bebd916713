// SPDX-License-Identifier: Apache-2.0
// Learning from rows that come one after the other and are not kept: FTRL-Proximal (McMahan et al. 2013),
// which after every row takes the weights
//     W = argmin ⟨Σ_s g_s, W⟩ + ½ Σ_s σ_s ‖W − W_s‖² + (l2/2)‖W‖² + l1‖W‖₁,
//     g_s = x_s (ŷ_Ω(θ_s + c) − y_s)ᵀ,
// each weight with steps of its own that fall with the size of its gradients. The penalty is that of the sum
// of losses of all rows so far, as in a fit of all of them at once. There is no bound of how far the weights
// are from those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fenchel/core/features.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/training/fit.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// The choices of online learning.
struct OnlineOptions {
  Penalty penalty = {};   ///< l2 and l1; no group lasso
  bool intercept = true;  ///< a free one
  double rate = 0.5;      ///< the first step of a weight is no longer than this, > 0
  double smoothing = 1;   ///< added to the size of gradients, > 0: small gradients do not make long steps
};

/// What is kept of the rows so far.
struct OnlineState {
  std::vector<double> z;        ///< Σ g_s − Σ σ_s W_s, one per weight
  std::vector<double> squares;  ///< Σ g_s²
  std::uint64_t rows = 0;       ///< that were learned from
};

/// Weights of θ = Wᵀx + b that learn from one row after the other.
class OnlineLinear {
 public:
  OnlineLinear(FenchelYoungLoss loss, std::size_t features, std::size_t outputs,
               const OnlineOptions& options = {});

  /// A step for each row, in order; `weights` of rows may be empty. Returns the sum of the losses of rows
  /// before their steps. Throws std::invalid_argument for rows of another size, and for a row whose loss is
  /// not finite; the weights are then those from before that row.
  double learn(const FeaturesView<float>& x, const Targets<float>& y, std::span<const double> weights = {});
  double learn(const FeaturesView<double>& x, const Targets<double>& y, std::span<const double> weights = {});

  /// W and b as linear problems have them: a row of outputs for each feature, and one for the intercept.
  const std::vector<double>& parameters() const { return w_; }
  /// Goes on from these weights, as if they had been learned from no rows.
  void start_at(std::span<const double> parameters);

  std::size_t features() const { return features_; }
  std::size_t outputs() const { return outputs_; }
  const OnlineState& state() const { return sums_; }
  /// Goes on from a state of the same sizes and options; throws std::invalid_argument for any other.
  void restore(OnlineState state);

 private:
  template <Real T>
  double learn_rows(const FeaturesView<T>& x, const Targets<T>& y, std::span<const double> weights);
  // The steps of the weights of one feature, whose value is given.
  void step(std::size_t feature, double value, std::span<const double> gradient);
  double weight_of(std::size_t k, bool penalised) const;

  FenchelYoungLoss loss_;
  std::size_t features_, outputs_;
  OnlineOptions options_;
  std::vector<double> w_;  // the weights
  OnlineState sums_;
};

/// Online learning of a task, with a model at any time.
class OnlineFit {
 public:
  /// The task, classes, sizes and loss come from the first targets. Options that need all rows at once
  /// (`scale`, `kernel`, `cost`, `class_weight=balanced`) must not be set; those of solvers play no part.
  OnlineFit(const TaskTargets& targets, std::size_t features, const FitOptions& options);
  /// The same with a loss of your own.
  OnlineFit(const TaskTargets& targets, std::size_t features, const FenchelYoungLoss& loss,
            const FitOptions& options);

  /// A step for each row, in order. The targets have the classes of the first ones. Returns the sum of losses
  /// before the steps.
  double learn(const Features& x, const TaskTargets& targets, std::span<const double> weights = {});
  void start_at(const LinearModel& model);

  LinearModel model() const;
  const OnlineState& state() const { return learner_.state(); }
  void restore(OnlineState state) { learner_.restore(std::move(state)); }

 private:
  OnlineFit(const TaskTargets& targets, std::size_t features, const LossChoice& loss,
            const FitOptions& options);

  LinearModel head_;  // without weights
  bool unit_vectors_;
  bool intercept_;
  OnlineLinear learner_;
};

}  // namespace fenchel
