// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/file_bytes.hpp"
#include "data/byte_source.hpp"
#include "data/label_rows.hpp"
#include "data/npy_header.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/text_source.hpp"

namespace fenchel {
namespace {

/// An array of a .npy file.
struct NpyArray {
  enum class Type { f4, f8, i4, i8, u1 };
  Type type = Type::f8;
  bool fortran = false;
  std::vector<std::size_t> shape;  ///< one or two sizes
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  static std::size_t size_of(Type type) {
    if (type == Type::u1) return 1;
    return type == Type::f4 || type == Type::i4 ? 4 : 8;
  }
  std::size_t rows() const { return shape[0]; }
  std::size_t cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  /// Entry i of an array of one dimension as a label: integers exactly, also those that doubles do not tell
  /// apart.
  std::string text(std::size_t i) const {
    if (type != Type::i8) return number_text((*this)(i, 0));
    std::int64_t value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return std::to_string(value);
  }
  /// Entry (i, j) as a double.
  double operator()(std::size_t i, std::size_t j) const {
    const std::size_t place = (fortran ? j * rows() + i : i * cols() + j) * size_of(type);
    const auto load = [&]<class T>(T value) {
      std::memcpy(&value, bytes.data() + place, sizeof value);
      return static_cast<double>(value);
    };
    switch (type) {
      case Type::f4:
        return load(float{});
      case Type::i4:
        return load(std::int32_t{});
      case Type::i8:
        return load(std::int64_t{});
      case Type::u1:
        return load(std::uint8_t{});
      default:
        return load(double{});
    }
  }
};

constexpr std::pair<std::string_view, NpyArray::Type> types[] = {
    {"<f4", NpyArray::Type::f4}, {"<f8", NpyArray::Type::f8}, {"<i4", NpyArray::Type::i4},
    {"<i8", NpyArray::Type::i8}, {"|u1", NpyArray::Type::u1}, {"|b1", NpyArray::Type::u1}};

constexpr std::size_t unpacked_at_once = std::size_t{1} << 20;

/// The bytes of the file: mapped, or unpacked if they are gzip'd.
FileBytes bytes_of(const std::string& path) {
  FileBytes mapped = map_bytes(path);
  const bool packed =
      mapped.bytes.size() >= 2 && mapped.bytes[0] == std::byte{0x1F} && mapped.bytes[1] == std::byte{0x8B};
  if (!packed) return mapped;
  ByteSource source(path, path);
  const auto unpacked = std::make_shared<std::vector<std::byte>>();
  std::size_t used = 0;
  for (std::size_t count = 1; count > 0; used += count) {
    unpacked->resize(used + unpacked_at_once);
    count = source.read(reinterpret_cast<char*>(unpacked->data()) + used, unpacked_at_once);
  }
  unpacked->resize(used);
  return {*unpacked, unpacked};
}

/// Reads or maps a file. Throws DataError if it is not an array that can be read.
NpyArray read_npy_array(const std::string& path) {
  FileBytes file = bytes_of(path);
  NpyArray array;
  array.bytes = file.bytes;
  array.owner = std::move(file.owner);
  const NpyHeader header = read_npy_header(path, array.bytes);
  const auto* const known = std::find_if(std::begin(types), std::end(types),
                                         [&](const auto& type) { return type.first == header.type; });
  if (known == std::end(types)) {
    throw DataError(path, 0, 0,
                    fmt::format("type {}; expected <f4, <f8, <i4, <i8, |u1 or |b1", in_quotes(header.type)));
  }
  array.type = known->second;
  array.fortran = header.fortran;
  array.shape = header.shape;
  if (array.shape.empty() || array.shape.size() > 2 || array.shape.back() == 0) {
    throw DataError(path, 0, 0,
                    fmt::format("shape ({}); expected one or two sizes > 0", fmt::join(array.shape, ", ")));
  }
  std::size_t expected = NpyArray::size_of(array.type);
  bool fits = true;
  for (const std::size_t size : array.shape)
    fits = fits && !__builtin_mul_overflow(expected, size, &expected);
  if (!fits || expected != array.bytes.size()) {
    throw DataError(path, 0, 0,
                    fmt::format("{} bytes of entries; the shape needs another number", array.bytes.size()));
  }
  return array;
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
    if (y.shape.size() == 1) labels.push(labels.id(y.text(i)));
    labels.end_row();
  }
  labels.finish(data);
  data.values = std::move(values);
}

}  // namespace

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
