// SPDX-License-Identifier: Apache-2.0
#include "core/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "core/mapping.hpp"

namespace fenchel {
namespace {

constexpr std::size_t read_at_once = std::size_t{1} << 26;  // read() takes at most 0x7ffff000 bytes on Linux

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw std::system_error(error, std::generic_category(), path.string() + ": cannot read");
}

/// A descriptor that closes itself, and the size of its file.
struct OpenFile {
  // Not blocking: a pipe that nobody writes to is refused at once, like anything that is not a file.
  explicit OpenFile(const std::filesystem::path& path)
      : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor < 0) fail(path, errno);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
      const int error = errno;
      ::close(descriptor);
      fail(path, error);
    }
    if (!S_ISREG(status.st_mode)) {
      ::close(descriptor);
      fail(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
    }
    size = static_cast<std::size_t>(status.st_size);
  }
  ~OpenFile() { ::close(descriptor); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor;
  std::size_t size = 0;
};

}  // namespace

FileBytes read_bytes(const std::filesystem::path& path) {
  const OpenFile file(path);
  // new std::byte[] is aligned for every type of entry and, unlike a vector, not cleared first.
  const std::shared_ptr<std::byte[]> memory(new std::byte[std::max<std::size_t>(file.size, 1)]);
  std::size_t have = 0;
  while (have < file.size) {
    const ssize_t count =
        ::read(file.descriptor, memory.get() + have, std::min(file.size - have, read_at_once));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, errno);
    if (count == 0) break;  // the file became shorter meanwhile
    have += static_cast<std::size_t>(count);
  }
  return {{memory.get(), have}, memory};
}

FileBytes map_bytes(const std::filesystem::path& path) {
  const OpenFile file(path);
  if (file.size == 0) return {};
  const auto mapping = std::make_shared<const Mapping>(path, file.descriptor, file.size);
  return {mapping->bytes(), mapping};
}

}  // namespace fenchel
