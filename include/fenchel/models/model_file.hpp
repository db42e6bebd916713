// SPDX-License-Identifier: Apache-2.0
// Models as files: safetensors with what the numbers mean in `__metadata__` (core/tensor_file.hpp). Every
// kind of model has a name, and two functions that put it into arrays and take it out again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fenchel/core/tensor_file.hpp"
#include "fenchel/models/kernel_predictor.hpp"
#include "fenchel/models/linear_model.hpp"
#include "fenchel/models/tagger.hpp"

namespace fenchel {

/// The version of the layout; files of later ones are refused. From 2 on files have checksums; those of
/// version 1, among them what other programs write, may lack them.
inline constexpr int model_format_version = 2;

/// A model of any kind: the one list. Adding a kind is its name here, to_tensors and from_tensors.
using AnyModel = std::variant<LinearModel, KernelPredictor, Tagger>;

/// The name of a kind, as in the file and in `fenchel inspect`.
template <class Model>
struct ModelKind;
template <>
struct ModelKind<LinearModel> {
  static constexpr std::string_view name = "linear";
};
template <>
struct ModelKind<KernelPredictor> {
  static constexpr std::string_view name = "kernel";
};
template <>
struct ModelKind<Tagger> {
  static constexpr std::string_view name = "tagger";
};

/// Arrays and metadata of a model. The arrays are the model's own: it must live until they are written.
TensorFile to_tensors(const LinearModel& model);
TensorFile to_tensors(const KernelPredictor& model);
/// The model of a file of its kind. Throws std::invalid_argument saying which part is wrong.
void from_tensors(const TensorFile& file, LinearModel& model);
void from_tensors(const TensorFile& file, KernelPredictor& model);

/// What models of rows have in common. Throws std::invalid_argument for a tagger, which has none.
const ModelHead& head_of(const AnyModel& model);
Task task_of(const AnyModel& model);

/// Writes the model, atomically: an old file of that name is replaced as a whole or stays as it was. Throws
/// std::system_error if it cannot be written, std::invalid_argument if a parameter is not finite.
void save(const AnyModel& model, const std::filesystem::path& path);

/// Reads a model of any kind. Throws std::runtime_error naming the file and what is wrong with it.
AnyModel load(const std::filesystem::path& path);

/// The content of a model's file as bytes in memory, and back; `source` stands for the file's name in
/// messages.
std::vector<std::byte> model_bytes(const AnyModel& model);
AnyModel model_from_bytes(std::span<const std::byte> bytes, const std::string& source = "the model");

/// Strings in a file: in the metadata as JSON where they are UTF-8, else as arrays of bytes. For to_tensors
/// and from_tensors.
void add_strings(TensorFile& file, const std::string& name, const std::vector<std::string>& strings);
std::vector<std::string> read_strings(const TensorFile& file, const std::string& name);
/// What a model was trained on, and how: entries `provenance.NAME` of the metadata.
void add_provenance(TensorFile& file, const std::map<std::string, std::string>& provenance);
std::map<std::string, std::string> read_provenance(const TensorFile& file);
/// The value called `name`, which must be there.
const std::string& read_metadata(const TensorFile& file, const std::string& name);
/// A number in the metadata, exact both ways; read_size is for whole ones from 0.
std::string metadata_number(double value);
double read_number(const TensorFile& file, const std::string& name);
std::size_t read_size(const TensorFile& file, const std::string& name);

}  // namespace fenchel
