// SPDX-License-Identifier: Apache-2.0
// A checksum of arrays: FNV-1a over words of 8 bytes. Quick, and enough to notice that a file has changed; no
// defence against somebody who wants two to agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace fenchel {

class Checksum {
 public:
  template <class T>
  void add(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    std::size_t i = 0;
    for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof(word));
      mix(word);
    }
    for (; i < bytes.size(); ++i) mix(static_cast<std::uint64_t>(bytes[i]));
    mix(bytes.size());
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::span<const T>(values));
  }
  void add(const std::vector<std::string>& strings) {
    for (const std::string& text : strings) add(std::span<const char>(text));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3u;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace fenchel
