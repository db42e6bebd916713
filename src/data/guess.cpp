// SPDX-License-Identifier: Apache-2.0
// Which format a file has.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "data/arff_header.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/target_cell.hpp"
#include "fenchel/data/cache.hpp"

namespace fenchel {
namespace {

constexpr std::pair<std::string_view, DataFormat> endings[] = {
    {".svm", DataFormat::svmlight},    {".svmlight", DataFormat::svmlight},
    {".libsvm", DataFormat::svmlight}, {".scale", DataFormat::svmlight},
    {".arff", DataFormat::arff},       {".csv", DataFormat::csv},
    {".npy", DataFormat::npy},         {".ts", DataFormat::time_series},
    {".conll", DataFormat::conll},     {".conllu", DataFormat::conllu},
    {".iob", DataFormat::conll},       {".crfsuite", DataFormat::crfsuite}};

bool is_number(std::string_view word) {
  double ignored = 0;
  return whole_number(word, ignored);
}

/// index:value with a whole index, or a query.
bool is_feature(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  if (word.substr(0, colon) == "qid") return true;
  return word.find_first_not_of("0123456789") == colon && is_number(word.substr(colon + 1));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

DataFormat format_of_keyword(std::string_view line) {
  const std::string_view keyword = words_of(line).front();
  const bool arff =
      same_word(keyword, "@relation") || same_word(keyword, "@attribute") || same_word(keyword, "@data");
  return arff ? DataFormat::arff : DataFormat::time_series;
}

/// word<TAB>position<TAB>letter<TAB>pixels: more pixels than a number or a label would have digits.
bool is_letter(std::string_view line, const std::vector<std::string_view>& words) {
  constexpr std::size_t fewest_pixels = 20;
  return words.size() == 4 && std::count(line.begin(), line.end(), '\t') == 3 &&
         words[1].find_first_not_of("0123456789") == std::string_view::npos &&
         words[3].size() >= fewest_pixels && words[3].find_first_not_of("01") == std::string_view::npos;
}

/// The format that one line of data tells, or automatic.
DataFormat format_of_line(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const std::size_t tab = line.find('\t');
  if (tab != std::string_view::npos && line.find('=', tab) != std::string_view::npos)
    return DataFormat::crfsuite;
  if (is_letter(line, words)) return DataFormat::ocr;
  if (is_feature(words.back()) || (words.size() > 1 && is_feature(words[1]))) return DataFormat::svmlight;
  if (words.size() > 2 && std::all_of(words.begin(), words.end(), is_number)) return DataFormat::time_series;
  const auto commas = std::count(line.begin(), line.end(), ',') + std::count(line.begin(), line.end(), ';');
  if (words.size() == 1 && commas > 0) return DataFormat::csv;
  if (commas > 1 && static_cast<std::size_t>(commas) + 1 >= words.size()) return DataFormat::csv;
  return words.size() > 1 ? DataFormat::conll : DataFormat::automatic;
}

}  // namespace

DataFormat format_by_ending(const std::string& path) {
  std::filesystem::path file(path);
  if (file.extension() == ".gz") file.replace_extension();
  const std::string ending = file.extension().string();
  for (const auto& [known, format] : endings) {
    if (same_word(ending, known)) return format;
  }
  return DataFormat::automatic;
}

DataFormat format_by_bytes(const std::string& path) {
  if (path == "-") return DataFormat::automatic;
  if (is_cache(path)) return DataFormat::cache;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return DataFormat::automatic;
  std::ifstream file(path, std::ios::binary);
  char start[6] = {};
  file.read(start, sizeof start);
  return std::string_view(start, sizeof start) == "\x93NUMPY" ? DataFormat::npy : DataFormat::automatic;
}

DataFormat format_by_lines(std::string_view text) {
  constexpr int most_lines = 100;  // more lines would not tell either
  for (int i = 0; i < most_lines && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '%') return DataFormat::arff;
    if (line.front() == '@') return format_of_keyword(line);
    const DataFormat format = format_of_line(line);
    if (format != DataFormat::automatic) return format;
  }
  return DataFormat::automatic;
}

}  // namespace fenchel
