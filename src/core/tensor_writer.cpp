// SPDX-License-Identifier: Apache-2.0
// The writer of tensor files: the header with its checksums, then the arrays.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/atomic_file.hpp"
#include "core/content_hash.hpp"
#include "core/tensor_format.hpp"
#include "fenchel/core/tensor_file.hpp"

namespace fenchel {
namespace {

using nlohmann::json;
using tensor_format::arrays_hash_key;
using tensor_format::header_hash;
using tensor_format::header_hash_key;
using tensor_format::header_hash_prefix;
using tensor_format::longest_header;
using tensor_format::metadata_key;
using tensor_format::name_of;

}  // namespace

/// The header of a file and its arrays in the order in which they follow.
class TensorFileLayout {
 public:
  TensorFileLayout(const TensorFile& file, const std::string& name) {
    // Wide types first: every array then begins where its type can be read in place.
    std::vector<std::pair<std::string, const TensorFile::Entry*>> order;
    for (const auto& [tensor_name, tensor] : file.tensors_) order.emplace_back(tensor_name, &tensor);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return name_of(a.second->type).bytes > name_of(b.second->type).bytes;
    });
    json places = json::object();
    json hashes = json::object();
    std::size_t end = 0;
    for (const auto& [tensor_name, tensor] : order) {
      const std::size_t begin = end;
      end += tensor->bytes.size();
      places[tensor_name] = {
          {"dtype", name_of(tensor->type).name}, {"shape", tensor->shape}, {"data_offsets", {begin, end}}};
      hashes[tensor_name] = content_hash(tensor->bytes);
      arrays_.push_back(tensor->bytes);
    }
    try {
      write_header(file.metadata, places, hashes);
    } catch (const json::exception& error) {
      throw std::invalid_argument(name + ": names and metadata must be UTF-8: " + error.what());
    }
    if (header_.size() > longest_header) {
      throw std::invalid_argument(name + ": the header has " + std::to_string(header_.size()) +
                                  " bytes; at most " + std::to_string(longest_header) + " can be read again");
    }
  }

  /// Hands all bytes to `write`, piece by piece.
  template <class Write>
  void write(const Write& write) const {
    const std::uint64_t length = header_.size();
    write(std::as_bytes(std::span(&length, 1)));
    write(std::as_bytes(std::span(header_)));
    for (const auto& array : arrays_) write(array);
  }

 private:
  /// The metadata come first and the hashes last among them: programs look at the beginning of a file to see
  /// what it is.
  void write_header(const std::map<std::string, std::string>& metadata, const json& places,
                    const json& hashes) {
    nlohmann::ordered_json own = nlohmann::ordered_json::object();
    for (const auto& [key, text] : metadata) {
      if (key == arrays_hash_key || key == header_hash_key) {
        throw std::invalid_argument("the metadata have the key '" + key + "', which is the format's own");
      }
      own[key] = text;
    }
    own[arrays_hash_key] = hashes.dump();
    own[header_hash_key] = std::string(content_hash_digits, '0');
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    header[metadata_key] = std::move(own);
    for (const auto& [name, place] : places.items()) header[name] = place;
    header_ = header.dump();
    header_.resize((header_.size() + 7) / 8 * 8, ' ');
    const std::size_t digits = header_.find(header_hash_prefix) + header_hash_prefix.size();
    header_.replace(digits, content_hash_digits, header_hash(header_.size(), header_, digits));
  }

  std::string header_;
  std::vector<std::span<const std::byte>> arrays_;
};

void write_tensor_file(const std::filesystem::path& path, const TensorFile& file) {
  const TensorFileLayout layout(file, path.string());
  AtomicFile out(path);
  layout.write([&](std::span<const std::byte> bytes) { out.write(bytes); });
  out.commit();
}

std::vector<std::byte> tensor_file_bytes(const TensorFile& file) {
  std::vector<std::byte> result;
  TensorFileLayout(file, "a tensor file").write([&](std::span<const std::byte> bytes) {
    result.insert(result.end(), bytes.begin(), bytes.end());
  });
  return result;
}

}  // namespace fenchel
