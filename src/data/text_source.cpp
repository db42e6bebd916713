// SPDX-License-Identifier: Apache-2.0
#include "data/text_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/byte_source.hpp"

namespace fenchel {
namespace {

// Large enough that a read costs nothing beside its parsing, small enough to stay in cache until parsed.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;
// No real row is this long: a file without line ends would otherwise fill the memory.
constexpr std::size_t longest_line = std::size_t{1} << 30;

std::string position(const std::string& source, std::int64_t line, std::size_t column) {
  if (line <= 0) return source;
  return column > 0 ? fmt::format("{}:{}:{}", source, line, column) : fmt::format("{}:{}", source, line);
}

void reserve(TextChunk& chunk, std::size_t used, std::size_t capacity) {
  if (chunk.capacity >= capacity) return;
  std::unique_ptr<char[]> memory(new char[capacity + 1]);  // one more for a line feed that the text lacks
  if (used > 0) std::memcpy(memory.get(), chunk.memory.get(), used);
  chunk.memory = std::move(memory);
  chunk.capacity = capacity;
}

/// Whether a line of the text is neither blank nor a comment.
bool has_row(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first < end && text[first] != '#') return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

/// Why a text has bytes 0.
const char* problem_of_zeros(std::string_view text) {
  const bool wide = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  return wide ? "this text is in UTF-16; expected UTF-8 (iconv -f UTF-16 -t UTF-8 makes it of this)"
              : "a byte 0; this is a binary file, not a text";
}

}  // namespace

DataError::DataError(const std::string& source, std::int64_t line, std::size_t column,
                     const std::string& problem)
    : DataError(position(source, line, column) + ": " + problem, line, column) {}

DataError::DataError(std::string text, std::int64_t line, std::size_t column)
    : std::runtime_error(spell_options(text)), text_(std::move(text)), line_(line), column_(column) {}

TextSource::TextSource(const std::string& path, Pace pace)
    : name_(path == "-" ? "standard input" : path),
      is_file_(path != "-"),
      pace_(pace),
      bytes_(std::make_unique<ByteSource>(path, name_)) {}

TextSource::~TextSource() = default;
TextSource::TextSource(TextSource&&) noexcept = default;
TextSource& TextSource::operator=(TextSource&&) noexcept = default;

bool TextSource::fill(TextChunk& chunk, bool up_to_a_row) {
  reserve(chunk, 0, std::max(chunk_bytes, carry_.size() * 2));
  std::size_t used = carry_.size();
  if (used > 0) std::memcpy(chunk.memory.get(), carry_.data(), used);
  carry_.clear();
  std::size_t lines = 0;  // bytes of whole lines
  bool added = false;     // the only line end: those of the text are CR alone, as old Macs wrote them
  while (!ended_) {
    if (used == chunk.capacity) {
      if (lines > 0) break;
      if (std::memchr(chunk.memory.get(), '\0', used) !=
          nullptr) {  // not a text: no need to wait for its end
        ended_ = true;
        chunk.memory[used++] = '\n';
        lines = used;
        break;
      }
      if (used >= longest_line) {
        throw DataError(name_, lines_read_ + 1, 0,
                        "the line is longer than 1 GiB; this is not a file of rows");
      }
      reserve(chunk, used, 2 * chunk.capacity);
    }
    const std::size_t count = bytes_->read(chunk.memory.get() + used, chunk.capacity - used);
    if (count == 0) {
      ended_ = true;
      added = lines == 0 && used > 0;
      if (used > lines) chunk.memory[used++] = '\n';
      lines = used;
      break;
    }
    const void* last = ::memrchr(chunk.memory.get() + used, '\n', count);
    used += count;
    if (last) lines = static_cast<std::size_t>(static_cast<const char*>(last) - chunk.memory.get()) + 1;
    const bool enough = lines > 0 && (!up_to_a_row || has_row({chunk.memory.get(), lines}));
    if (enough && pace_ == Pace::eager) break;
  }
  if (lines_read_ == 0 && added) std::replace(chunk.memory.get(), chunk.memory.get() + lines - 1, '\r', '\n');
  carry_.assign(chunk.memory.get() + lines, used - lines);
  chunk.text = {chunk.memory.get(), lines};
  chunk.first_line = lines_read_ + 1;
  if (lines_read_ == 0 && chunk.text.starts_with(utf8_mark)) chunk.text.remove_prefix(utf8_mark.size());
  lines_read_ += std::count(chunk.text.begin(), chunk.text.end(), '\n');
  return lines > 0;
}

/// Cuts the chunk before the line with the first byte 0 and keeps the error for the next call: errors in
/// earlier lines come first.
void TextSource::check_zero_bytes(TextChunk& chunk) {
  const std::size_t zero = chunk.text.find('\0');
  if (zero == std::string_view::npos) return;
  const std::size_t before = chunk.text.rfind('\n', zero);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const auto lines =
      std::count(chunk.text.begin(), chunk.text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  pending_ = std::make_unique<DataError>(name_, chunk.first_line + lines, zero - begin + 1,
                                         problem_of_zeros(chunk.first_line == 1 ? chunk.text : ""));
  chunk.text = chunk.text.substr(0, begin);
}

bool TextSource::next_chunk(TextChunk& chunk) {
  if (peeked_) {
    peeked_ = false;
    std::swap(chunk, chunk_);
    if (!chunk.text.empty()) return true;
  }
  if (pending_) throw DataError(*pending_);
  if (!fill(chunk)) return false;
  check_zero_bytes(chunk);
  if (!chunk.text.empty()) return true;
  if (pending_) throw DataError(*pending_);
  return next_chunk(chunk);  // a mark of UTF-8 and nothing else
}

std::string_view TextSource::peek() {
  if (!peeked_) {
    if (fill(chunk_, true)) check_zero_bytes(chunk_);
    peeked_ = true;
  }
  return chunk_.text;
}

bool TextSource::next_line(std::string_view& line) {
  if (rest_.empty()) {
    const bool at_hand = std::exchange(peeked_, false) && !chunk_.text.empty();
    if (!at_hand && !next_chunk(chunk_)) return false;
    rest_ = chunk_.text;
  }
  const std::size_t length = rest_.find('\n');
  line = rest_.substr(0, length);
  rest_.remove_prefix(length + 1);
  line_end_ = line.ends_with('\r') ? "\r\n" : "\n";
  line.remove_suffix(line_end_.size() - 1);
  ++line_number_;
  return true;
}

void TextSource::fail(std::string_view line, const char* where, const std::string& problem) const {
  const bool inside = where >= line.data() && where <= line.data() + line.size();
  throw DataError(name_, line_number_, inside ? static_cast<std::size_t>(where - line.data()) + 1 : 0,
                  problem);
}

}  // namespace fenchel
