// SPDX-License-Identifier: Apache-2.0
#include "models/attribute_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

/// Names whose lookups overlap.
constexpr std::size_t block = 32;

/// Eight bytes at a time, multiplied and folded: slots compare 32 bits of it before they look at a string.
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = text.size() * odd;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * odd;
    hash ^= hash >> 29;
  };
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    mix(word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  mix(word);
  return static_cast<std::uint32_t>((hash * odd) >> 32);
}

}  // namespace

AttributeIndex::AttributeIndex(const StringTable& table)
    : table_(table), slots_(std::bit_ceil(2 * table.size() + 1)) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto id = static_cast<std::int32_t>(k);
    const std::uint32_t hash = hash_of(table[id]);
    std::size_t at = hash & mask;
    while (slots_[at].id >= 0) at = (at + 1) & mask;
    slots_[at] = {hash, id};
  }
}

void AttributeIndex::find(std::span<const std::string_view> names, std::span<std::int32_t> ids) const {
  check_size("ids", ids.size(), names.size());
  const std::size_t mask = slots_.size() - 1;
  std::array<std::uint32_t, block> hashes{};
  std::array<std::size_t, block> places{};
  // The slot of the next name with this hash, or an empty one.
  const auto candidate = [&](std::size_t at, std::uint32_t hash) {
    while (slots_[at].id >= 0 && slots_[at].hash != hash) at = (at + 1) & mask;
    return at;
  };
  for (std::size_t first = 0; first < names.size(); first += block) {
    const std::size_t count = std::min(block, names.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      hashes[k] = hash_of(names[first + k]);
      __builtin_prefetch(&slots_[hashes[k] & mask]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      places[k] = candidate(hashes[k] & mask, hashes[k]);
      if (slots_[places[k]].id >= 0) __builtin_prefetch(table_[slots_[places[k]].id].data());
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::size_t at = places[k];
      while (slots_[at].id >= 0 && table_[slots_[at].id] != names[first + k]) {
        at = candidate((at + 1) & mask, hashes[k]);
      }
      ids[first + k] = slots_[at].id;
    }
  }
}

}  // namespace fenchel
