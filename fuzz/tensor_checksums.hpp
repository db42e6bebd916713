// SPDX-License-Identifier: Apache-2.0
// Changed bytes of a checksummed file are refused at once, and nothing behind the checksums would be reached:
// before a run they are set right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fenchel::fuzz {

/// The file with the checksums of its tensors and of its header set to what they should be, where it has
/// room for them: the 16 digits are overwritten in place, everything else stays as it is. A file without
/// checksums, or one whose header cannot be read, is returned as it came.
std::string with_checksums(std::string_view file);

}  // namespace fenchel::fuzz
