// SPDX-License-Identifier: Apache-2.0
// Labels as a reader meets them, row by row; at the end, the Labels and numeric targets of a Dataset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fenchel/core/dataset.hpp"
#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// The name of a label as written: the shortest text of its value if it is a number of at most 15 digits
/// (which doubles tell apart), so that +1, 1.0 and 1 are one label; else the text itself.
std::string label_name(std::string_view written);

/// `text` in quotes for a message: cut if it is long, bytes that do not print shown as \xNN.
std::string in_quotes(std::string_view text);

/// Collects labels.
class LabelRows {
 public:
  /// The number of a label as written.
  std::int32_t id(std::string_view written) { return table_.add(written); }
  /// Adds a label to the current row.
  void push(std::int32_t id) {
    ids_.push_back(id);
    if (!weights_.empty()) weights_.push_back(1);
  }
  /// Adds a label with a proportion; labels without one count as 1.
  void push(std::int32_t id, double weight) {
    weights_.resize(ids_.size(), 1);
    ids_.push_back(id);
    weights_.push_back(weight);
  }
  /// Adds a label of an order: those with the same place are tied.
  void push_at(std::int32_t id, std::int32_t place) {
    places_.resize(ids_.size(), 0);
    ids_.push_back(id);
    places_.push_back(place);
  }
  void end_row() { ends_.push_back(static_cast<std::int64_t>(ids_.size())); }
  std::size_t rows() const { return ends_.size() - 1; }

  /// Fills labels and values; nothing if no row has a label.
  void finish(Dataset& data);
  /// Whether orders had groups of tied labels that were written as one word (`b>acd`). To be asked after
  /// finish.
  bool had_groups() const { return had_groups_; }

 private:
  bool are_groups() const;
  void split_groups();
  /// Orders of one place, a=b=c or {a,b,c}, beside others.
  void split_ties();

  StringTable table_;
  std::vector<std::int32_t> ids_;
  std::vector<double> weights_;
  std::vector<std::int32_t> places_;
  bool had_groups_ = false;
  std::vector<std::int64_t> ends_{0};
};

/// Sorts names by value if all are numbers, else by bytes, and returns the new place of each.
std::vector<std::int32_t> sort_names(std::vector<std::string>& names);

}  // namespace fenchel
