// SPDX-License-Identifier: Apache-2.0
// What the reader and the writer of tensor files (fenchel/core/tensor_file.hpp) share: limits, keys of the
// header, names of types, and the hash of the header.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/content_hash.hpp"
#include "fenchel/core/tensor_file.hpp"

namespace fenchel::tensor_format {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

inline constexpr std::size_t length_bytes = 8;  ///< of the header's length, at the beginning of the file
/// The limit of the format's reference implementation: a header is names and numbers, never data.
inline constexpr std::uint64_t longest_header = 100'000'000;
inline constexpr const char* metadata_key = "__metadata__";
/// Entries of the metadata that are the format's own: the hashes of the arrays, as JSON, and the hash of the
/// length and the header, computed with zeros in its own place. Together they cover every byte of a file.
inline constexpr const char* arrays_hash_key = "checksums";
inline constexpr const char* header_hash_key = "header_checksum";
/// What stands before the digits of the header's hash. Quotes within strings are escaped, so that it is a
/// key.
inline constexpr std::string_view header_hash_prefix = R"("header_checksum":")";

struct TypeName {
  TensorType type;
  const char* name;
  std::size_t bytes;
};
/// In the order of TensorType.
inline constexpr std::array<TypeName, 6> type_names{{{TensorType::f32, "F32", 4},
                                                     {TensorType::f64, "F64", 8},
                                                     {TensorType::i32, "I32", 4},
                                                     {TensorType::i64, "I64", 8},
                                                     {TensorType::u64, "U64", 8},
                                                     {TensorType::u8, "U8", 1}}};

inline const TypeName& name_of(TensorType type) { return type_names[static_cast<std::size_t>(type)]; }

/// The hash of a header of that length whose own digits begin at `digits`.
inline std::string header_hash(std::uint64_t length, std::string_view header, std::size_t digits) {
  std::string text(length_bytes, '\0');
  std::memcpy(text.data(), &length, length_bytes);
  text += header;
  text.replace(length_bytes + digits, content_hash_digits, content_hash_digits, '0');
  return content_hash(std::as_bytes(std::span(text)));
}

}  // namespace fenchel::tensor_format
