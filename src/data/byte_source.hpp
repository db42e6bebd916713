// SPDX-License-Identifier: Apache-2.0
// Bytes of a file or of the standard input, unpacked on the way if they are packed (gzip, bzip2, zstd).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "data/unpacker.hpp"

namespace fenchel {

/// The mark of UTF-8 that a text may begin with; it is skipped.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

/// Whether a text that begins so is read as it stands, not as a packed file and without anything skipped.
bool begins_as_text(std::string_view start);

class ByteSource {
 public:
  /// Messages call it `name`.
  ByteSource(const std::string& path, std::string name);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `size` bytes, as many as are available; 0 only at the end.
  std::size_t read(char* out, std::size_t size);

 private:
  std::size_t read_raw(char* out, std::size_t size);
  std::size_t unpack_some(char* out, std::size_t size);
  void detect();
  bool next_member();
  bool refill();

  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::unique_ptr<char[]> input_;  ///< raw bytes not handed out yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::unique_ptr<Unpacker> unpacker_;  ///< nothing: the bytes are as they come
  bool finished_ = false;
};

}  // namespace fenchel
