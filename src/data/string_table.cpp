// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/string_table.hpp"

#include <functional>
#include <limits>
#include <stdexcept>

namespace fenchel {
namespace {

constexpr std::size_t first_slots = 16;

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
}

}  // namespace

/// Open addressing: the slot of `text`, or the empty one where it belongs.
std::size_t StringTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].id >= 0 && (slots_[slot].hash != hash || (*this)[slots_[slot].id] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void StringTable::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? first_slots : 2 * old.size(), {});
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.id < 0) continue;
    std::size_t slot = entry.hash & mask;
    while (slots_[slot].id >= 0) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

std::int32_t StringTable::add(std::string_view text) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.id >= 0) return slot.id;
  if (size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::length_error("more than 2147483647 different strings");
  }
  slot = {hash, static_cast<std::int32_t>(size())};
  bytes_.append(text);
  ends_.push_back(bytes_.size());
  return slot.id;
}

std::int32_t StringTable::find(std::string_view text) const {
  return slots_.empty() ? -1 : slots_[slot_of(text, hash_of(text))].id;
}

std::vector<std::string> StringTable::strings() const {
  std::vector<std::string> result;
  result.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) result.emplace_back((*this)[static_cast<std::int32_t>(i)]);
  return result;
}

}  // namespace fenchel
