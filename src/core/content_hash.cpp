// SPDX-License-Identifier: Apache-2.0
#include "core/content_hash.hpp"

#include <fmt/core.h>

// Compiled in here: nothing is linked, and no name of it leaves this file.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fenchel {

std::string content_hash(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace fenchel
