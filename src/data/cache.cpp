// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/cache.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "core/string_arrays.hpp"
#include "data/text_source.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/tensor_file.hpp"

namespace fenchel {
namespace {

constexpr const char* kind = "fenchel data set";
constexpr const char* version = "2";
constexpr std::size_t looked_at = 256;  // bytes at the beginning, where the metadata are

template <Real T>
void add_features(TensorFile& file, const FeaturesView<T>& x) {
  if (!x.sparse()) {
    const auto& rows = x.dense_rows();
    if (rows.stride() == rows.cols()) {
      file.add("x", std::span<const T>(rows.data(), rows.rows() * rows.cols()), {rows.rows(), rows.cols()});
      return;
    }
    std::vector<T> copy;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      copy.insert(copy.end(), rows.row(i).begin(), rows.row(i).end());
    file.add("x", std::move(copy), {rows.rows(), rows.cols()});
    return;
  }
  const CsrView<T>& rows = x.sparse_rows();
  std::vector<std::int64_t> offsets(rows.rows() + 1);
  for (std::size_t i = 0; i <= rows.rows() && !rows.offsets().empty(); ++i) {
    offsets[i] = rows.offsets()[i] - rows.offsets()[0];
  }
  file.add("x.offsets", std::move(offsets), {rows.rows() + 1});
  const std::int32_t* indices = rows.rows() > 0 ? rows.indices(0).data() : nullptr;
  const T* values = rows.rows() > 0 ? rows.values(0).data() : nullptr;
  file.add("x.indices", std::span(indices, rows.size()));
  file.add("x.values", std::span(values, rows.size()));
}

/// Takes a mapped file apart, checking everything.
class CacheReader {
 public:
  explicit CacheReader(const TensorFile& file) : file_(file) {}

  Dataset read() {
    if (file_.metadata.count("format") == 0 || file_.metadata.at("format") != kind) {
      refuse("not a cached data set");
    }
    if (file_.metadata.count("version") == 0 || file_.metadata.at("version") != version) {
      refuse("a cache of another version; convert the data again");
    }
    if (!file_.checksummed()) refuse("damaged: a cache without checksums");
    Dataset data;
    read_features(data);
    data.feature_names = strings("feature_names");
    if (!data.feature_names.empty() && data.feature_names.size() != data.x.cols()) {
      refuse("the number of feature names is not the number of features");
    }
    read_labels(data);
    read_values(data);
    if (file_.contains("queries")) data.queries = offsets("queries", data.rows());
    if (file_.contains("weights")) data.weights = numbers("weights");
    if (!data.weights.empty() && data.weights.size() != data.rows())
      refuse("weights has another number of rows");
    if (file_.contains("fill")) data.fill = numbers("fill");
    if (!data.fill.empty() && data.fill.size() != data.x.cols())
      refuse(
          fmt::format("fill has {} values; expected {}, one per feature", data.fill.size(), data.x.cols()));
    read_nominal(data);
    read_imputed(data);
    data.source = file_.source();
    return data;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw DataError(file_.source(), 0, 0, why); }

  template <class T>
  std::vector<T> vector(const std::string& name) const {
    const auto values = file_.tensor<T>(name);
    return {values.begin(), values.end()};
  }

  template <Real T>
  void check_numbers(const std::string& name, std::span<const T> values, std::ptrdiff_t row = -1) const {
    try {
      check_finite(name, values, row);
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }

  std::vector<double> numbers(const std::string& name) const {
    std::vector<double> values = vector<double>(name);
    check_numbers<double>(name, values);
    return values;
  }

  std::vector<std::string> strings(const std::string& name) const {
    if (!file_.contains(name + ".ends")) return {};
    try {
      return read_string_arrays(file_, name);
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }

  /// Checked: from 0 to `end`, never decreasing.
  void check_offsets(const std::string& name, std::span<const std::int64_t> values, std::size_t end) const {
    if (values.empty() || values.front() != 0 || values.back() != static_cast<std::int64_t>(end)) {
      refuse(fmt::format("{} does not go from 0 to {}", name, end));
    }
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] < values[i - 1]) refuse(fmt::format("{} decreases at {}", name, i));
    }
  }
  std::vector<std::int64_t> offsets(const std::string& name, std::size_t end) const {
    std::vector<std::int64_t> result = vector<std::int64_t>(name);
    check_offsets(name, result, end);
    return result;
  }

