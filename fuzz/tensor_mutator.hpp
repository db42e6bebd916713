// SPDX-License-Identifier: Apache-2.0
// Most changes of a tensor file make its header unreadable, and the numbers behind it are never tried.
// This one changes numbers: entries of one tensor become hostile ones (NaN, the largest, −1 …), or those
// of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fenchel::fuzz {

/// Changes entries of a tensor of the file in place; false where it has none that can be found.
bool mutate_numbers(std::span<std::uint8_t> file, unsigned seed);

}  // namespace fenchel::fuzz
