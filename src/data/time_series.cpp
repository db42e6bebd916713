// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/time_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "data/arff_header.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/table.hpp"
#include "data/target_cell.hpp"
#include "data/text_source.hpp"

namespace fenchel {
namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t most_told = 4;  // series that differ from the header: more sentences are not read

bool is_missing_value(std::string_view word) { return word.empty() || word == "?" || same_word(word, "nan"); }

/// What separates the values of a line of .tsv or .txt: commas, else tabs, else blanks.
std::string_view separators_of(std::string_view text) {
  for (const std::string_view separator : {",", "\t"}) {
    if (text.find(separator) != std::string_view::npos) return separator;
  }
  return " ";
}

/// The words of a text between blanks.
std::vector<std::string> between_blanks(std::string_view text) {
  std::vector<std::string> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

/// The values of a channel, and where the first missing one was written.
struct Channel {
  std::vector<double> values;
  const char* missing = nullptr;
};

class TimeSeriesReader {
 public:
  TimeSeriesReader(TimeSeries& series, const ReadOptions& options) : series_(series), options_(options) {}

  void read(TextSource& source) {
    source_ = &source;
    bool header = false;
    labelled_ = true;
    classes_.clear();
    declared_length_ = 0;
    while (source.next_line(line_)) {
      const std::string_view text = trimmed(line_);
      if (text.empty() || text.front() == '#') continue;
      if (text.front() == '@') {
        header = true;
        read_declaration(text);
      } else if (header) {
        read_channels(text);
      } else {
        read_row(text);
      }
    }
  }

  void finish() {
    Dataset targets;
    labels_.finish(targets);
    series_.labels = std::move(targets.labels);
    series_.targets = std::move(targets.values);
    if (told_ > most_told) series_.warnings.push_back(fmt::format("so do {} more", told_ - most_told));
  }

 private:
  [[noreturn]] void fail(std::string_view where, const std::string& problem) const {
    source_->fail(line_, where.data(), problem);
  }

  void read_declaration(std::string_view text) {
    const std::size_t blank = text.find_first_of(" \t");
    const std::string_view keyword = text.substr(0, blank);
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view() : trimmed(text.substr(blank));
    if (same_word(keyword, "@timestamps") && same_word(value, "true")) {
      fail(text, "series with time stamps are not read; expected values only");
    }
    if (same_word(keyword, "@classlabel") || same_word(keyword, "@targetlabel")) {
      labelled_ = value.size() >= 4 && same_word(value.substr(0, 4), "true");
      classes_ = between_blanks(labelled_ && same_word(keyword, "@classlabel") ? value.substr(4) : "");
    }
    double length = 0;
    if (same_word(keyword, "@serieslength") && whole_number(value, length)) declared_length_ = length;
  }

  /// A series that is not what the header says.
  void tell(const std::string& difference) {
    if (++told_ > most_told) return;
    series_.warnings.push_back(fmt::format("line {}: {}", source_->line_number(), difference));
  }

  void compare_with_header(std::string_view label, std::size_t length) {
    const auto is_label = [&](const std::string& name) { return label_name(name) == label_name(label); };
    if (!is_missing_value(label) && !classes_.empty() && std::ranges::none_of(classes_, is_label)) {
      tell(fmt::format("the label {} is not among those that @classLabel names: {}", in_quotes(label),
                       fmt::join(classes_, ", ")));
    }
    if (declared_length_ > 0 && static_cast<double>(length) != declared_length_) {
      tell(fmt::format("the series has {} values; @seriesLength is {}", length, declared_length_));
    }
  }

  double value(std::string_view word) {
    if (is_missing_value(word)) return missing_value;
    double result = 0;
    if (!whole_number(word, result) || !std::isfinite(result)) {
      fail(word, fmt::format("{} is not a finite number", in_quotes(word)));
    }
    return result;
  }

  /// A line of .ts: channels and the label, separated by colons.
  void read_channels(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(':', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    const std::size_t channels = parts.size() - (labelled_ ? 1 : 0);
    if (channels == 0) fail(text, "the series has no values before its label");
    if (labelled_) add_label(trimmed(parts.back()));
    std::vector<Channel> columns(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      split_values(parts[c], ",", columns[c]);
      if (columns[c].values.size() != columns[0].values.size()) {
        fail(parts[c], "the channels of a series differ in length");
      }
    }
    compare_with_header(labelled_ ? trimmed(parts.back()) : "", columns[0].values.size());
    add_series(text, columns);
  }

  /// A line of .tsv or .txt: the label, then values. Series to predict, as long as the model's, have none.
  void read_row(std::string_view text) {
    const std::string_view separators = separators_of(text);
    std::vector<Channel> columns(1);
    if (options_.unlabelled && series_.size() == 0) {
      split_values(text, separators, columns[0]);
      bare_ = columns[0].values.size() == options_.features;
      columns[0] = {};
    }
    std::string_view values = text;
    if (!bare_) {
      const std::size_t end = std::min(text.find_first_of(separators), text.size());
      add_label(trimmed(text.substr(0, end)));
      values.remove_prefix(std::min(end + 1, text.size()));
    }
    split_values(values, separators, columns[0]);
    add_series(text, columns);
  }

  /// Nothing between two separators is a missing value, unless they are blanks; the last may end the line.
  void split_values(std::string_view text, std::string_view separators, Channel& channel) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
      const std::string_view word = trimmed(text.substr(begin, end - begin));
      const bool blank = word.empty() && (separators == " " || end == text.size());
      if (!blank) channel.values.push_back(value(word));
      if (!blank && is_missing_value(word) && !channel.missing)
        channel.missing = word.empty() ? text.data() + begin : word.data();
      begin = end + 1;
    }
  }

  void add_label(std::string_view label) {
    if (label.empty()) fail(line_, "the label is missing");
    labels_.push(labels_.id(label));
    labels_.end_row();
  }

  void add_series(std::string_view text, std::vector<Channel>& columns) {
    std::size_t length = columns[0].values.size();
    const auto padded = [&columns](std::size_t t) {
      return std::ranges::all_of(columns,
                                 [t](const Channel& column) { return std::isnan(column.values[t]); });
    };
    while (length > 0 && padded(length - 1)) --length;
    if (length == 0) fail(text, "the series has no values");
    if (series_.size() == 0) series_.channels = columns.size();
    if (columns.size() != series_.channels) {
      fail(text, fmt::format("{} channels; the series before have {}", columns.size(), series_.channels));
    }
    for (Channel& column : columns) impute(column, length);
    for (std::size_t t = 0; t < length; ++t) {
      for (const Channel& column : columns) series_.values.push_back(column.values[t]);
    }
    series_.offsets.push_back(series_.offsets.back() + static_cast<std::int64_t>(length));
  }

  void impute(Channel& column, std::size_t length) {
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t t = 0; t < length; ++t) {
      if (std::isnan(column.values[t])) continue;
      sum += column.values[t];
      ++known;
    }
    if (known == length) return;
    const std::string_view where(column.missing, column.missing);  // a place, not a text
    if (known == 0) fail(where, "all values of a channel of the series are missing");
    if (options_.missing == Missing::error) fail(where, "a value of the series " + missing_problem(options_));
    series_.missing += length - known;
    for (std::size_t t = 0; t < length; ++t) {
      if (std::isnan(column.values[t])) column.values[t] = sum / static_cast<double>(known);
    }
  }

