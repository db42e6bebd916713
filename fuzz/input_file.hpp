// SPDX-License-Identifier: Apache-2.0
// Bytes as a file, for functions that take a path.
#pragma once

#include <string>
#include <string_view>

namespace fenchel::fuzz {

/// A file that holds an input while this object lives, in memory.
class InputFile {
 public:
  explicit InputFile(std::string_view content);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace fenchel::fuzz
