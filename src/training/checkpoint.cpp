// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/checkpoint.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "fenchel/core/tensor_file.hpp"

namespace fenchel {
namespace {

constexpr const char* format_key = "fenchel_checkpoint";
constexpr const char* format_version = "3";

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  TensorFile file;
  file.metadata = checkpoint.identity;
  file.metadata.insert_or_assign(format_key, std::string(format_version));
  for (const auto& [name, array] : checkpoint.state.arrays()) {
    std::visit([&, &key = name](const auto& values) { file.add(key, std::span(values)); }, array);
  }
  write_tensor_file(path, file);
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const TensorFile file = read_tensor_file(path);
  Checkpoint result{{}, file.metadata};
  const auto version = result.identity.find(format_key);
  if (version == result.identity.end()) {
    throw std::runtime_error(fmt::format("{}: not a checkpoint", path.string()));
  }
  if (version->second != format_version) {
    throw std::runtime_error(fmt::format("{}: a checkpoint of version {}; this program reads version {}",
                                         path.string(), version->second, format_version));
  }
  if (!file.checksummed()) {
    throw std::runtime_error(fmt::format("{}: damaged: a checkpoint without checksums", path.string()));
  }
  result.identity.erase(version);
  const auto copy = [&]<class T>(const std::string& name, T) {
    const auto values = file.tensor<T>(name);
    result.state.set(name, std::vector<T>(values.begin(), values.end()));
  };
  for (const std::string& name : file.names()) {
    switch (file.type(name)) {
      case TensorType::f64:
        copy(name, double{});
        break;
      case TensorType::f32:
        copy(name, float{});
        break;
      case TensorType::i64:
        copy(name, std::int64_t{});
        break;
      case TensorType::u64:
        copy(name, std::uint64_t{});
        break;
      default:
        throw std::runtime_error(
            fmt::format("{}: '{}' has a type that no checkpoint has", path.string(), name));
    }
  }
  return result;
}

void check_identity(const Checkpoint& checkpoint, const std::map<std::string, std::string>& identity) {
  for (const auto& [key, value] : identity) {
    const auto saved = checkpoint.identity.find(key);
    if (saved == checkpoint.identity.end()) {
      throw std::invalid_argument(
          fmt::format("the checkpoint says nothing about {}; this run has '{}'", key, value));
    }
    if (saved->second != value) {
      throw std::invalid_argument(
          fmt::format("the checkpoint was made with {} '{}'; this run has '{}'", key, saved->second, value));
    }
  }
  for (const auto& [key, value] : checkpoint.identity) {
    if (!identity.contains(key)) {
      throw std::invalid_argument(
          fmt::format("the checkpoint was made with {} '{}'; this run has none", key, value));
    }
  }
}

}  // namespace fenchel
