// SPDX-License-Identifier: Apache-2.0
// Which format a file has: by its first bytes, the ending of its name, or its first lines. Lines that two
// formats could have written name both.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <utility>
#include <vector>

#include "data/arff_header.hpp"
#include "data/csv_numbers.hpp"
#include "data/csv_records.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/target_cell.hpp"
#include "data/unpacker.hpp"
#include "fenchel/data/cache.hpp"

namespace fenchel {
namespace {

constexpr std::size_t lines_to_guess = 100;  // that are looked at: more would not tell either
constexpr std::size_t long_sentence = 90;    // of tokens, without a blank line between them: rows of a table

constexpr std::pair<std::string_view, DataFormat> endings[] = {
    {".svm", DataFormat::svmlight},   {".svmlight", DataFormat::svmlight}, {".libsvm", DataFormat::svmlight},
    {".scale", DataFormat::svmlight}, {".arff", DataFormat::arff},         {".csv", DataFormat::csv},
    {".tsv", DataFormat::csv},        {".tab", DataFormat::csv},           {".npy", DataFormat::npy},
    {".ts", DataFormat::time_series}, {".conll", DataFormat::conll},       {".conllu", DataFormat::conllu},
    {".iob", DataFormat::conll},      {".crfsuite", DataFormat::crfsuite}};

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

std::vector<std::string_view> words_of(std::string_view line, std::string_view separators = " \t") {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(separators, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

/// Whether a file is called as those of the archive of UCR: GunPoint_TRAIN.txt.
bool is_name_of_archive(const std::string& path) {
  std::filesystem::path file(path);
  if (is_compressed_name(path)) file.replace_extension();
  const std::string stem = file.stem().string();
  return stem.ends_with("_TRAIN") || stem.ends_with("_TEST");
}

/// By the keyword that the line begins with; automatic if it is a word like any other (@somebody).
DataFormat format_of_keyword(std::string_view line) {
  const std::string_view keyword = words_of(line).front();
  const auto is_one_of = [&](std::initializer_list<std::string_view> known) {
    return std::ranges::any_of(known, [&](std::string_view word) { return same_word(keyword, word); });
  };
  if (is_one_of({"@relation", "@attribute", "@data"})) return DataFormat::arff;
  if (is_one_of({"@problemname", "@timestamps", "@missing", "@univariate", "@dimension", "@dimensions",
                 "@equallength", "@serieslength", "@classlabel", "@targetlabel"})) {
    return DataFormat::time_series;
  }
  return DataFormat::automatic;
}

/// A token of CoNLL-U: ten columns, of which the first numbers it.
bool is_universal_token(std::string_view line) {
  return std::count(line.begin(), line.end(), '\t') == 9 && is_digit(line.front()) &&
         line.find_first_not_of("0123456789-.") == line.find('\t');
}

/// Texts that are no rows, by how they begin.
const char* foreign_text(std::string_view start) {
  start = trimmed(start.substr(0, start.find('\n')));
  if (start.starts_with("{\"") || start.starts_with("[{") || start.starts_with("[[") || start == "[" ||
      start == "{")
    return "JSON";
  if (start.starts_with("<!") || start.starts_with("<html") || start.starts_with("<HTML"))
    return "a page of HTML";
  if (start.starts_with("<?xml")) return "XML";
  if (start.starts_with("version https://git-lfs"))
    return "a pointer of Git LFS (git lfs pull fetches the file)";
  return nullptr;
}

/// word<TAB>position<TAB>letter<TAB>pixels: more pixels than a number or a label would have digits.
bool is_letter(std::string_view line, const std::vector<std::string_view>& words) {
  constexpr std::size_t fewest_pixels = 20;
  return words.size() == 4 && std::count(line.begin(), line.end(), '\t') == 3 &&
         words[1].find_first_not_of("0123456789") == std::string_view::npos &&
         words[3].size() >= fewest_pixels && words[3].find_first_not_of("01") == std::string_view::npos;
}

/// LABEL<TAB>name=value<TAB>…: at least half of what follows the label.
bool is_attributes(std::string_view line) {
  std::size_t fields = 0, named = 0;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos;) {
    const std::size_t next = line.find('\t', tab + 1);
    ++fields;
    named += line.substr(tab, next - tab).find('=') != std::string_view::npos ? 1 : 0;
    tab = next;
  }
  return fields > 0 && 2 * named >= fields;
}

/// The first lines of a text, by what they hold.
struct Lines {
  std::vector<std::string> rows;  ///< neither blank nor comments
  bool gaps = false;              ///< a blank line between two of them

  explicit Lines(std::string_view text) {
    bool gap = false;
    while (!text.empty() && rows.size() < lines_to_guess) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::string_view content = trimmed(line);
      if (content.empty()) {
        gap = !rows.empty();
        continue;
      }
      if (content.front() == '#') continue;
      gaps |= gap;
      rows.emplace_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    }
  }
};

/// What lines without commas, semicolons or bars between their fields may be: words between tabs or blanks.
std::vector<DataFormat> formats_of_words(const Lines& lines, char separator) {
  std::size_t plain = 0, numbers = 0, all = 0;
  std::size_t fewest = words_of(lines.rows.front()).size(), most = fewest;
  for (const std::string& row : lines.rows) {
    const std::vector<std::string_view> words = words_of(row);
    fewest = std::min(fewest, words.size());
    most = std::max(most, words.size());
    all += words.size();
    plain += static_cast<std::size_t>(std::ranges::count_if(words, is_number));
    numbers += static_cast<std::size_t>(std::ranges::count_if(words, may_be_number));
  }
  if (plain == all && most > 2) {
    if (lines.gaps || separator == '\0') return {DataFormat::time_series};
    return {DataFormat::csv, DataFormat::time_series};
  }
  if (separator == '\0') {
    if (most < 2) return {};
    return {DataFormat::conll};
  }
  if (lines.gaps) return {DataFormat::conll};
  const auto quoted = [](std::string_view word) {
    return word.size() > 2 && word.front() == '"' && word.back() == '"';
  };
  if (std::ranges::all_of(words_of(lines.rows.front()), quoted)) return {DataFormat::csv};
  const bool table = 2 * numbers >= all || lines.rows.size() >= long_sentence;
  if (table) return {DataFormat::csv};
  return {DataFormat::csv, DataFormat::conll};
}

/// How many cells there are, whatever separates them, and how many are numbers or stand for missing ones.
struct Cells {
  std::size_t all = 0;
  std::size_t numbers = 0;

