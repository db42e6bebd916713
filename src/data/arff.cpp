// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/arff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <pugixml.hpp>
#include <stdexcept>
#include <utility>

#include "data/arff_header.hpp"
#include "data/known_columns.hpp"
#include "data/label_rows.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/table.hpp"
#include "data/target_cell.hpp"
#include "data/unpacker.hpp"

namespace fenchel {
namespace {

enum class Role { feature, label, target, ignored };

class ArffReader {
 public:
  explicit ArffReader(const ReadOptions& options) : options_(options) {}

  void read(TextSource& source) {
    ArffHeader header = read_arff_header(source);
    source_ = source.name();
    std::vector<ArffAttribute>& attributes = header.attributes;
    if (attributes.empty()) return;
    if (attributes_.empty()) {
      attributes_ = std::move(attributes);
      labels_in_name_ = header.labels;
      assign_roles(source);
    } else if (attributes != attributes_) {
      throw DataError(source.name(), 0, 0, "the attributes differ from the first file's");
    }
    std::string_view line;
    while (source.next_line(line)) {
      ArffWords words(source, line);
      words.skip_blanks();
      if (words.at_end() || words.peek() == '%') continue;
      if (words.peek() == '{') {
        read_sparse_row(words);
      } else {
        read_dense_row(words);
      }
    }
  }

  Reading finish() {
    Reading reading;
    if (table_.rows() == 0) return reading;
    table_.finish(options_, reading.data);
    labels_.finish(reading.data);
    reading.ignored_columns = std::move(ignored_);
    reading.remarks = std::move(remarks_);
    const auto target = std::find(roles_.begin(), roles_.end(), Role::target) - roles_.begin();
    if (target < std::ssize(roles_)) reading.target = attributes_[static_cast<std::size_t>(target)].name;
    reading.warnings = std::move(warnings_);
    warn_of_labels(reading);
    return reading;
  }

 private:
  /// Attributes {0, 1} at the end are labels more often than features, where only the last is taken for the
  /// target, and not by its name.
  void warn_of_labels(Reading& reading) const {
    constexpr std::size_t few = 3;
    if (!options_.target.empty() || !options_.feature_names.empty() || roles_.empty() ||
        roles_.back() != Role::target || names_target(attributes_.back().name)) {
      return;
    }
    if (flag_values(attributes_.size() - 1).empty()) {
      warn_of_labels_before(reading);
      return;
    }
    std::size_t count = 0;
    const std::vector<std::string> values = flag_values(attributes_.size() - 1);
    while (count < attributes_.size() && flag_values(attributes_.size() - 1 - count) == values) ++count;
    if (count < few || count == attributes_.size()) return;
    reading.warnings.push_back(fmt::format(
        "the last {} attributes are {{{}}}, and all but the last are taken for features; if they are "
        "labels, give `labels`, the XML file that names them, or `target`",
        count, fmt::join(values, ", ")));
  }

  /// So are those at the beginning, where features come last and one of these is taken for the target.
  void warn_of_labels_before(Reading& reading) const {
    constexpr std::size_t few = 3;
    const std::vector<std::string> zero_one{"0", "1"};
    std::size_t count = 0;
    while (count < attributes_.size() && flag_values(count) == zero_one) ++count;
    if (count < few || !attributes_.back().type.empty() || attributes_.back().nominal) return;
    reading.warnings.push_back(fmt::format(
        "the first {} attributes are {{0, 1}} and taken for features, and the last for the target; if they "
        "are labels, give `labels`, the XML file that names them, or `target`",
        count));
  }

  /// The two values of an attribute that says whether a label is there, sorted; empty: it does not.
  std::vector<std::string> flag_values(std::size_t a) const {
    const ArffAttribute& attribute = attributes_[a];
    if (!attribute.nominal && attribute.type.empty() && other_values_[a] == 0) return {"0", "1"};
    std::vector<std::string> values = attribute.values.strings();
    if (!attribute.nominal || values.size() != 2) return {};
    std::ranges::sort(values);
    const auto are = [&](const char* no, const char* yes) {
      return same_word(values[0], no) && same_word(values[1], yes);
    };
    return are("0", "1") || are("false", "true") || are("no", "yes") ? values : std::vector<std::string>();
  }

  std::size_t attribute_called(const std::string& name) const {
    return static_cast<std::size_t>(
        std::find_if(attributes_.begin(), attributes_.end(), [&](const auto& a) { return a.name == name; }) -
        attributes_.begin());
  }

