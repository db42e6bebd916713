// SPDX-License-Identifier: Apache-2.0
// The checksum of files: XXH3 with 64 bits, which runs at the speed of memory. It notices damage; it does
// not protect against somebody who makes two contents agree on purpose.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fenchel {

/// How many digits content_hash has.
inline constexpr std::size_t content_hash_digits = 16;

/// XXH3 of the bytes as hexadecimal digits in lower case.
std::string content_hash(std::span<const std::byte> bytes);

}  // namespace fenchel
