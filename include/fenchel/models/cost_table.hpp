// SPDX-License-Identifier: Apache-2.0
// What each mistake costs in training: a matrix with a row for each true class and a column for each that may
// be predicted, by the names of classes. It becomes the cost of a loss, L_Ω(θ + c_y; y) (paper §3.4).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/matrix.hpp"
#include "fenchel/losses/cost.hpp"

namespace fenchel {

/// Costs by the names of classes.
struct CostTable {
  std::vector<std::string> classes;  ///< of rows and columns; empty: the classes in their order
  Matrix<double> costs;              ///< costs(truth, predicted), finite

  /// Throws std::invalid_argument unless costs are a square of finite numbers, with a name for each row.
  void check() const;
  /// JSON: {"classes": […], "costs": [[…], …]}.
  std::string text() const;
};

/// What text() wrote, or a bare list of lists: [[0, 1], [5, 0]].
CostTable parse_cost_table(std::string_view text);

/// A file: JSON as above, or separated values (commas, semicolons, tabs or spaces). A first line of names
/// holds those of the classes, and rows may begin with theirs.
CostTable read_cost_table(const std::string& path);

/// The cost for these classes: rows and columns in their order. Throws std::invalid_argument if a class has
/// no costs, or if a name is not a class.
Cost cost_of(const CostTable& table, std::span<const std::string> classes);

}  // namespace fenchel
