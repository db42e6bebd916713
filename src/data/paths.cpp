// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/paths.hpp"

#include <fmt/core.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace fenchel {
namespace {

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> files;
  if (status == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status == GLOB_NOSPACE) throw std::bad_alloc();
  if (files.empty()) throw std::invalid_argument(fmt::format("no file matches '{}'", pattern));
  std::sort(files.begin(), files.end());  // glob's own order depends on the locale
  return files;
}

/// Nothing is fetched from other machines.
void check_no_address(const std::string& path) {
  constexpr std::array<std::string_view, 6> schemes{"http", "https", "ftp", "s3", "gs", "file"};
  const std::size_t end = path.find("://");
  if (end == std::string::npos ||
      std::ranges::find(schemes, std::string_view(path).substr(0, end)) == schemes.end()) {
    return;
  }
  throw std::invalid_argument(fmt::format("{} is an address; expected a file: fetch it first", path));
}

}  // namespace

Paths::Paths(std::vector<std::string> paths) {
  if (paths.empty())
    throw std::invalid_argument("paths is empty; expected a file, or - for the standard input");
  for (std::string& path : paths) {
    check_no_address(path);
    std::error_code ignored;
    if (path.find_first_of("*?[") == std::string::npos || std::filesystem::exists(path, ignored)) {
      files_.push_back(std::move(path));
    } else {
      for (std::string& file : matches(path)) files_.push_back(std::move(file));
    }
  }
}

std::string Paths::description() const {
  const std::string& first = files_.front() == "-" ? "standard input" : files_.front();
  return files_.size() == 1 ? first : fmt::format("{} and {} more", first, files_.size() - 1);
}

}  // namespace fenchel
