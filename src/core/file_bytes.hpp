// SPDX-License-Identifier: Apache-2.0
// The bytes of a whole file, read into memory or mapped. Failures throw std::system_error naming the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace fenchel {

/// Bytes and what keeps them alive.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

FileBytes read_bytes(const std::filesystem::path& path);
/// Left in the file; see core/mapping.hpp for one that changes meanwhile.
FileBytes map_bytes(const std::filesystem::path& path);

}  // namespace fenchel
