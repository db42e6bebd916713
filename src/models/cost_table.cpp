// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/cost_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/spec_reader.hpp"
#include "data/number.hpp"
#include "data/text_source.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<double>>;
using Cells = std::vector<std::string>;  // of a line

[[noreturn]] void reject(const std::string& problem) { throw OptionError("`cost`: " + problem); }

Matrix<double> square(const Rows& rows) {
  std::vector<double> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.size()) {
      reject(
          fmt::format("row {} has {} numbers; expected {}, one per row", i + 1, rows[i].size(), rows.size()));
    }
    entries.insert(entries.end(), rows[i].begin(), rows[i].end());
  }
  return {rows.size(), rows.size(), std::move(entries)};
}

Rows rows_of(const Json& json) {
  Rows rows;
  if (!json.is_array()) reject("expected a list of lists of numbers");
  for (const Json& row : json) {
    if (!row.is_array() || !std::ranges::all_of(row, [](const Json& entry) { return entry.is_number(); })) {
      reject(fmt::format("row {} is not a list of numbers", rows.size() + 1));
    }
    rows.push_back(row.get<std::vector<double>>());
  }
  return rows;
}

// A name as data sets have it: a number by the shortest text of its value.
std::string class_name(std::string_view cell) {
  double value = 0;
  return whole_number(cell, value) ? number_text(value) : std::string(cell);
}

// The cells of a line: between commas, semicolons or tabs if there are any, else between blanks.
Cells cells_of(std::string_view line) {
  const auto found = line.find_first_of(",;\t");
  const std::string_view separator = found == std::string_view::npos ? " " : line.substr(found, 1);
  Cells cells;
  while (true) {
    const auto end = line.find(separator);
    std::string_view cell = line.substr(0, end);
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    if (separator != " " || !cell.empty()) cells.emplace_back(cell);
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

bool all_numbers(const Cells& cells) {
  double value = 0;
  return std::ranges::all_of(cells, [&](const std::string& cell) { return whole_number(cell, value); });
}

// A first line with something that is not a number holds the names of columns, unless it is a name with its
// row. If lines have one cell more than there are rows, the first cell is the name of the row, or the corner.
CostTable table_of(std::vector<Cells> lines) {
  CostTable result;
  const auto without_corner = [](Cells& cells, std::size_t rows) {
    if (cells.size() == rows + 1) cells.erase(cells.begin());
  };
  Cells columns;
  const Cells& first = lines.front();
  const bool row = first.size() == lines.size() + 1 && all_numbers(Cells(first.begin() + 1, first.end()));
  // Classes may be called 1, 2, …: a line more than there are columns.
  const bool numbers = std::ranges::all_of(lines, [&](const Cells& cells) {
    return cells.size() == first.size() && cells.size() + 1 == lines.size();
  });
  if ((!all_numbers(first) && !row) || numbers) {
    columns = std::move(lines.front());
    lines.erase(lines.begin());
    without_corner(columns, lines.size());
    for (std::string& name : columns) name = class_name(name);
  }
  Rows rows;
  for (Cells& cells : lines) {
    if (cells.size() == lines.size() + 1) result.classes.push_back(class_name(cells.front()));
    without_corner(cells, lines.size());
    rows.emplace_back();
    for (const std::string& cell : cells) {
      double value = 0;
      if (!whole_number(cell, value)) {
        reject(fmt::format("row {} has '{}'; expected numbers", rows.size(), cell.substr(0, 80)));
      }
      rows.back().push_back(value);
    }
  }
  result.costs = square(rows);
  if (!columns.empty() && !result.classes.empty() && columns != result.classes) {
    reject("rows and columns have different names, or another order");
  }
  if (!columns.empty()) result.classes = std::move(columns);
  result.check();
  return result;
}

}  // namespace

void CostTable::check() const {
  if (costs.rows() == 0) reject("there are no costs");
  if (costs.rows() != costs.cols()) {
    reject(fmt::format("there are {} rows of {} numbers; expected a square", costs.rows(), costs.cols()));
  }
  if (!classes.empty() && classes.size() != costs.rows()) {
    reject(fmt::format("{} classes and {} rows; expected one per class", classes.size(), costs.rows()));
  }
  check_finite("the costs", costs.entries());
}

std::string CostTable::text() const {
  Json rows = Json::array();
  for (std::size_t i = 0; i < costs.rows(); ++i) {
    rows.push_back(std::vector<double>(costs.row(i).begin(), costs.row(i).end()));
  }
  Json result{{"costs", rows}};
  if (!classes.empty()) result["classes"] = classes;
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

CostTable parse_cost_table(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) reject("the text is not JSON");
  CostTable result;
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      if (key != "classes" && key != "costs") reject(fmt::format("unknown key '{}'", key.substr(0, 80)));
    }
    if (!json.contains("costs")) reject("the key 'costs' is missing");
    const Json classes = json.value("classes", Json::array());
    if (!classes.is_array()) reject("'classes' is not a list of names");
    for (const Json& name : classes) {
      if (!name.is_string() && !name.is_number()) reject("'classes' is not a list of names");
      result.classes.push_back(name.is_string() ? name.get<std::string>() : number_text(name.get<double>()));
    }
    result.costs = square(rows_of(json["costs"]));
  } else {
    result.costs = square(rows_of(json));
  }
  result.check();
  return result;
}

CostTable read_cost_table(const std::string& path) {
  TextSource source(path);
  std::string_view line;
  std::string text;
  std::vector<Cells> lines;
  bool json = false;
  while (source.next_line(line)) {
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (text.empty()) json = line[first] == '[' || line[first] == '{';
    text.append(line).push_back('\n');
    if (!json) lines.push_back(cells_of(line));
  }
  if (text.empty()) reject(fmt::format("{} is empty", source.name()));
  return json ? parse_cost_table(text) : table_of(std::move(lines));
}

Cost cost_of(const CostTable& table, std::span<const std::string> classes) {
  table.check();
  std::unordered_map<std::string_view, std::size_t> places;
  if (table.classes.empty()) {
    if (table.costs.rows() != classes.size()) {
      reject(fmt::format("there are {} rows; expected {}, one for each class ({})", table.costs.rows(),
                         classes.size(), fmt::join(classes, ", ")));
    }
    for (std::size_t k = 0; k < classes.size(); ++k) places.emplace(classes[k], k);
  }
  for (std::size_t k = 0; k < table.classes.size(); ++k) {
    if (!places.emplace(table.classes[k], k).second) {
      reject(fmt::format("the class '{}' appears twice", table.classes[k]));
    }
    if (std::ranges::find(classes, table.classes[k]) == classes.end()) {
      const std::vector<std::string_view> known(classes.begin(), classes.end());
      reject(fmt::format("'{}' is not one of the classes{}", table.classes[k],
                         spec::suggestion(table.classes[k], known)));
    }
  }
  Rows rows(classes.size(), std::vector<double>(classes.size()));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto row = places.find(classes[i]);
    if (row == places.end()) reject(fmt::format("the class '{}' has no costs", classes[i]));
    for (std::size_t j = 0; j < classes.size(); ++j) {
      const auto column = places.find(classes[j]);
      if (column != places.end()) rows[i][j] = table.costs(row->second, column->second);
    }
  }
  return rows;
}

}  // namespace fenchel
