// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/read.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/mapping.hpp"
#include "core/utf8.hpp"
#include "data/doubts.hpp"
#include "data/label_rows.hpp"
#include "data/memory.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/side_files.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/npy.hpp"
#include "fenchel/data/svmlight.hpp"
#include "fenchel/data/time_series.hpp"

namespace fenchel {
namespace {

constexpr const char* by_lines = "by its first lines";

struct Choice {
  std::vector<DataFormat> formats;  ///< one, unless it is not certain
  std::string why;
};

/// What a format would make of a file, where it may be two.
std::string_view meaning(DataFormat format) {
  switch (format) {
    case DataFormat::csv:
      return "rows of values, the target last";
    case DataFormat::time_series:
      return "a series per line, its label first";
    case DataFormat::conll:
      return "a token per line, its label last";
    case DataFormat::svmlight:
      return "label index:value …";
    default:
      return "";
  }
}

/// The only format of a choice. Throws DataError where there is none, or several.
DataFormat certain(const std::vector<DataFormat>& formats, const std::string& source) {
  if (formats.size() == 1) return formats.front();
  if (formats.empty()) {
    throw DataError(source, 0, 0,
                    "the format cannot be told from the name or the first lines; give `format`");
  }
  std::string list;
  for (const DataFormat format : formats) {
    list +=
        fmt::format("{}`format={}` ({})", list.empty() ? "" : " or ", format_name(format), meaning(format));
  }
  throw DataError(source, 0, 0, fmt::format("the format is not certain; give {}", list));
}

/// Chooses a format; what had to be opened to see its lines is left open in `source`.
Choice choose(const std::string& path, std::optional<TextSource>& source) {
  if (const DataFormat format = format_by_bytes(path); format != DataFormat::automatic) {
    return {{format}, "by its first bytes"};
  }
  constexpr const char* by_ending = "by the ending of its name";
  const DataFormat named = format_by_ending(path);
  const bool table = named == DataFormat::csv;
  const bool tokens = named == DataFormat::conll;
  if (named != DataFormat::automatic && !table && !tokens) return {{named}, by_ending};
  source.emplace(path);
  const std::string_view start = source->peek();
  if (tokens) return {{is_universal(start) ? DataFormat::conllu : named}, by_ending};
  check_not_foreign(source->name(), start);
  if (table) return {formats_of_table(path, start), by_ending};
  std::vector<DataFormat> formats = formats_by_lines(start);
  if (formats == std::vector{DataFormat::csv}) formats = formats_of_table(path, start);
  std::string_view line;
  if (formats.empty() && !source->next_line(line)) throw DataError(source->name(), 0, 0, "there are no rows");
  return {formats, by_lines};
}

/// The same where the format of other data is known.
Choice choose(const std::string& path, std::optional<TextSource>& source, DataFormat known) {
  Choice choice = choose(path, source);
  if (!source) return choice;
  std::vector<DataFormat> formats = narrowed(choice.formats, known, source->peek());
  if (formats == choice.formats) return choice;
  return {std::move(formats), "as in training"};
}

/// Throws DataError where the name of a later file says another format than the first one has: a row of CSV
/// alone is a label of svmlight. Series are called .tsv too.
void check_names(const Paths& paths, DataFormat format) {
  const auto table = [](DataFormat one) { return one == DataFormat::csv || one == DataFormat::time_series; };
  for (const std::string& file : paths.files()) {
    const DataFormat named = format_by_ending(file);
    if (named == DataFormat::automatic || named == format || (table(named) && table(format))) continue;
    throw DataError(file, 0, 0,
                    fmt::format("this is {} by the ending of its name, and {} is {}; expected files of one "
                                "format, or `format`",
                                format_name(named), paths.files().front(), format_name(format)));
  }
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
  const std::size_t names = options.feature_names.size();
  if (names > 0 && options.features != 0 && names != options.features) {
    throw std::invalid_argument(
        fmt::format("feature_names has {} names; expected {}, one per feature", names, options.features));
  }
  if (options.fill.empty()) return;
  if (options.missing != Missing::fill) {
    throw std::invalid_argument(
        "fill has values, but missing is not Missing::fill; expected both or neither");
  }
  if (options.features != 0 && options.fill.size() != options.features) {
    throw std::invalid_argument(fmt::format("fill has {} values; expected {}, one per feature",
                                            options.fill.size(), options.features));
  }
}

/// Puts what stands for missing values into a cache that was made with others. One that was made for a model
/// no longer knows which they were.
void put_fill(Dataset& data, const ReadOptions& options) {
  if (options.missing != Missing::fill || data.fill.empty() || data.fill == options.fill) return;
  if (data.imputed && !options.fill.empty()) {
    data = with_fill(data, options.fill);
    return;
  }
  throw DataError(data.source, 0, 0,
                  "missing values were replaced by what stands for them in other data than the model's; "
                  "expected a cache converted for the model");
}

/// Nor does it know the names that became numbers.
void check_nominal_columns(const Dataset& data, const ReadOptions& options) {
  if (!options.nominal_columns || options.nominal_columns->empty()) return;
  if (data.nominal.empty() || data.nominal == *options.nominal_columns) return;
  throw DataError(data.source, 0, 0,
                  "the values of nominal columns have other numbers than in the model; "
                  "expected a cache converted for the model");
}

/// Nor can its columns be put into another order.
void check_names(const Dataset& data, const ReadOptions& options) {
  const std::vector<std::string>& wanted = options.feature_names;
  if (wanted.empty() || data.feature_names.empty() || data.feature_names == wanted) return;
  const std::size_t both = std::min(wanted.size(), data.feature_names.size());
  std::size_t j = 0;
  while (j < both && data.feature_names[j] == wanted[j]) ++j;
  if (j == both) return;
  // A file without a header beside one with names: nothing to compare.
  double ignored = 0;
  const auto is_number = [&](const std::string& name) { return whole_number(name, ignored); };
  if (std::all_of(wanted.begin(), wanted.end(), is_number) ||
      std::all_of(data.feature_names.begin(), data.feature_names.end(), is_number)) {
    return;
  }
  throw DataError(
      data.source, 0, 0,
      fmt::format("feature {} is called {}; expected {}, as in training, or a cache converted for the "
                  "model",
                  j + 1, in_quotes(data.feature_names[j]), in_quotes(wanted[j])));
}

Reading read_series(const Paths& paths, TextSource* first, const ReadOptions& options) {
  Reading reading;
  TimeSeries series = read_series_files(paths, first, options);
  reading.warnings = std::move(series.warnings);
  if (series.labels.rows() == 0) reading.remarks.emplace_back("without labels");
  try {
    reading.data = to_dataset(series, options);
  } catch (const std::invalid_argument& error) {
    throw DataError(paths.description(), 0, 0, error.what());
  }
  return reading;
}

/// A target that is nan or inf where the others are numbers is none.
void check_labels(const Dataset& data, const ReadOptions& options) {
  const std::vector<std::string>& names = data.labels.names;
  double ignored = 0;
  const auto is_number = [&](const std::string& name) { return whole_number(name, ignored); };
  const auto odd = std::ranges::find_if(names, spells_non_finite);
  if (options.unlabelled || odd == names.end() || std::ranges::none_of(names, is_number)) return;
  const auto is_either = [&](const std::string& name) { return is_number(name) || spells_non_finite(name); };
  if (!std::ranges::all_of(names, is_either)) return;
  const auto label = static_cast<std::int32_t>(odd - names.begin());
  for (std::size_t i = 0; i < data.labels.rows(); ++i) {
    const auto row = data.labels.row(i);
    if (std::ranges::find(row, label) == row.end()) continue;
    throw DataError(
        data.source, 0, 0,
        fmt::format("row {} has the target {}, which is not a finite number, and no other target is a "
                    "word",
                    i + 1, in_quotes(*odd)));
  }
}

/// A name that is not in UTF-8, or "".
std::string foreign_name(const Reading& reading) {
  std::vector<const std::vector<std::string>*> lists{&reading.data.labels.names, &reading.data.feature_names};
  for (const NominalColumn& column : reading.data.nominal) lists.push_back(&column.values);
  for (const std::vector<std::string>* names : lists) {
    const auto foreign = std::ranges::find_if(
        *names, [](const std::string& name) { return utf8_fault(name) != std::string::npos; });
    if (foreign != names->end()) return *foreign;
  }
  return {};
}

/// What may not be as meant, whether to learn from or for a model.
void warn_of_names(const ReadOptions& options, Reading& reading) {
  if (const std::string name = foreign_name(reading); !name.empty()) {
    reading.warnings.push_back(fmt::format(
        "names such as {} are not in UTF-8; make it UTF-8 first (iconv -f LATIN1 -t UTF-8 FILE > OTHER)",
        in_quotes(name)));
  }
  double ignored = 0;
  const auto is_number = [&](const std::string& name) { return whole_number(name, ignored); };
  const bool nameless = reading.format == DataFormat::svmlight || reading.format == DataFormat::npy;
  if (nameless && !std::ranges::all_of(options.feature_names, is_number)) {
    reading.warnings.push_back(
        fmt::format("features are taken by position: {} has no names to compare with {} …",
                    format_name(reading.format), in_quotes(options.feature_names.front())));
  }
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
      return read_series(paths, first, options);
    default:
      throw DataError(paths.description(), 0, 0,
                      options.format == format
                          ? fmt::format("{} is a format of sentences; expected rows", format_name(format))
                          : fmt::format("these are sentences, as {0}; expected rows (for tagging give "
                                        "`format={0}`)",
                                        format_name(format)));
  }
}

}  // namespace

