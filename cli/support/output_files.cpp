// SPDX-License-Identifier: Apache-2.0
#include "support/output_files.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "core/atomic_file.hpp"

namespace fenchel::cli {
namespace {

namespace fs = std::filesystem;

// Where a file would be written that is not there yet.
fs::path place_of(fs::path path) {
  std::error_code ignored;
  (void)follow_links(path);
  const fs::path place = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  return place.empty() ? path : place;
}

void check_pair(const NamedFile& output, const NamedFile& other) {
  if (output.path.empty() || other.path.empty() || !same_file(output.path, other.path)) return;
  throw std::invalid_argument(fmt::format("{} is '{}', the same file as {} '{}'; expected a file of its own",
                                          output.name, output.path, other.name, other.path));
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {};
  struct stat second {};
  const bool first_is_there = ::stat(a.c_str(), &first) == 0;
  const bool second_is_there = ::stat(b.c_str(), &second) == 0;
  if (first_is_there && second_is_there) {
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  }
  return first_is_there == second_is_there && place_of(a) == place_of(b);
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path == "-") {
      throw std::invalid_argument(
          fmt::format("{} is '-'; expected a file (/dev/stdout is the standard output)", outputs[i].name));
    }
    for (const NamedFile& input : inputs) {
      check_pair(outputs[i], input.path == "-" ? NamedFile{input.name, "/dev/stdin"} : input);
    }
    for (std::size_t j = 0; j < i; ++j) check_pair(outputs[i], outputs[j]);
  }
}

void check_writable(const std::string& path) {
  if (path.empty()) return;
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code failure;
  if (fs::is_directory(path, failure)) throw std::system_error(EISDIR, std::generic_category(), path);
  if (failure == std::errc::too_many_symbolic_link_levels) throw std::system_error(failure, path);
  if (access(folder.c_str(), W_OK) != 0) throw std::system_error(errno, std::generic_category(), path);
}

bool is_pipe_or_device(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

}  // namespace fenchel::cli
