// SPDX-License-Identifier: Apache-2.0
// Taggers as arrays: strings as bytes with their ends, weights as they are.
#include <fmt/format.h>

#include <stdexcept>

#include "fenchel/models/model_file.hpp"
#include "fenchel/models/tagger.hpp"

namespace fenchel {
namespace {

void add_table(TensorFile& file, const std::string& name, const StringTable& table) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::string_view text = table[static_cast<std::int32_t>(k)];
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const std::size_t size = bytes.size();
  const std::size_t ends = offsets.size();
  file.add(name + ".bytes", std::move(bytes), {size});
  file.add(name + ".offsets", std::move(offsets), {ends});
}

StringTable read_table(const TensorFile& file, const std::string& name) {
  const auto bytes = file.tensor<std::uint8_t>(name + ".bytes");
  const auto offsets = file.tensor<std::int64_t>(name + ".offsets");
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != size) {
    throw std::invalid_argument(fmt::format("'{}.offsets' does not go from 0 to {}", name, size));
  }
  StringTable table;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    if (offsets[k + 1] < offsets[k] || offsets[k + 1] > size) {
      throw std::invalid_argument(fmt::format("'{}.offsets'[{}] is {}; expected {} or more, up to {}", name,
                                              k + 1, offsets[k + 1], offsets[k], size));
    }
    const std::string text(bytes.begin() + offsets[k], bytes.begin() + offsets[k + 1]);
    if (static_cast<std::size_t>(table.add(text)) != k) {
      throw std::invalid_argument(fmt::format("'{}' has '{}' twice", name, text));
    }
  }
  return table;
}

template <class T>
std::vector<T> read_array(const TensorFile& file, const std::string& name) {
  const auto values = file.tensor<T>(name);
  return {values.begin(), values.end()};
}

constexpr std::string_view provenance_prefix = "provenance.";

}  // namespace

TensorFile to_tensors(const Tagger& tagger) {
  TensorFile file;
  file.metadata["omega"] = to_string(tagger.omega);
  file.metadata["temperature"] = metadata_number(tagger.temperature);
  file.metadata["templates"] = tagger.templates;
  file.metadata["boundary"] = tagger.features.boundary ? "true" : "false";
  for (const auto& [key, value] : tagger.provenance)
    file.metadata[std::string(provenance_prefix) + key] = value;
  add_table(file, "labels", tagger.labels);
  add_table(file, "attributes", tagger.attributes);
  if (!tagger.features.dense()) {
    file.add("state_offsets", std::span<const std::int64_t>(tagger.features.offsets));
    file.add("state_labels", std::span<const std::int32_t>(tagger.features.states));
  }
  file.add("transitions", std::span<const std::int32_t>(tagger.features.transitions));
  file.add("parameters", std::span<const double>(tagger.parameters));
  return file;
}

void from_tensors(const TensorFile& file, Tagger& tagger) {
  tagger.omega = tagger_omega(read_metadata(file, "omega"));
  tagger.temperature = read_number(file, "temperature");
  tagger.templates = read_metadata(file, "templates");
  tagger.labels = read_table(file, "labels");
  tagger.attributes = read_table(file, "attributes");
  TaggerFeatures& features = tagger.features;
  features = {};
  features.labels = tagger.labels.size();
  features.attributes = tagger.attributes.size();
  features.boundary = read_metadata(file, "boundary") == "true";
  if (file.contains("state_offsets")) {
    features.offsets = read_array<std::int64_t>(file, "state_offsets");
    features.states = read_array<std::int32_t>(file, "state_labels");
  }
  features.transitions = read_array<std::int32_t>(file, "transitions");
  tagger.parameters = read_array<double>(file, "parameters");
  tagger.provenance.clear();
  for (const auto& [key, value] : file.metadata) {
    if (key.starts_with(provenance_prefix)) tagger.provenance[key.substr(provenance_prefix.size())] = value;
  }
  tagger.check();
}

}  // namespace fenchel