  void read_features(Dataset& data) const {
    const std::string name = file_.contains("x") ? "x" : "x.values";
    if (file_.type(name) == TensorType::f32) {
      data.x = name == "x" ? dense<float>() : sparse<float>();
    } else {
      data.x = name == "x" ? dense<double>() : sparse<double>();
    }
  }

  template <Real T>
  Features dense() const {
    const auto& shape = file_.shape("x");
    if (shape.size() != 2 || shape[1] == 0) refuse("x is not a matrix with columns");
    const MatrixView<const T> rows(file_.tensor<T>("x").data(), shape[0], shape[1]);
    for (std::size_t i = 0; i < rows.rows(); ++i)
      check_numbers("x", rows.row(i), static_cast<std::ptrdiff_t>(i));
    return {FeaturesView<T>(rows), file_.owner("x")};
  }

  template <Real T>
  Features sparse() const {
    const auto values = file_.tensor<T>("x.values");
    const auto indices = file_.tensor<std::int32_t>("x.indices");
    std::vector<std::int64_t> ends = vector<std::int64_t>("x.offsets");
    const std::size_t cols = columns();
    if (indices.size() != values.size()) refuse("x.indices and x.values have different sizes");
    check_offsets("x.offsets", ends, values.size());
    check_numbers("x.values", values);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      std::int64_t previous = -1;
      for (auto e = static_cast<std::size_t>(ends[i]); e < static_cast<std::size_t>(ends[i + 1]); ++e) {
        const std::int64_t index = indices[e];
        if (index <= previous || static_cast<std::size_t>(index) >= cols) {
          refuse(fmt::format("index {} after {} in row {}; expected increasing ones below {}", index,
                             previous, i, cols));
        }
        previous = index;
      }
    }
    // Offsets are copied: whatever becomes of the file, they do not send anybody beyond the arrays.
    struct Owners {
      std::array<std::shared_ptr<const void>, 2> parts;
      std::vector<std::int64_t> ends;
    };
    const auto owner = std::make_shared<const Owners>(
        Owners{{file_.owner("x.values"), file_.owner("x.indices")}, std::move(ends)});
    return {FeaturesView<T>(CsrView<T>(cols, owner->ends, indices.data(), values.data())), owner};
  }

  std::size_t columns() const {
    const auto values = file_.tensor<std::int64_t>("x.cols");
    if (values.size() != 1 || values[0] < 0 || values[0] > std::numeric_limits<std::int32_t>::max()) {
      refuse("x.cols is not a number of columns");
    }
    return static_cast<std::size_t>(values[0]);
  }

  void read_labels(Dataset& data) const {
    data.labels.names = strings("labels.names");
    if (!file_.contains("labels.offsets")) return;
    data.labels.indices = vector<std::int32_t>("labels.indices");
    data.labels.offsets = offsets("labels.offsets", data.labels.indices.size());
    if (data.labels.rows() != data.rows()) refuse("labels has another number of rows");
    std::vector<std::string> sorted = data.labels.names;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      refuse(fmt::format("labels.names has '{}' twice", *twice));
    for (const std::int32_t index : data.labels.indices) {
      if (index < 0 || static_cast<std::size_t>(index) >= data.labels.names.size()) {
        refuse(fmt::format("label {} of {}", index, data.labels.names.size()));
      }
    }
    if (file_.contains("labels.weights")) data.labels.weights = numbers("labels.weights");
    if (!data.labels.weights.empty() && data.labels.weights.size() != data.labels.indices.size()) {
      refuse("labels.weights and labels.indices have different sizes");
    }
    if (file_.contains("labels.places")) data.labels.places = vector<std::int32_t>("labels.places");
    if (!data.labels.places.empty() && data.labels.places.size() != data.labels.indices.size()) {
      refuse("labels.places and labels.indices have different sizes");
    }
    check_places(data.labels);
  }

  /// Places count from 0, and none is left out.
  void check_places(const Labels& labels) const {
    for (std::size_t i = 0; i < labels.rows() && !labels.places.empty(); ++i) {
      std::int32_t before = 0;
      for (auto e = labels.offsets[i]; e < labels.offsets[i + 1]; ++e) {
        const std::int32_t place = labels.places[static_cast<std::size_t>(e)];
        const bool first = e == labels.offsets[i];
        if (place != before && (first || place != before + 1)) refuse("labels.places is no order");
        before = place;
      }
    }
  }

