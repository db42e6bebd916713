// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/feature_templates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "fenchel/core/check.hpp"
#include "fenchel/core/option_error.hpp"
#include "models/word_forms.hpp"

namespace fenchel {

/// Reads templates line by line; knows where it is for messages.
class TemplateParser {
 public:
  TemplateParser(std::string_view source, FeatureTemplates& out) : source_(source), out_(out) {}

  void read(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      line_ = text.substr(begin, end - begin);
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      ++number_;
      read_line();
      begin = end + 1;
    }
    if (out_.templates_.empty()) {
      throw std::invalid_argument(fmt::format("{}: no template of the form U01:%x[0,0] was found", source_));
    }
    if (out_.clusters_ && !reads_clusters_) {
      throw OptionError(fmt::format(
          "{}: no template reads the `clusters`; expected one such as U70:%cluster[0,0]", source_));
    }
  }

 private:
  enum class Letters { none, some, if_given };  // whether a number of letters follows
  struct Form {
    std::string_view name;
    WordForm form;
    Letters letters;
    bool cluster;
  };
  static constexpr Form forms[] = {{"x", WordForm::whole, Letters::none, false},
                                   {"low", WordForm::lower, Letters::none, false},
                                   {"shape", WordForm::shape, Letters::none, false},
                                   {"pre", WordForm::prefix, Letters::some, false},
                                   {"suf", WordForm::suffix, Letters::some, false},
                                   {"cluster", WordForm::whole, Letters::if_given, true}};

  [[noreturn]] void fail(std::size_t column, std::string_view problem) const {
    throw std::invalid_argument(fmt::format("{}:{}:{}: {}", source_, number_, column + 1, problem));
  }

  void read_line() {
    const std::size_t first = line_.find_first_not_of(" \t");
    if (first == std::string_view::npos || line_[first] == '#') return;
    if (first > 0) fail(0, "a template starts at the beginning of its line");
    const std::size_t last = line_.find_last_not_of(" \t");
    line_ = line_.substr(0, last + 1);
    if (line_[0] == 'B') {
      if (line_.find("%x") != std::string_view::npos) {
        fail(line_.find("%x"),
             "bigram templates that look at the tokens are not supported; only a plain B is");
      }
      out_.bigrams_ = true;
    } else if (line_[0] == 'U') {
      read_template();
    } else {
      fail(0, fmt::format("'{}' starts no template; expected U, B or # for a comment", line_[0]));
    }
  }

  void read_template() {
    FeatureTemplates::Template rule;
    std::size_t at = 0;
    for (;;) {
      const std::size_t cell = next_cell(at);
      if (cell == std::string_view::npos) break;
      rule.pieces.push_back(read_cell(at, cell));
    }
    rule.after = line_.substr(at);
    out_.templates_.push_back(std::move(rule));
  }

  // Where the next cell begins: a percent sign, the name of a form and a bracket; %x needs none, so that it
  // is known to be missing.
  std::size_t next_cell(std::size_t from) const {
    for (std::size_t at = line_.find('%', from); at != std::string_view::npos; at = line_.find('%', at + 1)) {
      if (line_.substr(at).starts_with("%x")) return at;
      for (const Form& form : forms) {
        if (line_.substr(at + 1).starts_with(fmt::format("{}[", form.name))) return at;
      }
      check_no_cell(at);
    }
    return std::string_view::npos;
  }

  // A percent sign is text, unless what follows looks like a cell; after another percent sign it always is.
  void check_no_cell(std::size_t at) const {
    std::size_t end = at + 1;
    while (end < line_.size() && std::isalpha(static_cast<unsigned char>(line_[end])) != 0) ++end;
    const std::string_view place = "-0123456789";
    const bool cell = end > at + 1 && end + 1 < line_.size() && line_[end] == '[' &&
                      place.find(line_[end + 1]) != std::string_view::npos;
    if (!cell || (at > 0 && line_[at - 1] == '%')) return;
    std::string known;
    for (const Form& form : forms) known += fmt::format("{}%{}", known.empty() ? "" : ", ", form.name);
    const std::string_view name = line_.substr(at, end - at);
    fail(at, fmt::format("'{}' is no cell; expected one of {}; where it is text, '%{}'", name, known, name));
  }

