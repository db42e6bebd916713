// SPDX-License-Identifier: Apache-2.0
// Files that are mapped into memory. One that somebody cuts off meanwhile would end the program: the system
// sends SIGBUS for every page that is no longer there. Here such a page reads as zeros, and whoever passes
// over the data asks afterwards whether it was all there.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <span>

namespace fenchel {

/// The bytes of a file, read-only. Pages that the file loses while it is mapped become zeros.
class Mapping {
 public:
  /// Maps `size` > 0 bytes of an open file, of which a copy is kept. Throws std::system_error.
  Mapping(std::filesystem::path path, int descriptor, std::size_t size);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), size_}; }
  /// Throws std::runtime_error if the file was cut off or written to since it was mapped.
  void check() const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::size_t size_;
  void* memory_ = nullptr;
  struct stat status_ {};
  std::size_t slot_ = 0;  // where the handler of SIGBUS finds it
};

/// check() of every mapping that lives: to be called after each pass over data that may be mapped. Costs one
/// system call per mapped file.
void check_mappings();

}  // namespace fenchel