  void read_values(Dataset& data) const {
    if (!file_.contains("values")) return;
    const auto& shape = file_.shape("values");
    if (shape.size() != 2 || shape[0] != data.rows()) refuse("values has another number of rows");
    data.values = Matrix<double>(shape[0], shape[1], numbers("values"));
  }

  void read_nominal(Dataset& data) const {
    if (!file_.contains("nominal.columns")) return;
    try {
      data.nominal = unpack({strings("nominal"), vector<std::int64_t>("nominal.columns")});
      check_nominal(data.nominal, data.x.cols());
    } catch (const std::invalid_argument& error) {
      refuse(error.what());
    }
  }

  void read_imputed(Dataset& data) const {
    if (!file_.contains("imputed.rows")) return;
    const auto rows = file_.tensor<std::int64_t>("imputed.rows");
    const auto features = file_.tensor<std::int64_t>("imputed.features");
    if (rows.size() != features.size() || data.fill.empty())
      refuse("imputed.rows does not fit imputed.features");
    std::vector<ImputedCell>& cells = data.imputed.emplace();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      cells.push_back({static_cast<std::size_t>(rows[k]), static_cast<std::size_t>(features[k])});
      const ImputedCell& cell = cells.back();
      if (cell.row >= data.rows() || cell.feature >= data.x.cols() || (k > 0 && cell <= cells[k - 1])) {
        refuse(fmt::format("imputed cell {} is row {}, feature {}; expected increasing ones within the data",
                           k, rows[k], features[k]));
      }
    }
  }

  const TensorFile& file_;
};

}  // namespace

void write_cache(const Dataset& data, const std::filesystem::path& path) {
  TensorFile file;
  file.metadata.emplace("format", kind);
  file.metadata.emplace("version", version);
  data.x.visit([&file](const auto& x) { add_features(file, x); });
  if (data.x.sparse())
    file.add("x.cols", std::vector<std::int64_t>{static_cast<std::int64_t>(data.x.cols())}, {1});
  if (!data.feature_names.empty()) add_string_arrays(file, "feature_names", data.feature_names);
  if (!data.labels.names.empty()) add_string_arrays(file, "labels.names", data.labels.names);
  if (data.labels.rows() > 0) {
    file.add("labels.offsets", std::span<const std::int64_t>(data.labels.offsets));
    file.add("labels.indices", std::span<const std::int32_t>(data.labels.indices));
  }
  if (!data.labels.weights.empty()) file.add("labels.weights", std::span<const double>(data.labels.weights));
  if (!data.labels.places.empty())
    file.add("labels.places", std::span<const std::int32_t>(data.labels.places));
  if (!data.values.empty())
    file.add("values", data.values.entries(), {data.values.rows(), data.values.cols()});
  if (!data.queries.empty()) file.add("queries", std::span<const std::int64_t>(data.queries));
  if (!data.weights.empty()) file.add("weights", std::span<const double>(data.weights));
  if (!data.fill.empty()) file.add("fill", std::span<const double>(data.fill));
  if (data.imputed) {
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> features;
    for (const ImputedCell& cell : *data.imputed) {
      rows.push_back(static_cast<std::int64_t>(cell.row));
      features.push_back(static_cast<std::int64_t>(cell.feature));
    }
    const std::size_t count = rows.size();
    file.add("imputed.rows", std::move(rows), {count});
    file.add("imputed.features", std::move(features), {count});
  }
  if (!data.nominal.empty()) {
    PackedNominal packed = pack(data.nominal);
    const std::size_t size = packed.columns.size();
    add_string_arrays(file, "nominal", packed.texts);
    file.add("nominal.columns", std::move(packed.columns), {size});
  }
  write_tensor_file(path, file);
}

Dataset map_cache(const std::filesystem::path& path) {
  const TensorFile file = map_tensor_file(path);
  return CacheReader(file).read();
}

bool is_cache(const std::filesystem::path& path) {
  if (!is_tensor_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string start(looked_at, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start.find(kind) != std::string::npos;
}

}  // namespace fenchel