  FeatureTemplates::Piece read_cell(std::size_t& at, std::size_t cell) {
    FeatureTemplates::Piece piece;
    piece.before = line_.substr(at, cell - at);
    at = cell + 1;
    const Form* form = forms;
    while (!line_.substr(at).starts_with(form->name)) ++form;
    const auto expect = [&](char what) { this->expect(at, what, *form); };
    piece.form = form->form;
    piece.cluster = form->cluster;
    if (form->cluster) check_clusters(cell);
    at += form->name.size();
    expect('[');
    piece.row = number(at);
    expect(',');
    const std::size_t place = at;
    const int column = number(at);
    if (column < 0) fail(place, fmt::format("column {} of a cell; columns count from 0", column));
    piece.column = static_cast<std::size_t>(column);
    const bool another = at < line_.size() && line_[at] == ',';
    if (form->letters == Letters::some || (form->letters == Letters::if_given && another)) {
      expect(',');
      const std::size_t count_place = at;
      const int letters = number(at);
      if (letters < 1) fail(count_place, fmt::format("{} letters of a word; expected 1 or more", letters));
      piece.letters = static_cast<std::size_t>(letters);
    }
    expect(']');
    out_.columns_ = std::max(out_.columns_, piece.column + 1);
    return piece;
  }

  void check_clusters(std::size_t cell) {
    reads_clusters_ = true;
    if (out_.clusters_) return;
    throw OptionError(fmt::format("{}:{}:{}: %cluster needs `clusters`, a file with words and their clusters",
                                  source_, number_, cell + 1));
  }

  void expect(std::size_t& at, char what, const Form& form) const {
    if (at >= line_.size() || line_[at] != what) {
      fail(at, fmt::format("expected '{}' of %{}[row,column{}]", what, form.name,
                           form.letters == Letters::some ? ",letters" : ""));
    }
    ++at;
  }

  int number(std::size_t& at) const {
    int value = 0;
    const char* first = line_.data() + at;
    const char* last = line_.data() + line_.size();
    const auto [end, error] = std::from_chars(first, last, value);
    constexpr int furthest = 1000;  // more is a slip of the pen, and keeps row + token far from overflow
    if (error != std::errc() || value < -furthest || value > furthest) {
      fail(at, fmt::format("expected a number from {} to {}", -furthest, furthest));
    }
    at += static_cast<std::size_t>(end - first);
    return value;
  }

  std::string_view source_;
  std::string_view line_;
  std::size_t number_ = 0;
  bool reads_clusters_ = false;
  FeatureTemplates& out_;
};