  TimeSeries& series_;
  const ReadOptions& options_;
  TextSource* source_ = nullptr;
  std::string_view line_;
  bool labelled_ = true;              ///< by the header
  bool bare_ = false;                 ///< lines without a header have no labels either
  std::vector<std::string> classes_;  ///< that the header names
  double declared_length_ = 0;        ///< 0: not declared
  std::size_t told_ = 0;              ///< differences from the header
  LabelRows labels_;
};

}  // namespace

TimeSeries read_time_series(const Paths& paths, const ReadOptions& options) {
  return read_series_files(paths, nullptr, options);
}

TimeSeries read_series_files(const Paths& paths, TextSource* first, const ReadOptions& options) {
  TimeSeries series;
  TimeSeriesReader reader(series, options);
  read_files(reader, paths.files(), first);
  if (series.size() == 0) throw DataError(paths.description(), 0, 0, "there are no series");
  reader.finish();
  if (series.labels.rows() != 0 && series.labels.rows() != series.size()) {
    throw DataError(paths.description(), 0, 0, "some files have labels and some have none");
  }
  return series;
}

Dataset to_dataset(const TimeSeries& series, const ReadOptions& options) {
  const std::size_t length = series.size() > 0 ? series.length(0) : 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series.length(i) != length) {
      throw std::invalid_argument(
          fmt::format("series {} has {} values, and the first has {}; rows of features need series of one "
                      "length: cut them, or pad and resample them, to the same one",
                      i + 1, series.length(i), length));
    }
  }
  Dataset data;
  if (options.single) {
    data.x = Features(Matrix<float>(series.size(), length * series.channels,
                                    std::vector<float>(series.values.begin(), series.values.end())));
  } else {
    data.x = Features(Matrix<double>(series.size(), length * series.channels, series.values));
  }
  data.labels = series.labels;
  data.values = series.targets;
  return data;
}

}  // namespace fenchel
