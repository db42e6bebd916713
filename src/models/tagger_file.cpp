// SPDX-License-Identifier: Apache-2.0
// Taggers as arrays: strings as bytes with their ends, weights as they are.
#include <fmt/core.h>

#include <memory>
#include <stdexcept>

#include "fenchel/core/check.hpp"
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

// Words, clusters and which word has which; the words alone tell that there are any.
void add_clusters(TensorFile& file, const WordClusters& clusters) {
  add_table(file, "clusters.words", clusters.words());
  add_table(file, "clusters.names", clusters.names());
  file.add("clusters.numbers", clusters.numbers());
}

SharedClusters read_clusters(const TensorFile& file) {
  if (!file.contains("clusters.words.bytes")) return nullptr;
  const StringTable words = read_table(file, "clusters.words");
  const StringTable names = read_table(file, "clusters.names");
  const auto numbers = file.tensor<std::int32_t>("clusters.numbers");
  if (words.empty() || numbers.size() != words.size()) {
    throw std::invalid_argument(fmt::format(
        "'clusters.numbers' has {} entries for {} words; expected one each", numbers.size(), words.size()));
  }
  auto clusters = std::make_shared<WordClusters>();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    check_label("clusters.numbers", numbers[k], names.size(), static_cast<std::ptrdiff_t>(k));
    clusters->add(words[static_cast<std::int32_t>(k)], names[numbers[k]]);
  }
  if (!(clusters->names() == names))
    throw std::invalid_argument("'clusters.names' are not those of 'clusters.numbers', in their order");
  return clusters;
}

template <class T>
std::vector<T> read_array(const TensorFile& file, const std::string& name) {
  const auto values = file.tensor<T>(name);
  return {values.begin(), values.end()};
}

// Reads the provenance too, where older files have the number of columns and what joins attributes.
void read_reading(const TensorFile& file, Tagger& tagger) {
  tagger.provenance = read_provenance(file);
  std::string joined_by = "=";
  for (const char* name : {"provenance.joined_by", "joined_by"}) {
    if (file.metadata.contains(name)) joined_by = read_metadata(file, name);
  }
  tagger.provenance.erase("joined_by");
  if (joined_by.size() != 1) {
    throw std::invalid_argument(
        fmt::format("'joined_by' of the metadata is '{}'; expected : or =", joined_by));
  }
  tagger.joined_by = joined_by.front();
  if (file.metadata.contains("target")) tagger.target = read_metadata(file, "target");
  const bool typed = file.metadata.contains("columns");
  tagger.columns = 0;
  if (typed) tagger.columns = read_size(file, "columns");
  if (!typed && tagger.provenance.erase("columns") > 0)
    tagger.columns = read_size(file, "provenance.columns");
  if (tagger.columns == 1) {
    throw std::invalid_argument("'columns' of the metadata is 1; expected a word and its label, or 0");
  }
}

}  // namespace

TensorFile to_tensors(const Tagger& tagger) {
  TensorFile file;
  file.metadata["omega"] = tagger.loss;
  file.metadata["temperature"] = metadata_number(tagger.temperature);
  file.metadata["templates"] = tagger.templates;
  file.metadata["columns"] = std::to_string(tagger.columns);
  if (!tagger.target.empty()) file.metadata["target"] = tagger.target;
  file.metadata["joined_by"] = std::string(1, tagger.joined_by);
  file.metadata["boundary"] = tagger.features.boundary ? "true" : "false";
  add_provenance(file, tagger.provenance);
  add_table(file, "labels", tagger.labels);
  add_table(file, "attributes", tagger.attributes);
  if (tagger.clusters) add_clusters(file, *tagger.clusters);
  if (!tagger.features.dense()) {
    file.add("state_offsets", std::span<const std::int64_t>(tagger.features.offsets));
    file.add("state_labels", std::span<const std::int32_t>(tagger.features.states));
  }
  file.add("transitions", std::span<const std::int32_t>(tagger.features.transitions));
  file.add("parameters", std::span<const double>(tagger.parameters));
  return file;
}

void from_tensors(const TensorFile& file, Tagger& tagger) {
  tagger.loss = read_metadata(file, "omega");
  tagger.temperature = read_number(file, "temperature");
  tagger.templates = read_metadata(file, "templates");
  tagger.labels = read_table(file, "labels");
  tagger.attributes = read_table(file, "attributes");
  tagger.clusters = read_clusters(file);
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
  read_reading(file, tagger);
  tagger.check();
}

}  // namespace fenchel
