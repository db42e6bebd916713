// SPDX-License-Identifier: Apache-2.0
#include "tensor_mutator.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace fenchel::fuzz {
namespace {

constexpr std::size_t length_bytes = 8;

struct Tensor {
  std::size_t begin;
  std::size_t end;
  std::string type;

  std::size_t width() const { return type == "U8" ? 1 : type.ends_with("32") ? 4 : 8; }
};

std::vector<Tensor> tensors_of(std::span<const std::uint8_t> file) {
  std::uint64_t length = 0;
  if (file.size() < length_bytes) return {};
  std::memcpy(&length, file.data(), length_bytes);
  if (length > file.size() - length_bytes) return {};
  const auto header = nlohmann::json::parse(file.begin() + length_bytes,
                                            file.begin() + static_cast<std::ptrdiff_t>(length_bytes + length),
                                            nullptr, false);
  std::vector<Tensor> result;
  if (!header.is_object()) return result;
  const std::size_t data = length_bytes + length;
  for (const auto& tensor : header) {
    if (!tensor.is_object() || !tensor.contains("data_offsets") || !tensor.contains("dtype")) continue;
    const auto& place = tensor["data_offsets"];
    if (!place.is_array() || place.size() != 2 || !place[0].is_number_unsigned() ||
        !place[1].is_number_unsigned())
      continue;
    const Tensor found{place[0].get<std::size_t>(), place[1].get<std::size_t>(),
                       tensor["dtype"].dump().substr(1, 3)};
    if (found.begin < found.end && found.end <= file.size() - data) {
      result.push_back({data + found.begin, data + found.end, found.type.substr(0, found.type.find('"'))});
    }
  }
  return result;
}

// The bits of a number that code may not expect.
std::uint64_t hostile_bits(const std::string& type, std::mt19937& random) {
  using Limits = std::numeric_limits<double>;
  static constexpr double reals[] = {Limits::quiet_NaN(),
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::max(),
                                     Limits::denorm_min(),
                                     -1,
                                     0,
                                     1,
                                     1e9,
                                     1e-9};
  static constexpr std::int64_t wholes[] = {-1,
                                            0,
                                            1,
                                            2,
                                            3,
                                            7,
                                            255,
                                            1LL << 31,
                                            (1LL << 31) - 1,
                                            1LL << 32,
                                            1LL << 53,
                                            std::numeric_limits<std::int64_t>::max(),
                                            std::numeric_limits<std::int64_t>::min()};
  if (type == "F64") return std::bit_cast<std::uint64_t>(reals[random() % std::size(reals)]);
  if (type == "F32")
    return std::bit_cast<std::uint32_t>(static_cast<float>(reals[random() % 3 + (random() % 2) * 5]));
  return static_cast<std::uint64_t>(wholes[random() % std::size(wholes)]);
}

}  // namespace

bool mutate_numbers(std::span<std::uint8_t> file, unsigned seed) {
  const std::vector<Tensor> tensors = tensors_of(file);
  if (tensors.empty()) return false;
  std::mt19937 random(seed);
  for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
    const Tensor& tensor = tensors[random() % tensors.size()];
    const std::size_t width = tensor.width(), entries = (tensor.end - tensor.begin) / width;
    if (entries == 0) continue;
    std::uint8_t* const entry = file.data() + tensor.begin + random() % entries * width;
    if (random() % 4 == 0) {
      std::memmove(entry, file.data() + tensor.begin + random() % entries * width, width);
    } else {
      const std::uint64_t bits = hostile_bits(tensor.type, random);
      std::memcpy(entry, &bits, width);
    }
  }
  return true;
}

}  // namespace fenchel::fuzz