  void assign_roles(const TextSource& source) {
    roles_.assign(attributes_.size(), Role::feature);
    other_values_.assign(attributes_.size(), 0);
    for (const std::string& name : options_.ignore) {
      roles_[column_called(attribute_names(), name, source.name())] = Role::ignored;
    }
    names_ = names_to_find();
    std::string header = options_.labels_file;
    const std::string beside = source.is_file() ? labels_beside(source.name()) : std::string();
    if (header.empty() && options_.target.empty()) header = beside;
    if (header.empty() && !beside.empty() && options_.target != "-") {
      warnings_.push_back(
          fmt::format("the labels that {} names are not used, as `target` is {}: all but that "
                      "are features",
                      beside, in_quotes(options_.target)));
    }
    if (!header.empty()) {
      for (const std::string& name : read_mulan_labels(header)) {
        const std::size_t attribute = attribute_called(name);
        if (attribute == attributes_.size()) {
          throw DataError(header, 0, 0,
                          fmt::format("label {} is not an attribute of {}", in_quotes(name), source.name()));
        }
        roles_[attribute] = Role::label;
      }
    } else if (options_.target.empty() && labels_in_name_ != 0 &&
               static_cast<std::size_t>(std::abs(labels_in_name_)) < attributes_.size()) {
      const auto first = labels_in_name_ > 0 ? roles_.begin() : roles_.end() + labels_in_name_;
      std::fill_n(first, std::abs(labels_in_name_), Role::label);
      remarks_.push_back(
          fmt::format("with {} labels, by -C in the name of the relation", std::abs(labels_in_name_)));
    } else if (options_.target.empty() && has_known_labels()) {
      for (const std::string& name : options_.known_labels) roles_[attribute_called(name)] = Role::label;
      remarks_.emplace_back("with the labels of the model, by the names of attributes");
    } else if (options_.target != "-") {
      const std::size_t target = target_attribute(source);
      if (!options_.target.empty())
        check_not_ignored(attributes_[target].name, roles_[target] == Role::ignored, source.name());
      if (target < attributes_.size()) roles_[target] = Role::target;
    }
    choose_columns(source);
    for (std::size_t a = 0; a < attributes_.size(); ++a) {
      const ArffAttribute& attribute = attributes_[a];
      label_of_.push_back(roles_[a] == Role::label ? labels_.id(attribute.name) : -1);
      // All declared classes are classes, whether they occur or not.
      for (std::size_t v = 0; roles_[a] == Role::target && v < attribute.values.size(); ++v) {
        const std::string_view value = attribute.values[static_cast<std::int32_t>(v)];
        if (options_.target_text == TargetText::label || !is_order(value)) labels_.id(value);
      }
    }
    // A model that stores no names of values (an old one, for example) leaves them to the header.
    known_ = options_.nominal_columns && !options_.nominal_columns->empty();
    if (!known_) return;
    const std::string problem = apply_known(*options_.nominal_columns, names_.empty(), table_.columns);
    if (!problem.empty()) throw DataError(source.name(), 0, 0, problem);
  }

  bool has_known_labels() const {
    const auto is_attribute = [&](const std::string& name) {
      return attribute_called(name) < attributes_.size();
    };
    return !options_.known_labels.empty() && std::ranges::all_of(options_.known_labels, is_attribute);
  }

  std::vector<std::string> attribute_names() const {
    std::vector<std::string> names;
    for (const ArffAttribute& attribute : attributes_) names.push_back(attribute.name);
    return names;
  }

  /// Which attributes are features, and in which order: that of the known names, else that of the file.
  void choose_columns(const TextSource& source) {
    std::vector<std::size_t> chosen;
    column_of_.assign(attributes_.size(), -1);
    if (names_.empty()) {
      check_different(attribute_names(), source.name());
      for (std::size_t a = 0; a < attributes_.size(); ++a) {
        if (roles_[a] == Role::feature) chosen.push_back(a);
      }
    } else {
      std::vector<std::string> names;
      std::vector<std::size_t> features;
      for (std::size_t a = 0; a < attributes_.size(); ++a) {
        if (roles_[a] != Role::feature) continue;
        names.push_back(attributes_[a].name);
        features.push_back(a);
        roles_[a] = Role::ignored;
      }
      ColumnMatch match = match_columns(names_, names, names.size(), source.name());
      for (const std::size_t place : match.places) chosen.push_back(features[place]);
      ignored_ = std::move(match.others);
    }
    for (const std::size_t a : chosen) {
      if (!attributes_[a].type.empty()) {
        throw DataError(
            source.name(), attributes_[a].line, 0,
            fmt::format("attribute {} has type {}, which features do not have; leave it out with `ignore={}`",
                        in_quotes(attributes_[a].name), in_quotes(attributes_[a].type), attributes_[a].name));
      }
      roles_[a] = Role::feature;
      column_of_[a] = static_cast<std::int32_t>(table_.columns.size());
      table_.columns.push_back({attributes_[a].name, attributes_[a].nominal, attributes_[a].values});
    }
    row_.resize(table_.columns.size());
  }

