// SPDX-License-Identifier: Apache-2.0
#include "data/byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/text_source.hpp"

namespace fenchel {
namespace {

constexpr std::size_t input_bytes = std::size_t{1} << 18;  // of packed data at a time
constexpr std::size_t magic_bytes = 6;                     // enough to tell the kinds of files apart
constexpr int gzip_only = 16 + MAX_WBITS;                  // zlib's way to ask for a gzip header and checksum
constexpr std::size_t read_at_once = std::size_t{1} << 26;  // read() takes at most 0x7ffff000 bytes on Linux

struct Magic {
  std::string_view bytes;
  const char* name;
};
constexpr Magic foreign[] = {{{"\xFD"
                               "7zXZ\0",
                               6},
                              "xz"},
                             {"\x28\xB5\x2F\xFD", "zstd"},
                             {"PK\x03\x04", "zip"}};
constexpr std::string_view gzip = "\x1F\x8B";

// What packed the text that begins so, or nothing; gzip is not among them.
const char* packer_of(std::string_view start) {
  for (const Magic& magic : foreign) {
    if (start.starts_with(magic.bytes)) return magic.name;
  }
  // BZh, a digit and a block or the end: a word may begin with BZh, too.
  if (start.size() < magic_bytes || !start.starts_with("BZh")) return nullptr;
  const std::string_view block = start.substr(4, 2);
  return block == "1A" || block == "\x17r" ? "bzip2" : nullptr;
}

}  // namespace

bool begins_as_text(std::string_view start) {
  return !start.starts_with(utf8_mark) && !start.starts_with(gzip) && packer_of(start) == nullptr;
}

ByteSource::ByteSource(const std::string& path, std::string name)
    : name_(std::move(name)), input_(new char[input_bytes]) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    do {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);  // a pipe waits for its writer
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), name_ + ": cannot open");
    owned_ = true;
  }
  try {
    detect();
  } catch (...) {
    if (owned_) ::close(descriptor_);
    throw;
  }
}

ByteSource::~ByteSource() {
  if (packed_) inflateEnd(&stream_);
  if (owned_) ::close(descriptor_);
}

void ByteSource::detect() {
  while (end_ < magic_bytes) {
    const std::size_t count = read_raw(input_.get() + end_, input_bytes - end_);
    if (count == 0) break;
    end_ += count;
    // A line typed by hand can be shorter than any magic number: it is text.
    if (std::memchr(input_.get(), '\n', end_) != nullptr) break;
  }
  const std::string_view start(input_.get(), end_);
  if (const char* packer = packer_of(start)) {
    throw DataError(name_, 0, 0, std::string("packed with ") + packer + "; only gzip is unpacked on the way");
  }
  if (!start.starts_with(gzip)) return;
  if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  packed_ = true;
}

std::size_t ByteSource::read_raw(char* out, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, out, std::min(size, read_at_once));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), name_ + ": cannot read");
  }
}

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (packed_) return inflate_some(out, size);
  if (begin_ == end_) return read_raw(out, size);
  const std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(out, input_.get() + begin_, count);
  begin_ += count;
  return count;
}

bool ByteSource::refill() {
  begin_ = 0;
  end_ = read_raw(input_.get(), input_bytes);
  return end_ > 0;
}

std::size_t ByteSource::inflate_some(char* out, std::size_t size) {
  size = std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
  while (!finished_) {
    if (begin_ == end_ && !refill()) {
      throw DataError(name_, 0, 0, "the gzip data end too early; the file is cut off");
    }
    stream_.next_in = reinterpret_cast<Bytef*>(input_.get() + begin_);
    stream_.avail_in = static_cast<uInt>(end_ - begin_);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    begin_ = end_ - stream_.avail_in;
    const std::size_t count = size - stream_.avail_out;
    if (status == Z_STREAM_END) {
      finished_ = !next_member();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError(name_, 0, 0,
                      std::string("the gzip data are damaged") +
                          (stream_.msg ? std::string(": ") + stream_.msg : std::string()));
    }
    if (count > 0) return count;
  }
  return 0;
}

/// Files put together with `cat a.gz b.gz` go on with the next one; zeros after the last are padding.
bool ByteSource::next_member() {
  for (;;) {
    if (begin_ == end_ && !refill()) return false;
    if (input_[begin_] != '\0') break;
    ++begin_;
  }
  if (input_[begin_] != '\x1F')
    throw DataError(name_, 0, 0, "there are bytes after the end of the gzip data");
  inflateReset(&stream_);
  return true;
}

}  // namespace fenchel
