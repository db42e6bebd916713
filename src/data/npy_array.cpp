// SPDX-License-Identifier: Apache-2.0
#include "data/npy_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/file_bytes.hpp"
#include "data/byte_source.hpp"
#include "fenchel/data/text_source.hpp"

namespace fenchel {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t piece = std::size_t{1} << 20;

constexpr std::pair<std::string_view, NpyArray::Type> types[] = {
    {"<f4", NpyArray::Type::f4}, {"<f8", NpyArray::Type::f8}, {"<i4", NpyArray::Type::i4},
    {"<i8", NpyArray::Type::i8}, {"|u1", NpyArray::Type::u1}, {"|b1", NpyArray::Type::u1}};

std::size_t size_of(NpyArray::Type type) {
  if (type == NpyArray::Type::u1) return 1;
  return type == NpyArray::Type::f4 || type == NpyArray::Type::i4 ? 4 : 8;
}

/// The bytes of the file: mapped, or unpacked if they are gzip'd.
FileBytes bytes_of(const std::string& path) {
  FileBytes mapped = map_bytes(path);
  const bool packed =
      mapped.bytes.size() >= 2 && mapped.bytes[0] == std::byte{0x1F} && mapped.bytes[1] == std::byte{0x8B};
  if (!packed) return mapped;
  ByteSource source(path, path);
  const auto unpacked = std::make_shared<std::vector<std::byte>>();
  std::size_t used = 0;
  for (std::size_t count = 1; count > 0; used += count) {
    unpacked->resize(used + piece);
    count = source.read(reinterpret_cast<char*>(unpacked->data()) + used, piece);
  }
  unpacked->resize(used);
  return {*unpacked, unpacked};
}

/// What stands after `'key':` in the header.
std::optional<std::string_view> entry(std::string_view header, std::string_view key) {
  const std::size_t found = header.find(fmt::format("'{}'", key));
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(found + key.size() + 2);
  const std::size_t begin = rest.find_first_not_of(" :");
  return begin == std::string_view::npos ? std::nullopt : std::optional(rest.substr(begin));
}

std::optional<std::vector<std::size_t>> shape_of(std::string_view text) {
  if (text.empty() || text.front() != '(') return std::nullopt;
  std::vector<std::size_t> shape;
  const char* p = text.data() + 1;
  const char* const end = text.data() + text.size();
  for (;;) {
    while (p != end && (*p == ' ' || *p == ',')) ++p;
    if (p == end) return std::nullopt;
    if (*p == ')') return shape;
    std::size_t size = 0;
    const auto [next, error] = std::from_chars(p, end, size);
    if (error != std::errc()) return std::nullopt;
    shape.push_back(size);
    p = next;
  }
}

/// The header as text, and what follows it in `bytes`.
std::string_view header_of(const std::string& path, std::span<const std::byte>& bytes) {
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

}  // namespace

double NpyArray::operator()(std::size_t i, std::size_t j) const {
  const std::size_t place = (fortran ? j * rows() + i : i * cols() + j) * size_of(type);
  const auto load = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return static_cast<double>(value);
  };
  switch (type) {
    case Type::f4:
      return load(float{});
    case Type::i4:
      return load(std::int32_t{});
    case Type::i8:
      return load(std::int64_t{});
    case Type::u1:
      return load(std::uint8_t{});
    default:
      return load(double{});
  }
}

NpyArray read_npy_array(const std::string& path) {
  FileBytes file = bytes_of(path);
  NpyArray array;
  array.bytes = file.bytes;
  array.owner = std::move(file.owner);
  const std::string_view header = header_of(path, array.bytes);
  const auto descr = entry(header, "descr");
  const auto order = entry(header, "fortran_order");
  const auto shape_text = entry(header, "shape");
  if (!descr || !order || !shape_text || descr->size() < 5) {
    throw DataError(path, 0, 0, "the header has no descr, fortran_order or shape");
  }
  const std::string_view descriptor = descr->substr(1, descr->find_first_of("'\"", 1) - 1);
  const auto* const known = std::find_if(std::begin(types), std::end(types),
                                         [&](const auto& type) { return type.first == descriptor; });
  if (known == std::end(types)) {
    throw DataError(
        path, 0, 0,
        fmt::format("type '{}'; expected <f4, <f8, <i4, <i8, |u1 or |b1", descriptor.substr(0, 20)));
  }
  array.type = known->second;
  array.fortran = order->starts_with("True");
  const auto shape = shape_of(*shape_text);
  if (!shape || shape->empty() || shape->size() > 2 || shape->back() == 0) {
    throw DataError(path, 0, 0,
                    fmt::format("shape {}; expected one or two sizes > 0",
                                shape_text->substr(0, shape_text->find(')') + 1)));
  }
  array.shape = *shape;
  std::size_t expected = size_of(array.type);
  bool fits = true;
  for (const std::size_t size : array.shape)
    fits = fits && !__builtin_mul_overflow(expected, size, &expected);
  if (!fits || expected != array.bytes.size()) {
    throw DataError(path, 0, 0,
                    fmt::format("{} bytes of entries; the shape needs another number", array.bytes.size()));
  }
  return array;
}

}  // namespace fenchel
