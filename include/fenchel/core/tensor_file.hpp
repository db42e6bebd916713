// SPDX-License-Identifier: Apache-2.0
// Files of named arrays in the safetensors format: 8 bytes with the length of a JSON header, the header
// (type, shape and place of every array, and a map of strings called __metadata__), then the arrays, one
// after another without holes. Models, checkpoints and cached data sets are such files. The metadata of files
// that are written here end with checksums: `checksums` (JSON: the XXH3 of each array, 16 hexadecimal digits)
// and `header_checksum` (that of the length and the header, with zeros for its own digits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fenchel {

/// The types of entries that are read and written.
enum class TensorType { f32, f64, i32, i64, u64, u8 };

template <class T>
concept TensorEntry =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::uint8_t>;

/// TensorType of a C++ type.
template <TensorEntry T>
constexpr TensorType tensor_type() {
  if constexpr (std::is_same_v<T, float>) return TensorType::f32;
  if constexpr (std::is_same_v<T, double>) return TensorType::f64;
  if constexpr (std::is_same_v<T, std::int32_t>) return TensorType::i32;
  if constexpr (std::is_same_v<T, std::int64_t>) return TensorType::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return TensorType::u64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return TensorType::u8;
}

/// Arrays by name, and strings by name. Copies share the arrays' memory.
class TensorFile {
 public:
  std::map<std::string, std::string> metadata;  ///< without the checksums

  /// Adds an array that belongs to the caller, who keeps it until the file is written.
  template <TensorEntry T>
  void add(const std::string& name, std::span<const T> values, const std::vector<std::size_t>& shape) {
    add_bytes(name, tensor_type<T>(), std::as_bytes(values), shape, nullptr);
  }
  /// Adds an array of one dimension that belongs to the caller.
  template <TensorEntry T>
  void add(const std::string& name, std::span<const T> values) {
    add(name, values, {values.size()});
  }
  /// Adds an array and takes it over.
  template <TensorEntry T>
  void add(const std::string& name, std::vector<T>&& values, const std::vector<std::size_t>& shape) {
    const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    add_bytes(name, tensor_type<T>(), std::as_bytes(std::span(*owner)), shape, owner);
  }

  bool contains(const std::string& name) const { return tensors_.contains(name); }
  std::vector<std::string> names() const;
  TensorType type(const std::string& name) const { return entry(name).type; }
  const std::vector<std::size_t>& shape(const std::string& name) const { return entry(name).shape; }
  /// The entries of the array called `name`, row by row, valid as long as this object (or a copy, or owner())
  /// lives. Throws std::runtime_error if there is no such array or it has another type.
  template <TensorEntry T>
  std::span<const T> tensor(const std::string& name) const {
    const Entry& found = entry(name);
    check_type(name, found.type, tensor_type<T>());
    return {reinterpret_cast<const T*>(found.bytes.data()), found.bytes.size() / sizeof(T)};
  }
  /// Keeps the memory of the array called `name` alive.
  std::shared_ptr<const void> owner(const std::string& name) const { return entry(name).owner; }

  /// Whether it was read from a file with checksums, which then were right.
  bool checksummed() const { return checksummed_; }
  /// The file it was read from, for messages; empty if it was not.
  const std::string& source() const { return source_; }

 private:
  struct Entry {
    TensorType type;
    std::vector<std::size_t> shape;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };
  void add_bytes(const std::string& name, TensorType type, std::span<const std::byte> bytes,
                 const std::vector<std::size_t>& shape, std::shared_ptr<const void> owner);
  const Entry& entry(const std::string& name) const;
  void check_type(const std::string& name, TensorType actual, TensorType expected) const;

  std::map<std::string, Entry> tensors_;
  std::string source_;
  bool checksummed_ = false;

  friend class TensorFileReader;
  friend class TensorFileLayout;
};

/// Reads a file into memory. Throws std::runtime_error naming the file and what is wrong with it: a header
/// longer than the file, invalid JSON, a repeated key, places that overlap, leave holes or lie outside, a
/// shape that does not fit its place, bytes after the last array; where there are checksums, any byte that
/// does not match them.
TensorFile read_tensor_file(const std::filesystem::path& path);

/// The same with the arrays left in the file, which is mapped into memory read-only; they are read once for
/// their checksums, and then when they are used. The file must not be changed in place meanwhile (replacing
/// it, as write_tensor_file does, is safe).
TensorFile map_tensor_file(const std::filesystem::path& path);

/// Writes the file with checksums, or leaves an old one of that name as it was and throws std::system_error
/// naming it. The bytes depend on the content alone.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& file);

/// The bytes of the file that write_tensor_file would write, for callers that keep them elsewhere.
std::vector<std::byte> tensor_file_bytes(const TensorFile& file);

/// The inverse: reads a copy of the bytes. `source` stands for the file's name in messages.
TensorFile read_tensor_bytes(std::span<const std::byte> bytes, const std::string& source);

/// Whether the file begins like one of this format (a plausible header length, then '{'). False if it cannot
/// be read.
bool is_tensor_file(const std::filesystem::path& path);

}  // namespace fenchel
