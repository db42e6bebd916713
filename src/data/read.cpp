// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/read.hpp"

#include <fmt/format.h>

#include <optional>
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
  if (options.features == 0 || data.x.cols() == options.features) return;
  throw DataError(data.source, 0, 0,
                  fmt::format("{} features; expected {}", data.x.cols(), options.features));
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
  std::optional<TextSource> source;
  Choice choice{options.format, "as asked"};
  if (choice.format == DataFormat::automatic) choice = choose(paths.files().front(), source);
  Reading reading = read_as(choice.format, paths, source ? &*source : nullptr, options);
  reading.format = choice.format;
  reading.why = std::move(choice.why);
  reading.data.source = paths.description();
  if (reading.data.rows() == 0) throw DataError(paths.description(), 0, 0, "there are no rows");
  check_features(reading.data, options);
  return reading;
}

}  // namespace fenchel
