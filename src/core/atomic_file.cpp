// SPDX-License-Identifier: Apache-2.0
#include "fenchel/core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace fenchel {
namespace {

constexpr int attempts = 1000;  // names of temporary files left behind by earlier runs are passed over

// One write() takes at most 0x7ffff000 bytes on Linux; smaller pieces notice a full disk earlier.
constexpr std::size_t piece = std::size_t{1} << 26;

int open_retrying(const char* path, int flags, mode_t mode) {
  int descriptor = -1;
  do {
    descriptor = ::open(path, flags, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), target_(path_) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(path_, ignored))) {
    const fs::path followed = fs::weakly_canonical(path_, ignored);
    if (!ignored) target_ = followed;
  }
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = open_retrying(target_.c_str(), O_WRONLY | O_CLOEXEC, 0);
    if (descriptor_ < 0) fail("cannot open for writing");
    return;
  }
  for (int attempt = 0; attempt < attempts && descriptor_ < 0; ++attempt) {
    temporary_ = target_;
    temporary_ += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    descriptor_ = open_retrying(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot write beside it");
  }
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) (void)::fchmod(descriptor_, old.st_mode & 07777);
}

AtomicFile::~AtomicFile() { close_quietly(); }

void AtomicFile::close_quietly() noexcept {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* doing) const {
  throw std::system_error(errno, std::generic_category(), path_.string() + ": " + doing);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = bytes.size() < piece ? bytes.size() : piece;
    const ssize_t written = ::write(descriptor_, bytes.data(), count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  // A pipe or a device cannot be flushed to a disk; only a file that will be renamed has to be.
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail("cannot write");
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) {
    const int error = errno;
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    errno = error;
    fail("cannot write");
  }
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    errno = error;
    fail("cannot put the new file in its place");
  }
  // The new name itself reaches the disk with its folder; file systems that cannot do that keep it anyway.
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const int handle = open_retrying(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (handle >= 0) {
    (void)::fsync(handle);
    ::close(handle);
  }
}

}  // namespace fenchel