Reading read_chosen(DataFormat format, const Paths& paths, TextSource* first, const ReadOptions& options) {
  Reading reading =
      within_memory(paths.description(), [&] { return read_as(format, paths, first, options); });
  reading.format = format;
  reading.data.source = paths.description();
  if (reading.data.rows() == 0) throw DataError(paths.description(), 0, 0, "there are no rows");
  const bool to_learn = options.features == 0 && options.feature_names.empty();
  if (reading.data.x.cols() == 0 && to_learn) {
    throw DataError(
        paths.description(), 0, 0,
        fmt::format("there are no features, as {}; give `format` if it is another", format_name(format)));
  }
  if (to_learn && format != DataFormat::cache) {
    const std::vector<std::string> doubts =
        doubts_about(reading.data, reading.target, format, options.target.empty());
    reading.warnings.insert(reading.warnings.end(), doubts.begin(), doubts.end());
  }
  if (format == DataFormat::svmlight) check_labels(reading.data, options);
  warn_of_names(options, reading);
  const bool text = format == DataFormat::svmlight || format == DataFormat::csv;
  if (text) read_side_files(paths, reading);
  if (to_learn && format != DataFormat::cache) {
    const std::vector<std::string> doubts =
        doubts_about_queries(reading.data, reading.target, format, options.target.empty());
    reading.warnings.insert(reading.warnings.end(), doubts.begin(), doubts.end());
  }
  check_features(reading.data, options);
  put_fill(reading.data, options);
  check_names(reading.data, options);
  check_nominal_columns(reading.data, options);
  check_mappings();
  return reading;
}

