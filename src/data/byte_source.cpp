// SPDX-License-Identifier: Apache-2.0
#include "data/byte_source.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/text_source.hpp"

namespace fenchel {
namespace {

constexpr std::size_t input_bytes = std::size_t{1} << 18;   // of packed data at a time
constexpr std::size_t magic_bytes = 6;                      // enough to tell the kinds of files apart
constexpr std::size_t read_at_once = std::size_t{1} << 26;  // read() takes at most 0x7ffff000 bytes on Linux

}  // namespace

bool begins_as_text(std::string_view start) {
  return !start.starts_with(utf8_mark) && !unpacker_for(start) && !foreign_packer(start);
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
  if (const char* packer = foreign_packer(start)) {
    throw DataError(name_, 0, 0,
                    std::string("packed with ") + packer + "; gzip, bzip2 and zstd are unpacked on the way");
  }
  unpacker_ = unpacker_for(start);
}

std::size_t ByteSource::read_raw(char* out, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, out, std::min(size, read_at_once));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), name_ + ": cannot read");
  }
}

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (unpacker_) return unpack_some(out, size);
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

std::size_t ByteSource::unpack_some(char* out, std::size_t size) {
  while (!finished_) {
    if (begin_ == end_ && !refill()) {
      throw DataError(name_, 0, 0,
                      fmt::format("the {} data end too early; the file is cut off", unpacker_->name()));
    }
    Unpacker::Step step;
    try {
      step = unpacker_->step({input_.get() + begin_, end_ - begin_}, {out, size});
    } catch (const std::runtime_error& error) {
      const std::string detail = error.what();
      throw DataError(
          name_, 0, 0,
          fmt::format("the {} data are damaged{}{}", unpacker_->name(), detail.empty() ? "" : ": ", detail));
    }
    begin_ += step.used;
    if (step.ended) finished_ = !next_member();
    if (step.made > 0) return step.made;
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
  if (input_[begin_] != unpacker_->first_byte()) {
    throw DataError(name_, 0, 0,
                    fmt::format("there are bytes after the end of the {} data", unpacker_->name()));
  }
  unpacker_->restart();
  return true;
}

}  // namespace fenchel
