// SPDX-License-Identifier: Apache-2.0
// Separated values (CSV), with a header or without one: commas, semicolons, tabs, bars or blanks, whichever
// cuts the first lines into the same number of fields; quotes as in RFC 4180 (a quoted field may hold
// separators, doubled quotes and line ends, all of which stay as they are).
#pragma once

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"

namespace fenchel {

/// Reads rows. The target is the column options.target, or the last one; "-" means that there is none. A cell
/// `b>a>c` of it is a ranking: labels in that order. A column whose first cell is a number is numeric and
/// stays so; others are nominal, their values in byte order (by value if all are numbers), unless
/// options.nominal_columns says which are nominal and what their values are. An empty cell, `?` and `NA` are
/// missing. Whether the first line is a header is judged by those below it, unless options.header says so;
/// columns without names are called 1, 2, ….
Dataset read_csv(const Paths& paths, const ReadOptions& options = {});

}  // namespace fenchel
