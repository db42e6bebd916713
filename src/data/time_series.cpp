// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/time_series.hpp"

#include <fmt/core.h>

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
#include "data/target_cell.hpp"
#include "data/text_source.hpp"

namespace fenchel {
namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

bool is_missing_value(std::string_view word) { return word == "?" || same_word(word, "nan"); }

class TimeSeriesReader {
 public:
  TimeSeriesReader(TimeSeries& series, const ReadOptions& options) : series_(series), options_(options) {}

  void read(TextSource& source) {
    source_ = &source;
    bool header = false;
    labelled_ = true;
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
    std::vector<std::vector<double>> columns(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      split_values(parts[c], ",", columns[c]);
      if (columns[c].size() != columns[0].size()) fail(parts[c], "the channels of a series differ in length");
    }
    add_series(text, columns);
  }

  /// A line of .tsv or .txt: the label, then values.
  void read_row(std::string_view text) {
    const char* separators = text.find(',') != std::string_view::npos ? "," : " \t";
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    add_label(trimmed(text.substr(0, end)));
    std::vector<std::vector<double>> columns(1);
    split_values(text.substr(end), separators, columns[0]);
    add_series(text, columns);
  }

  void split_values(std::string_view text, std::string_view separators, std::vector<double>& values) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
      const std::string_view word = trimmed(text.substr(begin, end - begin));
      if (!word.empty()) values.push_back(value(word));
      begin = end + 1;
    }
  }

  void add_label(std::string_view label) {
    if (label.empty()) fail(line_, "the label is missing");
    labels_.push(labels_.id(label));
    labels_.end_row();
  }

  void add_series(std::string_view text, std::vector<std::vector<double>>& columns) {
    std::size_t length = columns[0].size();
    const auto padded = [&columns](std::size_t t) {
      return std::all_of(columns.begin(), columns.end(),
                         [t](const auto& column) { return std::isnan(column[t]); });
    };
    while (length > 0 && padded(length - 1)) --length;
    if (length == 0) fail(text, "the series has no values");
    if (series_.size() == 0) series_.channels = columns.size();
    if (columns.size() != series_.channels) {
      fail(text, fmt::format("{} channels; the series before have {}", columns.size(), series_.channels));
    }
    for (auto& column : columns) impute(text, column, length);
    for (std::size_t t = 0; t < length; ++t) {
      for (const auto& column : columns) series_.values.push_back(column[t]);
    }
    series_.offsets.push_back(series_.offsets.back() + static_cast<std::int64_t>(length));
  }

  void impute(std::string_view text, std::vector<double>& column, std::size_t length) {
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t t = 0; t < length; ++t) {
      if (std::isnan(column[t])) continue;
      sum += column[t];
      ++known;
    }
    if (known == length) return;
    if (options_.missing == Missing::error || known == 0) fail(text, "a value of the series is missing");
    series_.missing += length - known;
    for (std::size_t t = 0; t < length; ++t) {
      if (std::isnan(column[t])) column[t] = sum / static_cast<double>(known);
    }
  }

  TimeSeries& series_;
  const ReadOptions& options_;
  TextSource* source_ = nullptr;
  std::string_view line_;
  bool labelled_ = true;
  LabelRows labels_;
};

}  // namespace

TimeSeries read_time_series(const Paths& paths, const ReadOptions& options) {
  TimeSeries series;
  TimeSeriesReader reader(series, options);
  read_files(reader, paths.files());
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
      throw std::invalid_argument(fmt::format("series {} has length {}; rows of features need one length, {}",
                                              i, series.length(i), length));
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
