// SPDX-License-Identifier: Apache-2.0
// Tensor files in memory, and the reader: whatever is not exactly the format is refused.
#include "fenchel/core/tensor_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "core/content_hash.hpp"
#include "core/file_bytes.hpp"
#include "core/tensor_format.hpp"

namespace fenchel {
namespace {

using nlohmann::json;
using tensor_format::arrays_hash_key;
using tensor_format::header_hash;
using tensor_format::header_hash_key;
using tensor_format::header_hash_prefix;
using tensor_format::length_bytes;
using tensor_format::longest_header;
using tensor_format::metadata_key;
using tensor_format::name_of;

// Root object, the object of an array, its shape: no header nests deeper.
constexpr std::size_t deepest_header = 3;

std::optional<TensorType> type_called(std::string_view name) {
  for (const tensor_format::TypeName& known : tensor_format::type_names) {
    if (name == known.name) return known.type;
  }
  return std::nullopt;
}

/// The product of the shape, or nothing if it does not fit in 64 bits.
std::optional<std::size_t> entries_of(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (const std::size_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

}  // namespace

std::vector<std::string> TensorFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) names.push_back(name);
  return names;
}

void TensorFile::add_bytes(const std::string& name, TensorType type, std::span<const std::byte> bytes,
                           const std::vector<std::size_t>& shape, std::shared_ptr<const void> owner) {
  const std::optional<std::size_t> entries = entries_of(shape);
  const std::size_t size = bytes.size() / name_of(type).bytes;
  if (!entries || *entries != size) {
    throw std::invalid_argument("tensor '" + name + "' has " + std::to_string(size) +
                                " entries; expected the product of its shape " + shape_text(shape));
  }
  if (name == metadata_key || contains(name)) {
    throw std::invalid_argument("tensor '" + name + "' is there already; names must differ");
  }
  tensors_[name] = {type, shape, bytes, std::move(owner)};
}

const TensorFile::Entry& TensorFile::entry(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw std::runtime_error((source_.empty() ? "" : source_ + ": ") + "there is no tensor '" + name + "'");
  }
  return found->second;
}

void TensorFile::check_type(const std::string& name, TensorType actual, TensorType expected) const {
  if (actual == expected) return;
  throw std::runtime_error((source_.empty() ? "" : source_ + ": ") + "tensor '" + name + "' has type " +
                           name_of(actual).name + "; expected " + name_of(expected).name);
}

/// Sees every event of the parser: the parser itself would keep the last of two equal keys. A pass of its
/// own, since a callback while the values are built takes time in the square of their number.
class HeaderCheck final : public nlohmann::json_sax<json> {
 public:
  explicit HeaderCheck(const std::string& source) : source_(source) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) refuse("the header has the key " + json(name).dump() + " twice");
    return true;
  }
  /// The parser that builds the values says it.
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(source_ + ": " + why); }
  bool open() {
    if (keys_.size() >= deepest_header) refuse("the header is nested deeper than a tensor file's");
    keys_.emplace_back();
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  const std::string& source_;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open; arrays have none
};

/// Turns the bytes of a file into a TensorFile, refusing whatever is not exactly the format.
class TensorFileReader {
 public:
  TensorFileReader(std::string source, FileBytes bytes)
      : source_(std::move(source)), file_(std::move(bytes)) {}

  TensorFile read() {
    const json header = parse_header();
    TensorFile result;
    result.source_ = source_;
    for (const auto& [name, value] : header.items()) {
      if (name == metadata_key) {
        read_metadata(value, result);
      } else {
        read_tensor(name, value, result);
      }
    }
    check_places();
    check_hashes(result);
    return result;
  }

