// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/model_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/version.hpp"
#include "models/sparse_tensors.hpp"

namespace fenchel {
namespace {

constexpr std::string_view format_name = "fenchel-model";
constexpr std::string_view provenance_prefix = "provenance.";
constexpr std::size_t checksummed_version = 2;     // the first whose files always have checksums
constexpr double largest_size = 9007199254740992;  // 2^53: beyond it a double skips integers

[[noreturn]] void reject_model(const std::string& problem) { throw std::invalid_argument(problem); }

// The array of one dimension called `name`; empty if there is none.
template <TensorEntry T>
std::vector<T> read_vector(const TensorFile& file, const std::string& name) {
  if (!file.contains(name)) return {};
  if (file.shape(name).size() != 1) {
    reject_model(fmt::format("'{}' has {} dimensions; expected 1", name, file.shape(name).size()));
  }
  const auto values = file.tensor<T>(name);
  return {values.begin(), values.end()};
}

void add_vector(TensorFile& file, const std::string& name, const std::vector<double>& values) {
  if (!values.empty()) file.add(name, std::span<const double>(values));
}

Matrix<double> read_matrix(const TensorFile& file, const std::string& name) {
  const auto values = file.tensor<double>(name);
  const auto& shape = file.shape(name);
  if (shape.size() != 2) reject_model(fmt::format("'{}' has {} dimensions; expected 2", name, shape.size()));
  return {shape[0], shape[1], {values.begin(), values.end()}};
}

// Older files have it among the provenance, as indices = 0.
bool take_zero_based(const TensorFile& file, std::map<std::string, std::string>& provenance) {
  if (const auto found = file.metadata.find("zero_based"); found != file.metadata.end()) {
    if (found->second != "true" && found->second != "false") {
      reject_model(fmt::format("'zero_based' of the metadata is '{}'; expected true or false",
                               found->second.substr(0, 80)));
    }
    return found->second == "true";
  }
  const auto noted = provenance.find("indices");
  if (noted == provenance.end() || noted->second != "0") return false;
  provenance.erase(noted);
  return true;
}

void add_head(TensorFile& file, const ModelHead& model) {
  file.metadata["task"] = to_string(model.task);
  file.metadata["loss"] = model.loss_name;
  file.metadata["omega"] = to_json(model.loss.omega().spec());
  file.metadata["temperature"] = metadata_number(model.temperature);
  if (model.zero_based) file.metadata["zero_based"] = "true";
  if (model.format != DataFormat::automatic)
    file.metadata["data_format"] = fenchel::format_name(model.format);
  if (!model.target.empty()) file.metadata["target"] = model.target;
  file.metadata["scaling"] = scaling_name(model.scaler.scaling);
  add_vector(file, "scaling.mean", model.scaler.mean);
  add_vector(file, "scaling.scale", model.scaler.scale);
  add_vector(file, "fill", model.fill);
  add_strings(file, "classes", model.classes);
  add_strings(file, "feature_names", model.feature_names);
  if (!model.nominal.empty()) {
    PackedNominal packed = pack(model.nominal);
    const std::size_t size = packed.columns.size();
    add_strings(file, "nominal", packed.texts);
    file.add("nominal.columns", std::move(packed.columns), {size});
  }
  add_provenance(file, model.provenance);
  if (model.certificate) add_certificate(file, *model.certificate);
}

void read_head(const TensorFile& file, ModelHead& model) {
  model.task = parse_task(read_metadata(file, "task"));
  if (model.task == Task::tagging) reject_model("a model of rows for tagging; expected a tagger");
  model.loss_name = read_metadata(file, "loss");
  model.loss = make_regularizer(read_metadata(file, "omega"));
  if (model.task == Task::ranking) resolve_loss(model.loss_name, model.task, 1);  // predictions will need it
  model.temperature = read_number(file, "temperature");
  model.scaler.scaling = scaling_called(read_metadata(file, "scaling"));
  model.scaler.mean = read_vector<double>(file, "scaling.mean");
  model.scaler.scale = read_vector<double>(file, "scaling.scale");
  model.fill = read_vector<double>(file, "fill");
  model.classes = read_strings(file, "classes");
  model.feature_names = read_strings(file, "feature_names");
  model.nominal = unpack({read_strings(file, "nominal"), read_vector<std::int64_t>(file, "nominal.columns")});
  if (model.classes.empty() && has_classes(model.task)) {
    reject_model(fmt::format("there are no 'classes'; a model for {} has one name for each output",
                             to_string(model.task)));
  }
  model.provenance = read_provenance(file);
  model.zero_based = take_zero_based(file, model.provenance);
  if (file.metadata.contains("data_format")) model.format = format_called(read_metadata(file, "data_format"));
  if (file.metadata.contains("target")) model.target = read_metadata(file, "target");
  model.certificate = read_certificate(file);
}

// The model of the kind that the file names.
template <class... Models>
AnyModel read_kind(const TensorFile& file, std::variant<Models...>*) {
  const std::string& kind = read_metadata(file, "kind");
  std::optional<AnyModel> found;
  const auto read_if_named = [&]<class Model>(std::type_identity<Model>) {
    if (kind != ModelKind<Model>::name) return;
    Model model;
    from_tensors(file, model);
    found = std::move(model);
  };
  (read_if_named(std::type_identity<Models>()), ...);
  if (!found) reject_model(fmt::format("a model of the unknown kind '{}'", kind.substr(0, 80)));
  return *std::move(found);
}

void check_format(const TensorFile& file) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != format_name) {
    reject_model("not a model of this library: its metadata have no format fenchel-model");
  }
  const std::size_t version = read_size(file, "format_version");
  if (version < 1) reject_model("'format_version' of the metadata is 0; expected 1 or more");
  if (version > model_format_version) {
    reject_model(fmt::format("written in format version {}; this library reads up to {}", version,
                             model_format_version));
  }
  if (version >= checksummed_version && !file.checksummed()) {
    reject_model(fmt::format("damaged: a model of format version {} without checksums", version));
  }
}

