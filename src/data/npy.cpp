// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/npy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "data/label_rows.hpp"
#include "data/npy_array.hpp"
#include "data/number.hpp"
#include "fenchel/data/text_source.hpp"

namespace fenchel {
namespace {

/// The file of targets beside `path`, or "".
std::string targets_beside(const std::string& path) {
  const std::filesystem::path file(path);
  std::string name = file.filename().string();
  const std::size_t x = name.rfind('X');
  if (x == std::string::npos) return {};
  name[x] = 'y';
  const std::filesystem::path beside = file.parent_path() / name;
  std::error_code ignored;
  return std::filesystem::is_regular_file(beside, ignored) ? beside.string() : std::string();
}

template <Real T>
void check_entries(const std::string& path, const FeaturesView<T>& x) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const auto row = x.dense_rows().row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (std::isfinite(row[j])) continue;
      throw DataError(path, 0, 0, fmt::format("entry [{}, {}] is {}; features must be finite", i, j, row[j]));
    }
  }
}

template <Real T>
Features features_of(const std::string& path, const NpyArray& array) {
  const NpyArray::Type wanted = sizeof(T) == 4 ? NpyArray::Type::f4 : NpyArray::Type::f8;
  const bool aligned = reinterpret_cast<std::uintptr_t>(array.bytes.data()) % sizeof(T) == 0;
  if (array.type == wanted && aligned && (!array.fortran || array.cols() == 1)) {
    const FeaturesView<T> view(
        MatrixView<const T>(reinterpret_cast<const T*>(array.bytes.data()), array.rows(), array.cols()));
    check_entries(path, view);
    return {view, array.owner};
  }
  Matrix<T> x(array.rows(), array.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < x.cols(); ++j) x(i, j) = static_cast<T>(array(i, j));
  }
  check_entries(path, FeaturesView<T>(x));
  return Features(std::move(x));
}

void read_targets(const std::string& path, Dataset& data) {
  const NpyArray y = read_npy_array(path);
  if (y.rows() != data.rows()) {
    throw DataError(path, 0, 0, fmt::format("{} targets; X has {} rows", y.rows(), data.rows()));
  }
  Matrix<double> values(y.rows(), y.cols());
  LabelRows labels;
  for (std::size_t i = 0; i < y.rows(); ++i) {
    for (std::size_t j = 0; j < y.cols(); ++j) {
      values(i, j) = y(i, j);
      if (!std::isfinite(values(i, j))) {
        throw DataError(path, 0, 0,
                        fmt::format("entry [{}, {}] is {}; targets must be finite", i, j, values(i, j)));
      }
    }
    if (y.shape.size() == 1) labels.push(labels.id(number_text(values(i, 0))));
    labels.end_row();
  }
  labels.finish(data);
  data.values = std::move(values);
}

}  // namespace

Dataset read_npy(const std::string& path, const ReadOptions& options) {
  const NpyArray array = read_npy_array(path);
  Dataset data;
  data.source = path;
  const bool single = options.single || array.type == NpyArray::Type::f4;  // wider would not be more exact
  data.x = single ? features_of<float>(path, array) : features_of<double>(path, array);
  const std::string targets = options.target.empty() ? targets_beside(path) : options.target;
  if (!targets.empty() && targets != "-") read_targets(targets, data);
  return data;
}

}  // namespace fenchel
