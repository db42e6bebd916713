// SPDX-License-Identifier: Apache-2.0
#include "data/side_files.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>

#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/target_cell.hpp"
#include "data/text_source.hpp"

namespace fenchel {
namespace {

bool is_side_file(const std::string& path) {
  std::error_code ignored;
  return path.front() != '-' && std::filesystem::is_regular_file(path, ignored);
}

/// The file of queries, as LightGBM calls it or as XGBoost does, or "".
std::string queries_beside(const std::string& path) {
  for (const char* ending : {".query", ".group"}) {
    if (is_side_file(path + ending)) return path + ending;
  }
  return {};
}

/// Calls add(source, line, number) for the number in each line.
template <class F>
void read_side_numbers(const std::string& path, F add) {
  TextSource source(path);
  std::string_view line;
  while (source.next_line(line)) {
    const std::string_view text = trimmed(line);
    double value = 0;
    if (text.empty()) continue;
    if (!whole_number(text, value) || !(value >= 0) || std::isinf(value)) {
      source.fail(line, text.data(), fmt::format("{} is not a number >= 0", in_quotes(text)));
    }
    add(source, line, value);
  }
}

void read_queries(const std::string& path, std::size_t rows, std::vector<std::int64_t>& queries) {
  double end = static_cast<double>(queries.back());
  const auto limit = static_cast<double>(rows);
  read_side_numbers(path, [&](const TextSource& source, std::string_view line, double size) {
    end += size;
    if (size != std::floor(size) || size < 1 || end > limit) {
      source.fail(line, line.data(),
                  fmt::format("a query of {} rows; expected a whole number, and {} rows in all",
                              number_text(size), rows));
    }
    queries.push_back(static_cast<std::int64_t>(end));
  });
}

}  // namespace

void read_side_files(const Paths& paths, Reading& reading) {
  std::size_t with_queries = 0, with_weights = 0;
  for (const std::string& path : paths.files()) {
    with_queries += queries_beside(path).empty() ? 0 : 1;
    with_weights += is_side_file(path + ".weight") ? 1 : 0;
  }
  Dataset& data = reading.data;
  const std::size_t files = paths.files().size();
  if (with_queries == files && data.queries.empty()) {
    data.queries = {0};
    for (const std::string& path : paths.files())
      read_queries(queries_beside(path), data.rows(), data.queries);
    if (static_cast<std::size_t>(data.queries.back()) != data.rows()) {
      throw DataError(queries_beside(paths.files().back()), 0, 0,
                      fmt::format("the queries have {} rows; {} has {}", data.queries.back(),
                                  paths.description(), data.rows()));
    }
    reading.remarks.push_back("with queries from " + queries_beside(paths.files().front()));
  }
  if (with_weights == files && data.weights.empty()) {
    for (const std::string& path : paths.files()) {
      read_side_numbers(path + ".weight", [&](const TextSource&, std::string_view, double weight) {
        data.weights.push_back(weight);
      });
    }
    if (data.weights.size() != data.rows()) {
      throw DataError(paths.files().back() + ".weight", 0, 0,
                      fmt::format("there are {} weights; {} has {} rows", data.weights.size(),
                                  paths.description(), data.rows()));
    }
    reading.remarks.push_back("with weights from " + paths.files().front() + ".weight");
  }
}

}  // namespace fenchel