DataFormat guess_format(const std::string& path) { return certain(possible_formats(path), path); }

std::vector<DataFormat> possible_formats(const std::string& path, DataFormat known) {
  std::optional<TextSource> source;
  return choose(path, source, known).formats;
}

Reading read_dataset(const Paths& paths, const ReadOptions& options) {
  check_options(options);
  std::optional<TextSource> source;
  Choice choice{{options.format}, "as asked"};
  const std::string& first = paths.files().front();
  if (options.format == DataFormat::automatic) choice = choose(first, source, options.known_format);
  const DataFormat format = certain(choice.formats, source ? source->name() : first);
  if (options.format == DataFormat::automatic && paths.files().size() > 1) check_names(paths, format);
  Reading reading = read_chosen(format, paths, source ? &*source : nullptr, options);
  reading.why = std::move(choice.why);
  return reading;
}

struct RowStream::State {
  State(const std::string& path, const ReadOptions& options)
      : options(options), paths(path), source(path, TextSource::Pace::eager) {}

  /// Looks at the first lines: another format of rows, or svmlight, whose reader says what is wrong with a
  /// line that is neither. A word alone could be a row of svmlight or the header of a single column.
  void begin() {
    begun = true;
    DataFormat format = options.format;
    if (format == DataFormat::automatic) {
      const std::string_view start = source.peek();
      std::vector<DataFormat> formats = narrowed(formats_by_lines(start), options.known_format, start);
      const bool named = !options.feature_names.empty();
      const bool words = std::erase(formats, DataFormat::conll) > 0;  // rows are what is asked for
      if (named ? !start.empty() : !formats.empty() && !words) format = certain(formats, source.name());
    }
    if (format == DataFormat::csv || format == DataFormat::arff || format == DataFormat::time_series) {
      whole = format;
    } else {
      lines = SvmlightStream(std::move(source), options);
    }
  }

  ReadOptions options;
  Paths paths;
  TextSource source;
  bool begun = false;
  DataFormat whole = DataFormat::automatic;  // that is read to its end
  std::optional<SvmlightStream> lines;
};

RowStream::RowStream(const std::string& path, const ReadOptions& options) {
  check_options(options);
  state_ = std::make_unique<State>(path, options);
}

RowStream::~RowStream() = default;
RowStream::RowStream(RowStream&&) noexcept = default;
RowStream& RowStream::operator=(RowStream&&) noexcept = default;

bool RowStream::next(Reading& rows) {
  if (!state_->begun) state_->begin();
  rows = {};
  if (state_->lines) {
    rows.format = DataFormat::svmlight;
    const bool more = state_->lines->next(rows.data);
    rows.dropped = more ? state_->lines->dropped() : 0;
    return more;
  }
  if (state_->whole == DataFormat::automatic) return false;
  rows = read_chosen(std::exchange(state_->whole, DataFormat::automatic), state_->paths, &state_->source,
                     state_->options);
  rows.why = by_lines;
  return true;
}

Dataset read_format(DataFormat format, const Paths& paths, ReadOptions options) {
  options.format = format;
  return std::move(read_dataset(paths, options).data);
}

}  // namespace fenchel
