// SPDX-License-Identifier: Apache-2.0
// A target as a cell of text: a label, a number, or a ranking `b>a=c` (best first, = or ~ between labels
// that are tied, or these in brackets: `b>{a,c}`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/label_rows.hpp"
#include "fenchel/data/options.hpp"

namespace fenchel {

std::string_view trimmed(std::string_view text);

/// Whether a target is an order, with > between labels: >50K, <b>, a->b and a=>b are labels themselves.
bool is_order(std::string_view cell);

/// A label of an order; those of the same place are tied.
struct Ranked {
  std::string_view name;
  std::int32_t place = 0;
};

/// The labels of an order such as a>b=c, best first: a>>b, a≻b, a~b, a≈b mean the same, and so do ties in
/// brackets, {a,b}>(c d). Brackets inside a name are part of it: tuna (raw). One that is missing is empty.
std::vector<Ranked> labels_of_order(std::string_view cell);

/// Where the cell at the beginning of a line ends, at a separator that is not between the brackets of ties.
std::size_t end_of_cell(std::string_view text, char separator);

/// Whether a bracket, { or [, is open at the end of a cell, or one closes that was not opened.
bool has_half_a_bracket(std::string_view cell);

/// Adds the target in `cell` to the current row of `labels`. Returns what is wrong, or "".
std::string push_labels(std::string_view cell, LabelRows& labels, TargetText text = TargetText::automatic);
/// Ends the current row of `labels` with the target in `cell`. Returns what is wrong, or "".
std::string push_target(std::string_view cell, LabelRows& labels, TargetText text = TargetText::automatic);

}  // namespace fenchel
