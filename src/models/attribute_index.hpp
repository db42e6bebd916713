// SPDX-License-Identifier: Apache-2.0
// Looking up many names at once. A table of a few hundred thousand names does not fit the caches, so the time
// of a lookup is that of two or three misses; asked for ahead, for a block of names, they overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fenchel/data/string_table.hpp"

namespace fenchel {

/// The numbers of the strings of a table, which must outlive it and stay as it is.
class AttributeIndex {
 public:
  explicit AttributeIndex(const StringTable& table);

  /// The number of every name; −1 for those that the table lacks.
  void find(std::span<const std::string_view> names, std::span<std::int32_t> ids) const;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t id = -1;
  };

  const StringTable& table_;
  std::vector<Slot> slots_;  // open addressing, a power of two
};

}  // namespace fenchel
