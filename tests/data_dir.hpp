// SPDX-License-Identifier: Apache-2.0
// Where the real data sets are, and files that tests write.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fenchel::test {

/// $FENCHEL_DATA, else ../shared/data beside the repository; nothing if there is no such folder.
inline std::optional<std::filesystem::path> data_dir() {
  namespace fs = std::filesystem;
  fs::path folder;
  if (const char* given = std::getenv("FENCHEL_DATA")) {
    folder = given;
  } else {
    folder = fs::absolute(__FILE__).parent_path().parent_path().parent_path() / "shared" / "data";
  }
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? std::optional(folder) : std::nullopt;
}

/// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fenchel-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// The content of a file.
inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// What an exception of `body` says, after the folder's name is taken out; "" if there is none.
template <class F>
std::string error_of(const TemporaryFolder& folder, F&& body) {
  try {
    body();
  } catch (const std::exception& error) {
    std::string text = error.what();
    const std::string prefix = folder.path().string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }
  return {};
}

}  // namespace fenchel::test
