// SPDX-License-Identifier: Apache-2.0
// What unpacks files that were packed with gzip, bzip2 or zstd, piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fenchel {

/// Unpacks one member of a packed file after another.
class Unpacker {
 public:
  struct Step {
    std::size_t used = 0;  ///< packed bytes
    std::size_t made = 0;  ///< unpacked bytes
    bool ended = false;    ///< the member is complete
  };

  Unpacker() = default;
  virtual ~Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// What packed the file: "gzip".
  virtual const char* name() const = 0;
  /// The byte that every member begins with.
  virtual char first_byte() const = 0;
  /// Goes on with `packed`. Throws std::runtime_error that says what is damaged ("" where nothing is known).
  virtual Step step(std::span<const char> packed, std::span<char> out) = 0;
  /// Begins another member.
  virtual void restart() = 0;
};

/// The unpacker for a file that begins so, or nothing if it is not packed, or by another program.
std::unique_ptr<Unpacker> unpacker_for(std::string_view start);

/// Which other program packed a file that begins so: "xz", "zip"; nullptr if none did.
const char* foreign_packer(std::string_view start);

/// Whether the name of a file ends as those of packed files do: .gz, .bz2 or .zst.
bool is_compressed_name(std::string_view path);

}  // namespace fenchel
