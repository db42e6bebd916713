// SPDX-License-Identifier: Apache-2.0
// Choosing parameters by a grid: every setting is fitted and judged on held-out data. Settings that differ in
// λ alone are a path, walked from strong to weak with each fit starting at the one before; paths run in
// parallel. Fits of one kernel share its Gram matrix.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/training/fit.hpp"

namespace fenchel {

/// One parameter of the grid: `lambda`, `rho`, `temperature` (of predictions, costs no fit), a parameter of
/// the kernel such as `kernel.gamma`, or one of Ω such as `alpha`. Taggers have the first three.
struct GridAxis {
  std::string name;
  std::vector<double> values;
};
/// Reads "alpha=1:2:0.1" (from, to, step), "lambda=1e-4:1e4:log" (powers of ten; "log2" halves the steps of
/// the exponent, and so on) or "alpha=1,1.5,2". Throws std::invalid_argument saying what is wrong.
GridAxis parse_axis(std::string_view text);

/// Data to fit on and data to judge by.
struct TuneSplit {
  Dataset train;
  Dataset valid;
};
/// The same for taggers.
struct TaggerTuneSplit {
  std::shared_ptr<const TaggerData> train;
  std::shared_ptr<const TaggerData> valid;
};

/// A setting and how it did.
struct TuneRow {
  std::map<std::string, double> setting;  ///< value by axis
  double mean = 0;                        ///< of the metric over the splits
  double deviation = 0;                   ///< its standard deviation (n − 1); 0 for one split
  double support = 0;                     ///< mean number of outputs that are not 0, where that makes sense
  Report report;                          ///< the worst of the fits
};

struct TuneOptions {
  FitOptions fit;              ///< what the grid does not set
  std::vector<GridAxis> grid;  ///< at least one axis
  std::string metric = {};     ///< to be tuned for; empty: the task's own
  bool warm_start = true;      ///< along λ
  /// Called after every fit with the number done and their total, one call at a time; `false` stops.
  std::function<bool(std::size_t done, std::size_t total)> observer = {};
};

struct TuneResult {
  Task task = Task::classification;
  std::string metric;
  std::vector<TuneRow> rows;  ///< in the order of the grid, the last axis fastest
  std::size_t best = 0;       ///< the best row; of equals inside the grid, then the strongest penalty
  bool complete = true;       ///< false if the observer stopped it: rows that were not finished are left out
};

/// An axis whose best value is its smallest or its largest, and where to look further.
struct GridEdge {
  std::string name;
  double value = 0;
  GridAxis next;  ///< the same steps beyond it
};
/// Of the winner; an axis along which all settings do alike has none.
std::vector<GridEdge> edges_of(const TuneResult& result, const std::vector<GridAxis>& grid);

/// Fits the whole grid. Throws std::invalid_argument for an axis that neither Ω nor the kernel has.
TuneResult tune(const std::vector<TuneSplit>& splits, const TuneOptions& options);
TuneResult tune(const std::vector<TaggerTuneSplit>& splits, const TuneOptions& options);

/// The options of a fit with the setting of a row (`temperature` belongs to the model, not to the fit).
FitOptions apply_setting(const FitOptions& options, const std::map<std::string, double>& setting);

}  // namespace fenchel