  /// The names to find attributes by; none where the model left the values of nominal ones to the header, so
  /// that features have the names of values (colour=red).
  std::vector<std::string> names_to_find() const {
    const bool listed = options_.nominal_columns && !options_.nominal_columns->empty();
    const auto is_value = [&](const std::string& name) {
      return std::ranges::any_of(attributes_, [&](const ArffAttribute& attribute) {
        return attribute.nominal && name.starts_with(attribute.name + "=");
      });
    };
    const bool values = !listed && std::ranges::any_of(options_.feature_names, is_value);
    return values ? std::vector<std::string>() : names_of(column_names(options_));
  }

  std::size_t target_attribute(const TextSource& source) const {
    if (!options_.target.empty()) return column_called(attribute_names(), options_.target, source.name());
    if (!options_.known_target.empty() && !names_.empty()) return attribute_called(options_.known_target);
    for (std::size_t a = 0; a < attributes_.size(); ++a) {
      if (same_word(attributes_[a].name, "class")) return a;
    }
    for (std::size_t a = attributes_.size(); a > 0 && names_.empty(); --a) {
      if (names_target(attributes_[a - 1].name)) return a - 1;
    }
    return names_.empty() ? attributes_.size() - 1 : target_among(names_, attribute_names(), source.name());
  }

  /// The number that a word stands for: NaN if missing, the number of a nominal value.
  double cell(const ArffWords& words, std::string_view word, std::size_t a) {
    const ArffAttribute& attribute = attributes_[a];
    if (roles_[a] == Role::ignored) return 0;
    if (word == "?" && !words.quoted_word()) {
      if (roles_[a] != Role::feature && options_.unlabelled) return missing_cell;
      const std::string problem = roles_[a] == Role::feature ? missing_problem(options_) : "is missing";
      if (problem.empty()) return missing_cell;
      words.fail(fmt::format("the value of attribute {} {}", in_quotes(attribute.name), problem));
    }
    if (attribute.nominal) {
      const std::int32_t id = attribute.values.find(word);
      if (id < 0) {
        words.fail(
            fmt::format("{} is not a value of attribute {}", in_quotes(word), in_quotes(attribute.name)));
      }
      if (!known_ || roles_[a] != Role::feature) return id;
    }
    if (known_ && roles_[a] == Role::feature) {
      const FeatureColumn& column = table_.columns[static_cast<std::size_t>(column_of_[a])];
      const std::int32_t id = column.nominal ? column.values.find(word) : 0;
      if (id < 0) words.fail(unseen_problem(word, "attribute", column));
      if (column.nominal) return id;
    }
    if (!attribute.type.empty()) {
      if (roles_[a] != Role::target)
        words.fail(fmt::format("attribute {} is no number", in_quotes(attribute.name)));
      text_ = word;
      return 0;
    }
    double value = 0;
    const double largest = options_.single ? static_cast<double>(std::numeric_limits<float>::max())
                                           : std::numeric_limits<double>::max();
    const bool finite = whole_number(word, value) && std::isfinite(value);
    if (!finite || std::abs(value) > largest) {
      words.fail(fmt::format("{} is {} (attribute {})", in_quotes(word),
                             finite ? "too large for single precision" : "not a finite number",
                             in_quotes(attribute.name)));
    }
    if (value != 0 && value != 1) other_values_[a] = 1;
    return value;
  }

  void add_label(std::size_t a, double value) {
    const ArffAttribute& attribute = attributes_[a];
    if (std::isnan(value)) return;
    if (attribute.nominal) {
      double number = 0;
      if (whole_number(attribute.values[static_cast<std::int32_t>(value)], number)) value = number;
    }
    if (value == 0) return;
    if (value == 1) {
      labels_.push(label_of_[a]);
    } else {
      labels_.push(label_of_[a], value);
    }
  }

