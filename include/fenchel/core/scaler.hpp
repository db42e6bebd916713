// SPDX-License-Identifier: Apache-2.0
// Scaling of features, x' = (x − mean) / scale per column, fitted on training data and kept with the model.
// Sparse rows stay sparse: they are divided only, and the mean is handed back for the trainer to subtract
// implicitly (LinearProblem::center).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"

namespace fenchel {

/// What a column is scaled to.
enum class Scaling {
  none,      ///< x' = x
  standard,  ///< mean 0, standard deviation 1 (zeros included; a constant column is only shifted)
  maxabs,    ///< within [−1, 1]: divided by its largest absolute value (a column of zeros stays)
};

/// "none", "standard", "maxabs".
std::string_view scaling_name(Scaling scaling);
/// Throws std::invalid_argument for any other name.
Scaling scaling_called(std::string_view name);

/// Features after scaling, and what is still to be subtracted from every row: empty if nothing is.
struct ScaledFeatures {
  Features x;
  std::vector<double> center;
};

/// x' = (x − mean) / scale, column by column.
struct Scaler {
  Scaling scaling = Scaling::none;
  std::vector<double> mean;   ///< empty unless standard
  std::vector<double> scale;  ///< > 0; empty for none

  /// Computes mean and scale in one pass over x. Rows count with their weights, if there are any: one of
  /// weight 0 has no part in them. Throws std::invalid_argument if a column overflows, which it calls by its
  /// name where there are names.
  static Scaler fit(const Features& x, Scaling scaling, std::span<const double> weights = {},
                    std::span<const std::string> names = {});

  /// A scaled copy (x itself for none). Throws std::invalid_argument if x has another number of columns.
  ScaledFeatures apply(const Features& x) const;

  /// Scales in place.
  void apply(Matrix<float>& x) const;
  void apply(Matrix<double>& x) const;
  /// Divides in place; center() is still to be subtracted.
  void apply(CsrMatrix<float>& x) const;
  void apply(CsrMatrix<double>& x) const;

  /// mean / scale: what to subtract from rows that were only divided. Empty unless standard.
  std::vector<double> center() const;

  bool operator==(const Scaler&) const = default;
};

}  // namespace fenchel
