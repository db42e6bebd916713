// SPDX-License-Identifier: Apache-2.0
// Lines of a text file, of a gzip'd one, or of the standard input, read once in large pieces. Lines are views
// of the piece at hand: nothing is copied or kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/memory.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel {

/// Whole lines of a text, the last byte a line feed.
struct TextChunk {
  std::string_view text;
  std::int64_t first_line = 1;  ///< the number of the first of them
  std::unique_ptr<char[]> memory;
  std::size_t capacity = 0;
};

class ByteSource;

/// A text, read from front to back.
class TextSource {
 public:
  enum class Pace {
    full,   ///< wait until a piece is full: the same pieces for a file and for a pipe
    eager,  ///< hand out lines as soon as they arrive
  };

  /// Opens a file; `-` is the standard input. gzip is recognised by its first bytes. A mark of UTF-8 at the
  /// beginning is skipped.
  explicit TextSource(const std::string& path, Pace pace = Pace::full);
  ~TextSource();
  TextSource(TextSource&&) noexcept;
  TextSource& operator=(TextSource&&) noexcept;

  /// The path, or "standard input": what messages begin with.
  const std::string& name() const { return name_; }
  /// Whether that is a path.
  bool is_file() const { return is_file_; }

  /// The next line without its end (LF or CRLF); false at the end of the text. The view is valid until the
  /// next call. A byte 0 throws DataError: the file is not a text.
  bool next_line(std::string_view& line);
  /// What ended the line that next_line returned: LF or CRLF.
  std::string_view line_end() const { return line_end_; }
  /// The number of the line that next_line returned, from 1.
  std::int64_t line_number() const { return line_number_; }

  /// Many lines at once, in memory that belongs to the chunk and is used again; false at the end of the text.
  /// Not to be mixed with next_line.
  bool next_chunk(TextChunk& chunk);

  /// The beginning of the text, up to a line at least that is neither blank nor a comment (#) if there is one
  /// in reach; nothing is consumed. To be called before anything else.
  std::string_view peek();

  /// Throws DataError about the line that next_line returned; `where` points into it.
  [[noreturn]] void fail(std::string_view line, const char* where, const std::string& problem) const;

 private:
  bool fill(TextChunk& chunk, bool up_to_a_row = false);
  void check_zero_bytes(TextChunk& chunk);

  std::string name_;
  bool is_file_;
  Pace pace_;
  std::unique_ptr<ByteSource> bytes_;
  std::string carry_;  ///< the beginning of a line whose end has not been read yet
  bool ended_ = false;
  bool peeked_ = false;
  std::unique_ptr<DataError> pending_;  ///< thrown once the lines before it have been handed out
  std::int64_t lines_read_ = 0;
  TextChunk chunk_;
  std::string_view rest_;  ///< of chunk_, not handed out yet
  std::string_view line_end_ = "\n";
  std::int64_t line_number_ = 0;
};

/// Reads files one after the other; `first` is the first of them where it is open already.
template <class Reader>
void read_files(Reader& reader, const std::vector<std::string>& files, TextSource* first = nullptr) {
  for (const std::string& file : files) {
    within_memory(file, [&] {
      if (first && &file == &files.front()) {
        reader.read(*first);
      } else {
        TextSource source(file);
        reader.read(source);
      }
    });
  }
}

}  // namespace fenchel