  void add_target(std::size_t a, double value) {
    const ArffAttribute& attribute = attributes_[a];
    if (std::isnan(value)) return;
    if (attribute.nominal) text_ = attribute.values[static_cast<std::int32_t>(value)];
    if (!attribute.nominal && attribute.type.empty()) text_ = number_text(value);
    const std::string problem = push_labels(text_, labels_, options_.target_text);
    if (!problem.empty()) throw DataError(source_, 0, 0, fmt::format("{}: {}", in_quotes(text_), problem));
  }

  /// The class of a sparse row that does not name it: the first one declared, or 0.
  void add_left_out_target(ArffWords& words) {
    const auto a =
        static_cast<std::size_t>(std::find(roles_.begin(), roles_.end(), Role::target) - roles_.begin());
    if (a == roles_.size()) return;
    if (!attributes_[a].type.empty() || (attributes_[a].nominal && attributes_[a].values.empty())) {
      words.word("");
      words.fail(fmt::format("the row leaves out attribute {}, which has no values to choose from",
                             in_quotes(attributes_[a].name)));
    }
    add_target(a, 0);
  }

  void read_dense_row(ArffWords& words) {
    if (table_.rows() > 0 && sparse_) fail_kind(words, "dense");
    for (std::size_t a = 0; a < attributes_.size(); ++a) {
      words.skip_blanks();
      const std::string_view word = words.word(",");
      if (word.empty() && !words.quoted_word()) {
        words.fail(fmt::format("a value of attribute {} is missing", in_quotes(attributes_[a].name)));
      }
      const double value = cell(words, word, a);
      if (roles_[a] == Role::feature) row_[static_cast<std::size_t>(column_of_[a])] = value;
      if (roles_[a] == Role::label) add_label(a, value);
      if (roles_[a] == Role::target) add_target(a, value);
      words.skip_blanks();
      if (a + 1 == attributes_.size()) break;
      if (words.peek() != ',') {
        words.fail(
            fmt::format("the row ends after {} values; there are {} attributes", a + 1, attributes_.size()));
      }
      words.advance();
    }
    if (!words.at_end()) {
      const bool brackets = has_half_a_bracket(text_);
      words.word("");
      words.fail(fmt::format(
          "more values than the {} attributes{}", attributes_.size(),
          brackets ? "; put a value such as {a,b}>c, with commas between brackets, in quotes" : ""));
    }
    for (const double value : row_) table_.push(value);
    table_.end_row(false);
    labels_.end_row();
  }

  void read_sparse_row(ArffWords& words) {
    if (table_.rows() > 0 && !sparse_) fail_kind(words, "sparse");
    if (!sparse_ && known_) check_left_out(words);
    sparse_ = true;
    std::int64_t previous = -1;
    bool target = false;
    words.advance();
    for (words.skip_blanks(); words.peek() != '}'; words.skip_blanks()) {
      const auto a = static_cast<std::size_t>(sparse_index(words, previous));
      previous = static_cast<std::int64_t>(a);
      words.skip_blanks();
      const double value = cell(words, words.word(",}"), a);
      if (roles_[a] == Role::feature && value != 0) entries_.emplace_back(column_of_[a], value);
      if (roles_[a] == Role::label) add_label(a, value);
      if (roles_[a] == Role::target) add_target(a, value);
      target |= roles_[a] == Role::target;
      words.skip_blanks();
      if (words.peek() != ',' && words.peek() != '}') words.fail("expected , or } after a value");
      if (words.peek() == ',') words.advance();
    }
    words.advance();
    words.skip_blanks();
    if (!words.at_end()) {
      words.word("");
      words.fail("text after the row");
    }
    if (!target) add_left_out_target(words);
    std::sort(entries_.begin(), entries_.end());  // attributes may have another order than the columns
    for (const auto& [column, value] : entries_) table_.push(column, value);
    entries_.clear();
    table_.end_row(true);
    labels_.end_row();
  }

  /// Sparse rows leave out the first value, which must then be the first one in training as well.
  void check_left_out(ArffWords& words) const {
    for (std::size_t a = 0; a < attributes_.size(); ++a) {
      const FeatureColumn* column =
          roles_[a] == Role::feature ? &table_.columns[static_cast<std::size_t>(column_of_[a])] : nullptr;
      if (!column || !column->nominal || column->values.empty()) continue;
      const bool named = attributes_[a].nominal && !attributes_[a].values.empty();
      const std::string_view first = named ? attributes_[a].values[0] : "0";
      if (first == column->values[0]) continue;
      words.word("");
      words.fail(
          fmt::format("sparse rows leave out the value {} of attribute {}; expected {}, as in training",
                      in_quotes(first), in_quotes(column->name), in_quotes(column->values[0])));
    }
  }

