// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name complete or not at all: it is written beside its place, flushed to the
// disk and then renamed. Until commit() succeeds a file of the same name stays as it was. What a process that
// was killed left beside it (NAME.tmp-PROCESS-NUMBER) is removed when the same file is written again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace fenchel {

/// Written like a stream; nothing is visible before commit(). What is not a regular file (a pipe, a device)
/// is written directly. A symbolic link stays, and what it names is written, whether that exists or not.
/// Every failure throws std::system_error naming the file.
class AtomicFile {
 public:
  /// Opens a temporary file in the folder of `path`.
  explicit AtomicFile(std::filesystem::path path);
  /// Removes the temporary file unless it was committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Puts the file in its place; nothing can be written after that.
  void commit();

 private:
  [[noreturn]] void fail(const char* doing) const;
  void close_quietly() noexcept;

  std::filesystem::path path_;
  std::filesystem::path target_;     ///< path_ with symbolic links followed
  std::filesystem::path temporary_;  ///< empty where the target is written directly
  int descriptor_ = -1;
};

/// Replaces a symbolic link by what it names, whether that exists or not. False with errno set if links go in
/// a circle or cannot be read.
bool follow_links(std::filesystem::path& path);

/// The same for what is written to a stream: `write` is called with one, which throws what the file throws.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace fenchel
