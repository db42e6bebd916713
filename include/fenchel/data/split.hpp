// SPDX-License-Identifier: Apache-2.0
// Rows held out from training: a fraction, or folds. The same seed gives the same rows on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fenchel/core/dataset.hpp"

namespace fenchel {

struct SplitOptions {
  std::uint64_t seed = 0;
  bool stratified = false;  ///< the first label of a row has the same share in both parts, up to rounding
};

/// Two parts of the rows, each in increasing order.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> held_out;
};

/// Holds out ⌈fraction · n⌉ of n rows (of n queries, if the data have queries: they stay whole). Throws
/// std::invalid_argument unless 0 < fraction < 1 and both parts get something.
Split split_rows(const Dataset& data, double fraction, const SplitOptions& options = {});

/// `count` splits whose held-out parts are disjoint and together all rows; their sizes differ by at most one
/// (in queries, if there are; within each label, if stratified). Throws std::invalid_argument unless
/// 2 ≤ count ≤ n.
std::vector<Split> split_folds(const Dataset& data, std::size_t count, const SplitOptions& options = {});

/// The rows of both parts. Where values were missing, what stands for them is found in the training rows
/// alone, for both parts: held-out rows have no part in it.
struct SplitData {
  Dataset train;
  Dataset held_out;
};
SplitData take_apart(const Dataset& data, const Split& split);

/// The same for `size` things without labels, such as sentences.
Split split_indices(std::size_t size, double fraction, std::uint64_t seed);
std::vector<Split> split_index_folds(std::size_t size, std::size_t count, std::uint64_t seed);

}  // namespace fenchel
