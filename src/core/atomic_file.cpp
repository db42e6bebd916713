// SPDX-License-Identifier: Apache-2.0
#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ostream>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

namespace fenchel {
namespace {

namespace fs = std::filesystem;

constexpr int attempts = 1000;     // names of temporary files that other threads write to are passed over
constexpr int longest_chain = 40;  // of symbolic links, as in Linux
constexpr const char* temporary_mark = ".tmp-";

// One write() takes at most 0x7ffff000 bytes on Linux; smaller pieces notice a full disk earlier.
constexpr std::size_t written_at_once = std::size_t{1} << 26;

int open_retrying(const char* path, int flags, mode_t mode) {
  int descriptor = -1;
  do {
    descriptor = ::open(path, flags, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// Whether a name is that of a temporary file of a process that no longer lives.
bool left_behind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
  if (error != std::errc() || process <= 0 || rest.size() < 2 || rest.front() != '-' ||
      rest.find_first_not_of("0123456789", 1) != std::string_view::npos) {
    return false;
  }
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Removes the temporary files of `target` that processes left behind when they were killed. Whether that
/// works is of no importance.
void sweep_temporaries(const fs::path& target) {
  const std::string prefix = target.filename().string() + temporary_mark;
  std::error_code ignored;
  fs::directory_iterator folder(target.has_parent_path() ? target.parent_path() : fs::path("."), ignored);
  for (; !ignored && folder != fs::directory_iterator(); folder.increment(ignored)) {
    if (!left_behind(folder->path().filename().string(), prefix)) continue;
    const int file = open_retrying(folder->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (file < 0) continue;
    // A writer on another host, or with other process numbers (a container), holds a lock.
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(folder->path().c_str());
    ::close(file);
  }
}

/// Hands what is written to a file, in large pieces. A stream keeps what overflow() throws where it may throw
/// itself.
class FileBuffer final : public std::streambuf {
 public:
  explicit FileBuffer(AtomicFile& file) : file_(file), memory_(buffer_bytes) { clear(); }

 protected:
  int_type overflow(int_type letter) override {
    flush();
    if (!traits_type::eq_int_type(letter, traits_type::eof())) sputc(traits_type::to_char_type(letter));
    return traits_type::not_eof(letter);
  }
  int sync() override {
    flush();
    return 0;
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
  void clear() { setp(memory_.data(), memory_.data() + memory_.size()); }
  void flush() {
    const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    clear();  // first: what could not be written is not tried again
    file_.write(text);
  }

  AtomicFile& file_;
  std::vector<char> memory_;
};

}  // namespace

bool follow_links(fs::path& path) {
  std::error_code error;
  for (int i = 0; i < longest_chain; ++i) {
    if (!fs::is_symlink(fs::symlink_status(path, error))) return true;
    const fs::path next = fs::read_symlink(path, error);
    if (error) {
      errno = error.value();
      return false;
    }
    path = path.parent_path() / next;  // next itself where it is absolute
  }
  errno = ELOOP;
  return false;
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  FileBuffer buffer(file);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit | std::ios::failbit);
  write(out);
  out.flush();
  file.commit();
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), target_(path_) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = open_retrying(path_.c_str(), O_WRONLY | O_CLOEXEC, 0);
    if (descriptor_ < 0) fail("cannot open for writing");
    return;
  }
  if (!follow_links(target_)) fail("cannot open for writing");
  sweep_temporaries(target_);
  for (int attempt = 0; attempt < attempts && descriptor_ < 0; ++attempt) {
    temporary_ = target_;
    temporary_ += temporary_mark + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    descriptor_ = open_retrying(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot write beside it");
  }
  (void)::flock(descriptor_, LOCK_EX | LOCK_NB);  // a sign of life, also for hosts with other process numbers
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
    const std::size_t count = bytes.size() < written_at_once ? bytes.size() : written_at_once;
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
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const int handle = open_retrying(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (handle >= 0) {
    (void)::fsync(handle);
    ::close(handle);
  }
}

}  // namespace fenchel
