// SPDX-License-Identifier: Apache-2.0
// A target as a cell of text: a label, a number, or a ranking `b>a=c` (best first, = or ~ between labels
// that are tied, or these in brackets: `b>{a,c}`).
#pragma once

#include <string>
#include <string_view>

#include "data/label_rows.hpp"

namespace fenchel {

std::string_view trimmed(std::string_view text);

/// Whether a target is an order, with > between labels: >50K, <b>, a->b and a=>b are labels themselves.
bool is_order(std::string_view cell);

/// Adds the target in `cell` to the current row of `labels`. Returns what is wrong, or "".
std::string push_labels(std::string_view cell, LabelRows& labels);
/// Ends the current row of `labels` with the target in `cell`. Returns what is wrong, or "".
std::string push_target(std::string_view cell, LabelRows& labels);

}  // namespace fenchel
