// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/read.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/concatenate.hpp"
#include "data/guess.hpp"
#include "data/readers.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/npy.hpp"
#include "fenchel/data/time_series.hpp"

namespace fenchel {
namespace {

struct Choice {
  DataFormat format = DataFormat::automatic;
  std::string why;
};

/// Chooses a format; what had to be opened to see its lines is left open in `source`.
Choice choose(const std::string& path, std::optional<TextSource>& source) {
  if (const DataFormat format = format_by_bytes(path); format != DataFormat::automatic) {
    return {format, "by its first bytes"};
  }
  if (const DataFormat format = format_by_ending(path); format != DataFormat::automatic) {
    return {format, "by the ending of its name"};
  }
  source.emplace(path);
  const std::string_view start = source->peek();
  if (const DataFormat format = format_by_lines(start); format != DataFormat::automatic) {
    return {format, "by its first lines"};
  }
  std::string_view line;
  if (!source->next_line(line)) throw DataError(source->name(), 0, 0, "there are no rows");
  throw DataError(source->name(), 0, 0,
                  "the format cannot be told from the name or the first lines; give it");
}

template <class F>
Dataset read_each(const Paths& paths, F&& read) {
  std::vector<Dataset> parts;
  for (const std::string& path : paths.files()) parts.push_back(read(path));
  return concatenate(parts);
}

void check_features(const Dataset& data, const ReadOptions& options) {
  const std::size_t expected = options.fill.empty() ? options.features : options.fill.size();
  if (expected == 0 || data.x.cols() == expected) return;
  throw DataError(data.source, 0, 0, fmt::format("{} features; expected {}", data.x.cols(), expected));
}

void check_options(const ReadOptions& options) {
  if (options.nominal_columns) {
    const std::size_t any = std::numeric_limits<std::size_t>::max();
    check_nominal(*options.nominal_columns, options.features == 0 ? any : options.features);
  }
  if (options.fill.empty()) return;
  if (options.missing != Missing::fill) {
    throw std::invalid_argument(
        "fill has values, but missing is not Missing::fill; expected both or neither");
  }
  if (options.features != 0 && options.fill.size() != options.features) {
    throw std::invalid_argument(
        fmt::format("fill has {} values; expected {}, one a feature", options.fill.size(), options.features));
  }
}

/// A cache has forgotten which values were missing: they cannot be replaced again.
void check_fill(const Dataset& data, const ReadOptions& options) {
  if (options.missing != Missing::fill || data.fill.empty() || data.fill == options.fill) return;
  throw DataError(data.source, 0, 0,
                  "missing values were replaced by what stands for them in other data than the model's; "
                  "expected a cache converted for the model");
}

/// Nor does it know the names again that became numbers.
void check_nominal_columns(const Dataset& data, const ReadOptions& options) {
  if (!options.nominal_columns || options.nominal_columns->empty()) return;
  if (data.nominal.empty() || data.nominal == *options.nominal_columns) return;
  throw DataError(data.source, 0, 0,
                  "the values of nominal columns have other numbers than in the model; "
                  "expected a cache converted for the model");
}

Reading read_as(DataFormat format, const Paths& paths, TextSource* first, const ReadOptions& options) {
  Reading reading;
  switch (format) {
    case DataFormat::svmlight:
      return read_svmlight_files(paths.files(), first, options);
    case DataFormat::arff:
      return read_arff_files(paths.files(), first, options);
    case DataFormat::csv:
      return read_csv_files(paths.files(), first, options);
    case DataFormat::npy:
      reading.data = read_each(paths, [&](const std::string& path) { return read_npy(path, options); });
      return reading;
    case DataFormat::cache:
      reading.data = read_each(paths, [](const std::string& path) { return map_cache(path); });
      return reading;
    case DataFormat::time_series:
      if (first && paths.files().front() == "-") {
        throw DataError(first->name(), 0, 0, "time series on the standard input need their format given");
      }
      reading.data = to_dataset(read_time_series(paths, options), options);
      return reading;
    default:
      throw DataError(paths.description(), 0, 0,
                      fmt::format("{} is a format of sequences, not of rows", format_name(format)));
  }
}

}  // namespace

DataFormat guess_format(const std::string& path) {
  std::optional<TextSource> source;
  return choose(path, source).format;
}

Reading read_dataset(const Paths& paths, const ReadOptions& options) {
  check_options(options);
  std::optional<TextSource> source;
  Choice choice{options.format, "as asked"};
  if (choice.format == DataFormat::automatic) choice = choose(paths.files().front(), source);
  Reading reading = read_as(choice.format, paths, source ? &*source : nullptr, options);
  reading.format = choice.format;
  reading.why = std::move(choice.why);
  reading.data.source = paths.description();
  if (reading.data.rows() == 0) throw DataError(paths.description(), 0, 0, "there are no rows");
  check_features(reading.data, options);
  check_fill(reading.data, options);
  check_nominal_columns(reading.data, options);
  return reading;
}

}  // namespace fenchel
