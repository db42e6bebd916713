// SPDX-License-Identifier: Apache-2.0
// The smooth part F of a training objective, as a sum over shards of examples. Algorithms ask for evaluations
// and never see the data, so that they need not know where shards live (memory, disk, other machines).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/training/curvature.hpp"
#include "fenchel/training/penalty.hpp"

namespace fenchel {

/// F(W) = Σ over shards. The same bits for any number of threads: shards are added in their order, and what
/// happens inside one depends on the data alone.
class Objective {
 public:
  virtual ~Objective() = default;

  virtual ParameterShape shape() const = 0;
  virtual std::size_t shards() const = 0;
  /// Adds the gradient of one shard to `gradient` and returns its value.
  virtual double accumulate(std::size_t shard, std::span<const double> w, std::span<double> gradient) = 0;
  /// How the predictions behind the evaluations so far went: the worst of them.
  virtual Report predictions() const { return {}; }

  /// Values of F are rounded by about this share of themselves; 0: as double precision rounds.
  virtual double noise() const { return 0; }

  /// What is known about the shape of F beforehand.
  virtual Curvature curvature() const { return {}; }
  /// Curvature between rows of parameters: one matrix per output near w, or one for all if w is empty. The
  /// cost is in evaluations; infinite: unknown.
  virtual std::vector<Matrix<double>> joint_curvature(std::span<const double> /*w*/) const { return {}; }
  virtual double joint_curvature_cost() const { return infinity; }
  /// Whether a matrix for each output is small beside the data: algorithms use them at every evaluation.
  virtual bool joint_curvature_by_output() const { return false; }

  /// F(w); ∇F(w) goes into `gradient`.
  double evaluate(std::span<const double> w, std::span<double> gradient);
};

}  // namespace fenchel