namespace {

constexpr std::string_view chunking_name = "crfsuite-chunking";

// The names of attributes are CRFsuite's; the leading U is dropped from them.
constexpr std::string_view chunking_text =
    "Uw[-2]=%x[-2,0]\nUw[-1]=%x[-1,0]\nUw[0]=%x[0,0]\nUw[1]=%x[1,0]\nUw[2]=%x[2,0]\n"
    "Uw[-1]|w[0]=%x[-1,0]|%x[0,0]\nUw[0]|w[1]=%x[0,0]|%x[1,0]\n"
    "Upos[-2]=%x[-2,1]\nUpos[-1]=%x[-1,1]\nUpos[0]=%x[0,1]\nUpos[1]=%x[1,1]\nUpos[2]=%x[2,1]\n"
    "Upos[-2]|pos[-1]=%x[-2,1]|%x[-1,1]\nUpos[-1]|pos[0]=%x[-1,1]|%x[0,1]\n"
    "Upos[0]|pos[1]=%x[0,1]|%x[1,1]\nUpos[1]|pos[2]=%x[1,1]|%x[2,1]\n"
    "Upos[-2]|pos[-1]|pos[0]=%x[-2,1]|%x[-1,1]|%x[0,1]\n"
    "Upos[-1]|pos[0]|pos[1]=%x[-1,1]|%x[0,1]|%x[1,1]\n"
    "Upos[0]|pos[1]|pos[2]=%x[0,1]|%x[1,1]|%x[2,1]\nB\n";

constexpr std::string_view words_text =
    "U00:%x[-2,0]\nU01:%x[-1,0]\nU02:%x[0,0]\nU03:%x[1,0]\nU04:%x[2,0]\n"
    "U05:%x[-1,0]/%x[0,0]\nU06:%x[0,0]/%x[1,0]\nB\n";

constexpr std::string_view second_column_text =
    "U10:%x[-2,1]\nU11:%x[-1,1]\nU12:%x[0,1]\nU13:%x[1,1]\nU14:%x[2,1]\n"
    "U15:%x[-2,1]/%x[-1,1]\nU16:%x[-1,1]/%x[0,1]\nU17:%x[0,1]/%x[1,1]\nU18:%x[1,1]/%x[2,1]\n"
    "U20:%x[-2,1]/%x[-1,1]/%x[0,1]\nU21:%x[-1,1]/%x[0,1]/%x[1,1]\nU22:%x[0,1]/%x[1,1]/%x[2,1]\n";

constexpr std::string_view forms_text =
    "U30:%low[-1,0]\nU31:%low[0,0]\nU32:%low[1,0]\nU33:%low[-1,0]/%low[0,0]\nU34:%low[0,0]/%low[1,0]\n"
    "U35:%shape[-1,0]\nU36:%shape[0,0]\nU37:%shape[1,0]\nU38:%shape[-1,0]/%shape[0,0]/%shape[1,0]\n"
    "U40:%pre[0,0,1]\nU41:%pre[0,0,2]\nU42:%pre[0,0,3]\nU43:%pre[0,0,4]\n"
    "U50:%suf[0,0,1]\nU51:%suf[0,0,2]\nU52:%suf[0,0,3]\nU53:%suf[0,0,4]\n"
    "U60:%suf[-1,0,3]\nU61:%suf[1,0,3]\n";

constexpr std::string_view clusters_text =
    "U70:%cluster[-1,0]\nU71:%cluster[0,0]\nU72:%cluster[1,0]\n"
    "U73:%cluster[-1,0]/%cluster[0,0]\nU74:%cluster[0,0]/%cluster[1,0]\n";

// Lengths of paths as in Turian, Ratinov and Bengio (2010), whose 20 is nearly always the whole path.
constexpr std::string_view paths_text =
    "U80:%cluster[-1,0,4]\nU81:%cluster[-1,0,6]\nU82:%cluster[-1,0,10]\n"
    "U83:%cluster[0,0,4]\nU84:%cluster[0,0,6]\nU85:%cluster[0,0,10]\n"
    "U86:%cluster[1,0,4]\nU87:%cluster[1,0,6]\nU88:%cluster[1,0,10]\n";

// The text of a preset that is made of parts, or "".
std::string preset_text(std::string_view name, std::size_t columns, const SharedClusters& clusters) {
  const bool forms = name == "default" || name == "ner" || name == "pos";
  if (!forms && name != "chunking") return {};
  std::string text(words_text);
  if (columns >= 2 && name != "pos") text += second_column_text;
  if (forms) text += forms_text;
  if (clusters) text += clusters_text;
  if (clusters && clusters->paths()) text += paths_text;
  return text;
}

constexpr std::array<std::string_view, 5> presets{"default", "ner", "pos", "chunking", chunking_name};

}  // namespace

std::span<const std::string_view> template_presets() { return presets; }

FeatureTemplates FeatureTemplates::parse(std::string_view text, std::string_view source,
                                         SharedClusters clusters) {
  FeatureTemplates out;
  out.clusters_ = std::move(clusters);
  TemplateParser(source, out).read(text);
  out.text_ = text;
  return out;
}

