// SPDX-License-Identifier: Apache-2.0
// Strings numbered in the order of their first appearance, each kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fenchel {

/// A set of strings with numbers 0, 1, …; it copies and moves cheaply (the bytes of all strings are one
/// block).
class StringTable {
 public:
  /// The number of `text`, which is added if it is new.
  std::int32_t add(std::string_view text);
  /// The number of `text`, or −1.
  std::int32_t find(std::string_view text) const;
  std::string_view operator[](std::int32_t id) const {
    const auto i = static_cast<std::size_t>(id);
    return {bytes_.data() + ends_[i], ends_[i + 1] - ends_[i]};
  }
  std::size_t size() const { return ends_.size() - 1; }
  bool empty() const { return size() == 0; }
  /// All strings, in order.
  std::vector<std::string> strings() const;

  bool operator==(const StringTable& other) const { return ends_ == other.ends_ && bytes_ == other.bytes_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t id = -1;
  };
  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::string bytes_;
  std::vector<std::size_t> ends_{0};
  std::vector<Slot> slots_;
};

}  // namespace fenchel