  std::int64_t sparse_index(ArffWords& words, std::int64_t previous) const {
    const std::string_view word = words.word(",}");
    double index = 0;
    if (word.find_first_not_of("0123456789") != std::string_view::npos || !whole_number(word, index)) {
      words.fail(fmt::format("{} is not the index of an attribute", in_quotes(word)));
    }
    if (index >= static_cast<double>(attributes_.size())) {
      words.fail(fmt::format("index {} is beyond the {} attributes", word, attributes_.size()));
    }
    const auto result = static_cast<std::int64_t>(index);
    if (result <= previous) {
      words.fail(fmt::format("index {} after {}; indices must increase", result, previous));
    }
    return result;
  }

  [[noreturn]] static void fail_kind(ArffWords& words, const char* kind) {
    words.word("");
    words.fail(fmt::format("a {} row among rows of the other kind", kind));
  }

  ReadOptions options_;
  std::vector<ArffAttribute> attributes_;
  std::vector<Role> roles_;
  std::vector<std::string> names_;       ///< of features, to find them by; empty: by their order
  std::vector<std::string> ignored_;     ///< attributes that are not known
  std::vector<std::int32_t> column_of_;  ///< of an attribute that is a feature
  std::vector<double> row_;              ///< a dense row in the order of the columns
  std::vector<std::pair<std::int32_t, double>> entries_;  ///< a sparse one
  std::vector<std::int32_t> label_of_;                    ///< of an attribute that is a label
  FeatureTable table_;
  LabelRows labels_;
  std::string source_;               ///< the file at hand
  std::string text_;                 ///< the target of a row
  std::int64_t labels_in_name_ = 0;  ///< ArffHeader::labels
  std::vector<std::string> remarks_, warnings_;
  std::vector<char> other_values_;  ///< whether a numeric attribute has values but 0 and 1
  bool sparse_ = false;
  bool known_ = false;  ///< whether the values of nominal features are those of training
};

constexpr int deepest_label = 64;  // labels inside labels: no real hierarchy is deeper

void collect_labels(const pugi::xml_node& node, const std::string& path, int depth,
                    std::vector<std::string>& names) {
  if (depth > deepest_label) throw DataError(path, 0, 0, "labels are nested too deeply");
  for (const pugi::xml_node label : node.children("label")) {
    const std::string name = label.attribute("name").value();
    if (name.empty()) throw DataError(path, 0, 0, "a label has no name");
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw DataError(path, 0, 0, fmt::format("label {} twice", in_quotes(name)));
    }
    names.push_back(name);
    collect_labels(label, path, depth + 1, names);
  }
}

}  // namespace

std::string labels_beside(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path stem(path);
  if (is_compressed_name(path)) stem.replace_extension();
  stem.replace_extension();
  std::vector<std::string> candidates{stem.string()};
  // The names of Mulan: yeast-train-sparse.arff beside yeast.xml.
  constexpr std::array<std::string_view, 6> parts{"-train", "-test", "-sparse", "_train", "_test", "_sparse"};
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    for (const std::string_view part : parts) {
      const std::string name = candidates[k];
      if (name.ends_with(part)) candidates.push_back(name.substr(0, name.size() - part.size()));
    }
  }
  std::error_code ignored;
  for (const std::string& candidate : candidates) {
    if (fs::is_regular_file(candidate + ".xml", ignored)) return candidate + ".xml";
  }
  return {};
}

std::vector<std::string> read_mulan_labels(const std::string& path) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_file(path.c_str());
  if (result.status == pugi::status_file_not_found)
    throw DataError(path, 0, 0, "cannot open: no such file of labels");
  if (!result)
    throw DataError(path, 0, 0, fmt::format("not an XML file of labels: {}", result.description()));
  const pugi::xml_node root = document.child("labels");
  if (!root) throw DataError(path, 0, 0, "not an XML file of labels: there is no <labels>");
  std::vector<std::string> names;
  collect_labels(root, path, 0, names);
  if (names.empty()) throw DataError(path, 0, 0, "there are no labels");
  return names;
}

Reading read_arff_files(const std::vector<std::string>& files, TextSource* first,
                        const ReadOptions& options) {
  ArffReader reader(options);
  read_files(reader, files, first);
  return reader.finish();
}

Dataset read_arff(const Paths& paths, const ReadOptions& options) {
  return read_format(DataFormat::arff, paths, options);
}

}  // namespace fenchel
