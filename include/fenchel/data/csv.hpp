// SPDX-License-Identifier: Apache-2.0
// Separated values (CSV) with a header: commas, semicolons or tabs, whichever the first line has most of;
// quotes as in RFC 4180 (a quoted field may hold separators, doubled quotes and line ends).
#pragma once

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

/// Reads rows. The target is the column options.target, or the last one; "-" means that there is none. A cell
/// `b>a>c` of it is a ranking: labels in that order. A column whose first cell is a number is numeric and
/// stays so; others are nominal, their values in byte order (by value if all are numbers), unless
/// options.nominal_columns says which are nominal and what their values are. An empty cell, `?` and `NA` are
/// missing. A first line of numbers only is data: columns are then called 1, 2, ….
Dataset read_csv(const Paths& paths, const ReadOptions& options = {});

}  // namespace fenchel
