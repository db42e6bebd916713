// SPDX-License-Identifier: Apache-2.0
// Which numbers stand for the values of a column that holds names: found in training, kept in the model, and
// used for whatever it reads later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fenchel {

/// A column whose values are names.
struct NominalColumn {
  std::string name;
  std::vector<std::string> values;  ///< the number of a value is its position
  std::size_t feature = 0;          ///< the first column of x that it takes
  bool one_hot = false;             ///< one column of x per value; else one column, the number of the value

  std::size_t width() const { return one_hot ? values.size() : 1; }
  bool operator==(const NominalColumn&) const = default;
};

/// Throws std::invalid_argument unless the columns come in order, lie within the features, and each has
/// values, none of them twice.
void check_nominal(const std::vector<NominalColumn>& columns, std::size_t features);

/// The same as lists that files can hold.
struct PackedNominal {
  std::vector<std::string> texts;     ///< name and values of the first column, then of the next
  std::vector<std::int64_t> columns;  ///< feature, number of values, and whether one-hot (1 or 0), of each
};
PackedNominal pack(const std::vector<NominalColumn>& columns);
/// Throws std::invalid_argument if the lists do not fit each other.
std::vector<NominalColumn> unpack(const PackedNominal& packed);

}  // namespace fenchel
