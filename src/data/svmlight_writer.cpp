// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>

#include "core/atomic_file.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "fenchel/data/svmlight.hpp"

namespace fenchel {
namespace {

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.empty() || name.front() == '#' || name.find_first_of(" \t\r\n,:") != std::string::npos) {
      throw std::invalid_argument(
          fmt::format("label {} cannot be written as svmlight; labels have no blanks, "
                      "commas and colons",
                      in_quotes(name)));
    }
  }
}

/// A row of svmlight lists labels in an order without ties.
void check_places(const Labels& labels) {
  for (std::size_t i = 0; i < labels.rows() && !labels.places.empty(); ++i) {
    const auto begin = labels.places.begin() + labels.offsets[i],
               end = labels.places.begin() + labels.offsets[i + 1];
    if (std::adjacent_find(begin, end) == end) continue;
    throw std::invalid_argument(fmt::format("row {} has tied labels, which svmlight cannot hold", i));
  }
}

void append_labels(const Labels& labels, std::size_t i, std::string& line) {
  const auto row = labels.row(i);
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k > 0) line += ',';
    line += labels.names[static_cast<std::size_t>(row[k])];
    if (labels.weights.empty()) continue;
    const double weight = labels.weights[static_cast<std::size_t>(labels.offsets[i]) + k];
    if (row.size() == 1 && weight == 1) continue;
    line += ':' + number_text(weight);
    if (row.size() == 1) line += ',';
  }
}

template <Real T>
void append_features(const FeaturesView<T>& x, std::size_t i, std::string& line) {
  const auto entry = [&line](std::size_t j, double value) {
    fmt::format_to(std::back_inserter(line), " {}:{}", j + 1, static_cast<T>(value));
  };
  x.for_each(i, entry);
  // The first row writes the last column even if it is 0: it tells how many columns there are.
  if (i == 0 && !x.sparse() && x.cols() > 0 && x.values(0).back() == 0) {
    entry(x.cols() - 1, x.values(0).back());
  }
}

}  // namespace

void write_svmlight(const Dataset& data, std::ostream& out) {
  check_names(data.labels.names);
  check_places(data.labels);
  std::string line;
  std::size_t query = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    line.clear();
    if (data.labels.rows() > 0) {
      append_labels(data.labels, i, line);
    } else if (data.values.cols() == 1) {
      line += number_text(data.values(i, 0));
    }
    if (!data.queries.empty()) {
      while (static_cast<std::size_t>(data.queries[query + 1]) <= i) ++query;
      fmt::format_to(std::back_inserter(line), " qid:{}", query + 1);
    }
    data.x.visit([&](const auto& x) { append_features(x, i, line); });
    line += '\n';
    out << line;
  }
}

void write_svmlight(const Dataset& data, const std::filesystem::path& path) {
  write_atomically(path, [&](std::ostream& out) { write_svmlight(data, out); });
}

}  // namespace fenchel
