// SPDX-License-Identifier: Apache-2.0
#include "data/npy_header.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

#include "data/label_rows.hpp"
#include "fenchel/data/data_error.hpp"

namespace fenchel {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The header as text; `bytes` become what follows it.
std::string_view header_text(const std::string& path, std::span<const std::byte>& bytes) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < 10 || std::string_view(text, magic.size()) != magic) {
    throw DataError(path, 0, 0, "not a NumPy array: it does not begin with \\x93NUMPY");
  }
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3) {
    throw DataError(path, 0, 0, fmt::format("version {} of the .npy format; expected 1, 2 or 3", version));
  }
  std::size_t length = 0;
  std::uint16_t small = 0;
  std::uint32_t large = 0;
  const std::size_t begin = version == 1 ? 10 : 12;
  if (version == 1) {
    std::memcpy(&small, text + 8, sizeof small);
    length = small;
  } else if (bytes.size() >= begin) {
    std::memcpy(&large, text + 8, sizeof large);
    length = large;
  }
  if (bytes.size() < begin || length > bytes.size() - begin) {
    throw DataError(path, 0, 0, "the file is cut off in its header");
  }
  bytes = bytes.subspan(begin + length);
  return {text + begin, length};
}

/// Takes the dictionary apart, from front to back.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

  NpyHeader parse() {
    expect('{');
    while (peek() != '}') {
      const std::string key(quoted("a key"));
      if (!seen_.insert(key).second) fail(fmt::format("the key {} twice", in_quotes(key)));
      expect(':');
      read_value(key);
      if (peek() != '}') expect(',');
    }
    expect('}');
    if (peek() != '\0') fail(fmt::format("{} after its end", in_quotes(rest_)));
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (!seen_.contains(key)) fail(fmt::format("no {}", key));
    }
    return result_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(path_, 0, 0, fmt::format("the header has {}", what));
  }

  /// The next character that is not blank; 0 at the end.
  char peek() {
    const std::size_t begin = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
    return rest_.empty() ? '\0' : rest_.front();
  }

  void expect(char wanted) {
    if (peek() != wanted) fail(fmt::format("{} where {} was expected", in_quotes(rest_), wanted));
    rest_.remove_prefix(1);
  }

  std::string_view quoted(const char* what) {
    const char quote = peek();
    const std::size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail(fmt::format("{} where {} was expected", in_quotes(rest_), what));
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool taken(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void read_value(const std::string& key) {
    peek();
    if (key == "descr") {
      result_.type = quoted("the name of a type");
    } else if (key == "fortran_order") {
      result_.fortran = taken("True");
      if (!result_.fortran && !taken("False")) {
        fail(fmt::format("{} as fortran_order; expected True or False", in_quotes(rest_)));
      }
    } else if (key == "shape") {
      read_shape();
    } else {
      fail(fmt::format("the key {}; expected descr, fortran_order and shape", in_quotes(key)));
    }
  }

  void read_shape() {
    expect('(');
    while (peek() != ')') {
      std::size_t size = 0;
      const auto [next, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc()) fail(fmt::format("{} where a size was expected", in_quotes(rest_)));
      rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
      result_.shape.push_back(size);
      if (peek() != ')') expect(',');
    }
    expect(')');
  }

  const std::string& path_;
  std::string_view rest_;
  std::set<std::string> seen_;
  NpyHeader result_;
};

}  // namespace

NpyHeader read_npy_header(const std::string& path, std::span<const std::byte>& bytes) {
  return HeaderParser(path, header_text(path, bytes)).parse();
}

}  // namespace fenchel