  explicit Cells(const Lines& lines) {
    for (const std::string& row : lines.rows) {
      const std::vector<std::string_view> cells = words_of(row, ",; \t");
      all += cells.size();
      numbers += static_cast<std::size_t>(std::ranges::count_if(
          cells, [](std::string_view cell) { return is_number(cell) || spells_nan(cell); }));
    }
  }
};

}  // namespace

DataFormat format_by_ending(const std::string& path) {
  std::filesystem::path file(path);
  if (is_compressed_name(path)) file.replace_extension();
  const std::string ending = file.extension().string();
  for (const auto& [known, format] : endings) {
    if (same_word(ending, known)) return format;
  }
  if (ending == ".txt" && is_name_of_archive(path)) return DataFormat::time_series;
  return DataFormat::automatic;
}

bool is_universal(std::string_view text) {
  const Lines lines(text);
  return !lines.rows.empty() && std::ranges::all_of(lines.rows, is_universal_token);
}

std::vector<DataFormat> formats_of_table(const std::string& path, std::string_view text) {
  const Lines lines(text);
  if (lines.rows.empty()) return {DataFormat::csv};
  const auto [all, numbers] = Cells(lines);
  if (numbers == all && is_name_of_archive(path)) return {DataFormat::csv, DataFormat::time_series};
  const char separator = separator_of(lines.rows);
  const bool one_piece = separator == ' ' || separator == '\0';
  if (one_piece && formats_by_lines(text) == std::vector{DataFormat::svmlight})
    return {DataFormat::csv, DataFormat::svmlight};
  const bool words = 2 * numbers < all && separator != ',' && separator != ';' && separator != '|';
  if (lines.gaps && words) return {DataFormat::csv, DataFormat::conll};
  return {DataFormat::csv};
}

std::vector<DataFormat> narrowed(std::vector<DataFormat> formats, DataFormat known, std::string_view text) {
  if (known == DataFormat::automatic) return formats;
  if (std::ranges::find(formats, known) != formats.end()) return {known};
  const std::vector other{known == DataFormat::csv ? DataFormat::time_series : DataFormat::csv};
  const bool tables = known == DataFormat::csv || known == DataFormat::time_series;
  const auto [all, numbers] = Cells(Lines(text));
  return tables && formats == other && numbers == all ? std::vector{known} : formats;
}

void check_not_foreign(const std::string& source, std::string_view text) {
  if (const char* what = foreign_text(text)) {
    throw DataError(source, 0, 0,
                    std::string("this is ") + what + "; expected data in one of the formats of `format`");
  }
}

DataFormat format_by_bytes(const std::string& path) {
  if (path == "-") return DataFormat::automatic;
  if (is_cache(path)) return DataFormat::cache;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return DataFormat::automatic;
  std::ifstream file(path, std::ios::binary);
  char bytes[8] = {};
  file.read(bytes, sizeof bytes);
  const std::string_view start(bytes, sizeof bytes);
  for (const auto& [magic, name] : {std::pair{"PAR1", "Parquet"},
                                    {"ARROW1", "Arrow (or Feather)"},
                                    {"\xff\xff\xff\xff", "Arrow (a stream)"}}) {
    if (!start.starts_with(magic)) continue;
    throw DataError(path, 0, 0,
                    std::string("this is a file of ") + name +
                        ", which is not read; expected text, NPY or a cache (fenchel-table convert " + path +
                        " FILE.csv, of the Python package, makes CSV of it)");
  }
  for (const auto& [magic, name] : {std::pair{"%PDF-", "a document (PDF)"},
                                    {"\x89HDF\r\n", "a file of HDF5"},
                                    {"FEA1", "a file of Feather's first version"},
                                    {"7z\xBC\xAF", "an archive of 7-Zip"},
                                    {"\xD0\xCF\x11\xE0", "a spreadsheet or document of Microsoft Office"},
                                    {"SQLite f", "a database of SQLite"}}) {
    if (!start.starts_with(magic)) continue;
    throw DataError(path, 0, 0,
                    std::string("this is ") + name + ", which is not read; expected text, NPY or a cache");
  }
  return start.starts_with("\x93NUMPY") ? DataFormat::npy : DataFormat::automatic;
}

std::vector<DataFormat> formats_by_lines(std::string_view text) {
  const Lines lines(text);
  if (lines.rows.empty()) return {};
  const std::string_view first = trimmed(lines.rows.front());
  if (first.front() == '%') return {DataFormat::arff};
  if (first.front() == '@' && format_of_keyword(first) != DataFormat::automatic)
    return {format_of_keyword(first)};
  if (is_universal(text)) return {DataFormat::conllu};
  const std::vector<std::string_view> words = words_of(first);
  if (is_letter(first, words)) return {DataFormat::ocr};
  std::size_t sparse = 0, others = 0;  // a row of svmlight may have a label alone
  for (const std::string& row : lines.rows) {
    const std::vector<std::string_view> cells = words_of(row);
    const bool is_sparse = is_feature(cells.back()) || (cells.size() > 1 && is_feature(cells[1]));
    (is_sparse ? sparse : others) += is_sparse || cells.size() > 1 ? 1 : 0;
  }
  if (sparse > 0 && sparse >= others) return {DataFormat::svmlight};
  if (std::ranges::all_of(lines.rows, is_attributes)) return {DataFormat::crfsuite};
  const char separator = separator_of(lines.rows);
  if (separator == ',' || separator == ';' || separator == '|') return {DataFormat::csv};
  return formats_of_words(lines, separator);
}

}  // namespace fenchel