AnyModel read_model(const TensorFile& file, const std::string& source) {
  try {
    check_format(file);
    return read_kind(file, static_cast<AnyModel*>(nullptr));
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(fmt::format("{}: {}", source, error.what()));
  }
}

// A file with another model could not be read again.
void check_model(const AnyModel& model) {
  std::visit([](const auto& one) { one.check(); }, model);
}

// The arrays are the model's own: it must live until they are written.
TensorFile model_tensors(const AnyModel& model) {
  return std::visit(
      []<class Model>(const Model& one) {
        TensorFile file = to_tensors(one);
        file.metadata["format"] = format_name;
        file.metadata["format_version"] = std::to_string(model_format_version);
        file.metadata["library_version"] = FENCHEL_VERSION;
        file.metadata["kind"] = ModelKind<Model>::name;
        return file;
      },
      model);
}

}  // namespace

void add_provenance(TensorFile& file, const std::map<std::string, std::string>& provenance) {
  for (const auto& [key, value] : provenance) file.metadata[std::string(provenance_prefix) + key] = value;
}

std::map<std::string, std::string> read_provenance(const TensorFile& file) {
  std::map<std::string, std::string> provenance;
  for (const auto& [key, value] : file.metadata) {
    if (key.starts_with(provenance_prefix)) provenance[key.substr(provenance_prefix.size())] = value;
  }
  return provenance;
}

void add_sparse(TensorFile& file, const std::string& name, const CsrMatrix<double>& rows) {
  file.add(name + ".offsets", std::span<const std::int64_t>(rows.offsets));
  file.add(name + ".indices", std::span<const std::int32_t>(rows.indices));
  file.add(name + ".values", std::span<const double>(rows.values));
}

CsrMatrix<double> read_sparse(const TensorFile& file, const std::string& name, std::size_t cols) {
  CsrMatrix<double> rows;
  rows.cols = cols;
  rows.offsets = read_vector<std::int64_t>(file, name + ".offsets");
  rows.indices = read_vector<std::int32_t>(file, name + ".indices");
  rows.values = read_vector<double>(file, name + ".values");
  const auto entries = static_cast<std::int64_t>(rows.values.size());
  bool fits = !rows.offsets.empty() && rows.offsets.front() == 0 && rows.offsets.back() == entries &&
              rows.indices.size() == rows.values.size() && std::ranges::is_sorted(rows.offsets);
  for (const std::int32_t index : rows.indices) {
    fits = fits && index >= 0 && static_cast<std::size_t>(index) < cols;
  }
  if (!fits) reject_model(fmt::format("'{}' is not a sparse matrix of {} columns", name, cols));
  return rows;
}

const std::string& read_metadata(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find(name);
  if (found == file.metadata.end()) reject_model(fmt::format("the metadata have no '{}'", name));
  return found->second;
}

std::string metadata_number(double value) { return fmt::format("{}", value); }

