// SPDX-License-Identifier: Apache-2.0
// The files that together are one data set.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace fenchel {

/// One or several files, read one after another as if they were one. `-` is the standard input.
class Paths {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a path is paths
  Paths(const char* path) : Paths(std::string(path)) {}
  Paths(std::string path) : Paths(std::vector<std::string>{std::move(path)}) {}
  Paths(const std::filesystem::path& path) : Paths(path.string()) {}
  Paths(std::initializer_list<std::string> paths) : Paths(std::vector<std::string>(paths)) {}
  /// A path with *, ? or [...] that is not a file itself stands for the files it matches, in byte order.
  /// Throws std::invalid_argument if there is none, or if there are no paths at all.
  Paths(std::vector<std::string> paths);
  // NOLINTEND(google-explicit-constructor)

  const std::vector<std::string>& files() const { return files_; }
  /// For messages: the only file, or the first "and 2 more".
  std::string description() const;

 private:
  std::vector<std::string> files_;
};

}  // namespace fenchel