 private:
  struct Place {
    std::size_t begin;
    std::size_t end;
    std::string name;
  };

  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(source_ + ": " + why); }

  json parse_header() {
    const std::size_t size = file_.bytes.size();
    if (size < length_bytes) {
      refuse("it has " + std::to_string(size) + " bytes; a tensor file has at least 10");
    }
    std::uint64_t length = 0;
    std::memcpy(&length, file_.bytes.data(), length_bytes);
    if (length > longest_header || length > size - length_bytes) {
      refuse("the header should have " + std::to_string(length) + " bytes, but the file has " +
             std::to_string(size - length_bytes) + " after its length (at most " +
             std::to_string(longest_header) + " are read); not a tensor file, or cut off");
    }
    data_ = file_.bytes.subspan(length_bytes + length);
    header_ = {reinterpret_cast<const char*>(file_.bytes.data()) + length_bytes, length};
    if (!header_.starts_with('{')) refuse("the header does not begin with '{'; not a tensor file");
    try {
      HeaderCheck check(source_);
      json::sax_parse(header_, &check);
      return json::parse(header_);
    } catch (const json::exception& error) {
      refuse(std::string("the header is not JSON: ") + error.what());
    }
  }

  void read_metadata(const json& value, TensorFile& result) const {
    if (!value.is_object()) refuse("__metadata__ is not an object of strings");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) refuse("'" + key + "' of __metadata__ is not a string");
      result.metadata[key] = text.get<std::string>();
    }
  }

  const json& member(const std::string& tensor, const json& value, const char* key) const {
    const auto found = value.find(key);
    if (found == value.end()) refuse("tensor '" + tensor + "' has no " + key);
    return *found;
  }

  std::vector<std::size_t> sizes(const std::string& tensor, const char* key, const json& value) const {
    if (!value.is_array()) refuse("tensor '" + tensor + "': " + key + " is not an array");
    std::vector<std::size_t> result;
    for (const json& size : value) {
      if (!size.is_number_unsigned()) {
        refuse("tensor '" + tensor + "': " + key + " has the entry " + size.dump() +
               "; expected whole numbers >= 0");
      }
      result.push_back(size.get<std::size_t>());
    }
    return result;
  }

  void read_tensor(const std::string& name, const json& value, TensorFile& result) {
    if (!value.is_object()) refuse("tensor '" + name + "' is not an object");
    const json& type_name = member(name, value, "dtype");
    const std::optional<TensorType> type =
        type_name.is_string() ? type_called(type_name.get<std::string>()) : std::nullopt;
    if (!type) {
      refuse("tensor '" + name + "' has dtype " + type_name.dump() +
             "; expected F32, F64, I32, I64, U64 or U8");
    }
    const std::vector<std::size_t> shape = sizes(name, "shape", member(name, value, "shape"));
    const std::vector<std::size_t> place = sizes(name, "data_offsets", member(name, value, "data_offsets"));
    if (place.size() != 2 || place[0] > place[1] || place[1] > data_.size()) {
      refuse("tensor '" + name + "' lies at " + shape_text(place) + " of " + std::to_string(data_.size()) +
             " bytes; expected [begin, end] within them");
    }
    const std::optional<std::size_t> entries = entries_of(shape);
    const std::size_t bytes = place[1] - place[0];
    std::size_t expected = 0;
    if (!entries || __builtin_mul_overflow(*entries, name_of(*type).bytes, &expected) || expected != bytes) {
      refuse("tensor '" + name + "' has " + std::to_string(bytes) + " bytes; its shape " + shape_text(shape) +
             " of " + name_of(*type).name + " needs another number");
    }
    places_.push_back({place[0], place[1], name});
    std::span<const std::byte> content = data_.subspan(place[0], bytes);
    std::shared_ptr<const void> owner = file_.owner;
    if (reinterpret_cast<std::uintptr_t>(content.data()) % name_of(*type).bytes != 0) {
      align(content, owner);
    }
    result.add_bytes(name, *type, content, shape, std::move(owner));
  }

  /// Files of other programs may put numbers where their type cannot be read in place: those are copied.
  static void align(std::span<const std::byte>& content, std::shared_ptr<const void>& owner) {
    auto copy = std::make_shared<std::vector<std::uint64_t>>((content.size() + 7) / 8);
    std::memcpy(copy->data(), content.data(), content.size());
    content = std::as_bytes(std::span(*copy)).first(content.size());
    owner = copy;
  }

  void check_places() {
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::size_t end = 0;
    for (const Place& place : places_) {
      if (place.begin < end) refuse("tensor '" + place.name + "' overlaps the one before it");
      if (place.begin > end) refuse("there is a hole before tensor '" + place.name + "'");
      end = place.end;
    }
    if (end != data_.size()) {
      refuse("there are " + std::to_string(data_.size() - end) + " bytes after the last tensor");
    }
  }

  /// Where the file has hashes, all of them must be there and fit.
  void check_hashes(TensorFile& result) const {
    const auto arrays = result.metadata.extract(arrays_hash_key);
    const auto header = result.metadata.extract(header_hash_key);
    if (arrays.empty() && header.empty()) return;
    if (arrays.empty() || header.empty()) refuse("damaged: one of its two checksum entries is missing");
    const std::size_t digits = header_.find(header_hash_prefix) + header_hash_prefix.size();
    if (digits < header_hash_prefix.size() ||
        header_.find(header_hash_prefix, digits) != std::string_view::npos ||
        digits + content_hash_digits > header_.size() ||
        header_.substr(digits, content_hash_digits) != header_hash(header_.size(), header_, digits)) {
      refuse("damaged: the bytes of the header do not match their checksum");
    }
    const json hashes = json::parse(arrays.mapped(), nullptr, false);
    if (!hashes.is_object() || hashes.size() != places_.size()) {
      refuse("damaged: there is not one checksum for each tensor");
    }
    for (const Place& place : places_) {
      const auto expected = hashes.find(place.name);
      if (expected == hashes.end() || !expected->is_string()) {
        refuse("damaged: tensor '" + place.name + "' has no checksum");
      }
      if (*expected != content_hash(data_.subspan(place.begin, place.end - place.begin))) {
        refuse("damaged: the bytes of tensor '" + place.name + "' do not match their checksum");
      }
    }
    result.checksummed_ = true;
  }

  std::string source_;
  FileBytes file_;
  std::string_view header_;
  std::span<const std::byte> data_;
  std::vector<Place> places_;
};

TensorFile read_tensor_file(const std::filesystem::path& path) {
  return TensorFileReader(path.string(), read_bytes(path)).read();
}

TensorFile map_tensor_file(const std::filesystem::path& path) {
  return TensorFileReader(path.string(), map_bytes(path)).read();
}

TensorFile read_tensor_bytes(std::span<const std::byte> bytes, const std::string& source) {
  const auto copy = std::make_shared<std::vector<std::uint64_t>>((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(copy->data(), bytes.data(), bytes.size());
  return TensorFileReader(source, {std::as_bytes(std::span(*copy)).first(bytes.size()), copy}).read();
}

bool is_tensor_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t length = 0;
  char first = 0;
  file.read(reinterpret_cast<char*>(&length), length_bytes);
  file.get(first);
  return file.good() && length > 0 && length <= longest_header && first == '{';
}

}  // namespace fenchel