double read_number(const TensorFile& file, const std::string& name) {
  const std::string& text = read_metadata(file, name);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    reject_model(fmt::format("'{}' of the metadata is '{}'; expected a number", name, text.substr(0, 80)));
  }
  return value;
}

std::size_t read_size(const TensorFile& file, const std::string& name) {
  const double value = read_number(file, name);
  if (!(value >= 0 && value <= largest_size) || value != std::floor(value)) {
    reject_model(fmt::format("'{}' of the metadata is {}; expected a whole number", name, value));
  }
  return static_cast<std::size_t>(value);
}

TensorFile to_tensors(const LinearModel& model) {
  TensorFile file;
  add_head(file, model);
  file.add("weights", model.weights.entries(), {model.features(), model.outputs()});
  add_vector(file, "intercept", model.intercept);
  return file;
}

void from_tensors(const TensorFile& file, LinearModel& model) {
  read_head(file, model);
  model.weights = read_matrix(file, "weights");
  model.intercept = read_vector<double>(file, "intercept");
  model.check();
  const bool ranks = model.task == Task::ranking;
  if (ranks && model.outputs() != 1)
    reject_model(fmt::format("a ranker of {} outputs; expected 1", model.outputs()));
}

TensorFile to_tensors(const KernelPredictor& model) {
  const KernelModel& expansion = model.expansion;
  TensorFile file;
  add_head(file, model);
  file.metadata["kernel"] = to_json(expansion.kernel.spec());
  file.metadata["features"] = std::to_string(expansion.features);
  file.metadata["outputs"] = std::to_string(expansion.outputs);
  file.add("support", std::vector<std::int64_t>(expansion.support.begin(), expansion.support.end()),
           {expansion.support.size()});
  if (!expansion.dense.empty()) {
    file.add("dense", expansion.dense.entries(), {expansion.dense.rows(), expansion.dense.cols()});
  } else if (expansion.sparse.rows() > 0) {
    add_sparse(file, "sparse", expansion.sparse);
  }
  add_sparse(file, "coefficients", expansion.coefficients);
  return file;
}

void from_tensors(const TensorFile& file, KernelPredictor& model) {
  read_head(file, model);
  KernelModel& expansion = model.expansion;
  expansion.kernel = make_kernel(read_metadata(file, "kernel"));
  expansion.features = read_size(file, "features");
  expansion.outputs = read_size(file, "outputs");
  for (const std::int64_t number : read_vector<std::int64_t>(file, "support")) {
    if (number < 0) reject_model(fmt::format("'support' has {}; expected numbers of examples", number));
    expansion.support.push_back(static_cast<std::size_t>(number));
  }
  if (file.contains("dense")) expansion.dense = read_matrix(file, "dense");
  if (file.contains("sparse.offsets")) expansion.sparse = read_sparse(file, "sparse", expansion.features);
  expansion.coefficients = read_sparse(file, "coefficients", expansion.outputs);
  const bool precomputed = expansion.kernel.kind == Kernel::Kind::precomputed;
  if (!precomputed && !expansion.support.empty() && expansion.dense.empty() && expansion.sparse.rows() == 0) {
    reject_model("a kernel model without the rows of its support");
  }
  if (precomputed) {
    for (const std::size_t number : expansion.support) {
      if (number >= expansion.features)
        reject_model(fmt::format("'support' has {}; expected less than {}", number, expansion.features));
    }
  }
  model.check();
}

const ModelHead& head_of(const AnyModel& model) {
  if (const auto* linear = std::get_if<LinearModel>(&model)) return *linear;
  if (const auto* kernel = std::get_if<KernelPredictor>(&model)) return *kernel;
  reject_model("the model is a tagger; expected a model of rows");
}

Task task_of(const AnyModel& model) {
  return std::holds_alternative<Tagger>(model) ? Task::tagging : head_of(model).task;
}

void save(const AnyModel& model, const std::filesystem::path& path) {
  check_model(model);
  write_tensor_file(path, model_tensors(model));
}

AnyModel load(const std::filesystem::path& path) { return read_model(read_tensor_file(path), path.string()); }

std::vector<std::byte> model_bytes(const AnyModel& model) {
  check_model(model);
  return tensor_file_bytes(model_tensors(model));
}

AnyModel model_from_bytes(std::span<const std::byte> bytes, const std::string& source) {
  return read_model(read_tensor_bytes(bytes, source), source);
}

}  // namespace fenchel