FeatureTemplates FeatureTemplates::preset(std::string_view name, std::size_t columns,
                                          SharedClusters clusters) {
  if (const std::string text = preset_text(name, columns, clusters); !text.empty()) {
    if (columns == 0) throw std::invalid_argument("templates need at least 1 column of tokens");
    return parse(text, name, std::move(clusters));
  }
  if (name == chunking_name) {
    if (columns < 2) {
      throw std::invalid_argument(
          fmt::format("the templates {} need 2 columns (word, part of speech); there are {}", name, columns));
    }
    FeatureTemplates out = parse(chunking_text, name, std::move(clusters));
    for (Template& rule : out.templates_) rule.pieces.front().before.erase(0, 1);
    out.skip_outside_ = true;
    out.mark_ends_ = true;
    out.text_ = chunking_name;
    return out;
  }
  throw std::invalid_argument(fmt::format(
      "no templates are called '{}', and there is no such file; known are default, ner, pos, chunking and {}",
      name, chunking_name));
}

FeatureTemplates load_templates(const std::string& name, std::size_t columns, SharedClusters clusters) {
  const std::string chosen = name.empty() ? "default" : name;
  if (!std::filesystem::exists(chosen)) return FeatureTemplates::preset(chosen, columns, std::move(clusters));
  std::ifstream file(chosen);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", chosen));
  return FeatureTemplates::parse(text.str(), chosen, std::move(clusters));
}

bool FeatureTemplates::append_cell(const Piece& piece, std::string_view cell, std::string& out) const {
  if (!piece.cluster) return append_form(piece.form, piece.letters, cell, out);
  const std::string_view cluster = clusters_->find(cell);
  if (cluster.empty() || cluster.size() < piece.letters) return false;
  out += piece.letters == 0 ? cluster : cluster.substr(0, piece.letters);
  return true;
}

void FeatureTemplates::append(const Template& rule, const TokenGrid& sentence, std::size_t token,
                              ExpandedSentence& out) const {
  const auto tokens = static_cast<std::ptrdiff_t>(sentence.tokens());
  const std::size_t start = out.memory.size();
  for (const Piece& piece : rule.pieces) {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(token) + piece.row;
    out.memory += piece.before;
    if (row >= 0 && row < tokens) {
      const std::string_view cell = sentence.cell(static_cast<std::size_t>(row), piece.column);
      if (append_cell(piece, cell, out.memory)) continue;
      out.memory.resize(start);
      return;
    }
    if (skip_outside_) {
      out.memory.resize(start);
      return;
    }
    out.memory += row < 0 ? fmt::format("_B{}", row) : fmt::format("_B+{}", row - tokens + 1);
  }
  out.memory += rule.after;
  out.ends.push_back(out.memory.size());
}

void FeatureTemplates::expand(const TokenGrid& sentence, ExpandedSentence& out) const {
  if (sentence.columns < columns_) {
    throw std::invalid_argument(
        fmt::format("the tokens have {} columns; the templates read {}", sentence.columns, columns_));
  }
  out.memory.clear();
  out.ends.clear();
  out.offsets.assign(1, 0);
  const std::size_t tokens = sentence.tokens();
  for (std::size_t t = 0; t < tokens; ++t) {
    for (const Template& rule : templates_) append(rule, sentence, t, out);
    const auto mark = [&](std::string_view name) {
      out.memory += name;
      out.ends.push_back(out.memory.size());
    };
    if (mark_ends_ && t == 0) mark("__BOS__");
    if (mark_ends_ && t + 1 == tokens) mark("__EOS__");
    out.offsets.push_back(out.ends.size());
  }
  out.attributes.clear();
  std::size_t begin = 0;
  for (const std::size_t end : out.ends) {
    out.attributes.emplace_back(out.memory.data() + begin, end - begin);
    begin = end;
  }
}

void AttributeBuilder::add(const TokenGrid& sentence, std::span<const std::string_view> labels) {
  const std::size_t tokens = sentence.tokens();
  if (!labels.empty()) check_size("labels", labels.size(), tokens);
  templates_.expand(sentence, expanded_);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t k = expanded_.offsets[t]; k < expanded_.offsets[t + 1]; ++k) {
      data_.attributes.push_back(data_.attribute_names.add(expanded_.attributes[k]));
    }
    data_.offsets.push_back(static_cast<std::int64_t>(data_.attributes.size()));
    if (!labels.empty()) data_.labels.push_back(data_.label_names.add(labels[t]));
  }
  data_.sentences.push_back(static_cast<std::int64_t>(data_.tokens()));
}

}  // namespace fenchel
