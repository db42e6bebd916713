// SPDX-License-Identifier: Apache-2.0
// fenchel describe: what is in data files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/data/dependency_tree.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/summary.hpp"
#include "fenchel/data/time_series.hpp"
#include "fenchel/data/treebank.hpp"
#include "fenchel/models/task_targets.hpp"
#include "support/data_flags.hpp"
#include "support/option_spelling.hpp"
#include "support/read_corpus.hpp"
#include "support/results.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct DescribeFlags {
  std::vector<std::string> data;
  bool json = false;
  DataFlags reading;
};

// How many rows have each class, and how many classes a row has.
void describe_labels(const Labels& labels, OrderedJson& out) {
  std::vector<std::size_t> counts(labels.names.size());
  std::size_t unlabelled = 0;
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    unlabelled += labels.row(i).empty() ? 1 : 0;
    for (const std::int32_t label : labels.row(i)) ++counts[static_cast<std::size_t>(label)];
  }
  const std::size_t labelled = labels.rows() - unlabelled;
  out["classes"] = labels.names.size();
  out["rows_without_label"] = unlabelled;
  out["labels_per_labelled_row"] =
      labelled == 0 ? 0.0 : static_cast<double>(labels.indices.size()) / static_cast<double>(labelled);
  if (counts.empty()) return;
  const auto [rarest, commonest] = std::ranges::minmax_element(counts);
  const auto name = [&](auto it) { return labels.names[static_cast<std::size_t>(it - counts.begin())]; };
  out["commonest_class"] = {{"name", name(commonest)}, {"count", *commonest}};
  out["rarest_class"] = {{"name", name(rarest)}, {"count", *rarest}};
}

constexpr std::size_t listed_names = 10;  // of columns: longer lists do not help
constexpr std::size_t listed_classes = 20;

// The counts of classes, the largest first.
OrderedJson class_counts(const Labels& labels) {
  std::vector<std::size_t> counts(labels.names.size());
  for (const std::int32_t label : labels.indices) ++counts[static_cast<std::size_t>(label)];
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return counts[k]; });
  OrderedJson out = OrderedJson::object();
  for (std::size_t k = 0; k < std::min(order.size(), listed_classes); ++k) {
    out[labels.names[order[k]]] = counts[order[k]];
  }
  return out;
}

// The first columns with missing values: "height (3)".
OrderedJson missing_by_column(const Dataset& data) {
  std::map<std::size_t, std::size_t> counts;
  for (const ImputedCell& cell : *data.imputed) ++counts[cell.feature];
  OrderedJson out;
  for (const auto& [feature, count] : counts) {
    const auto nominal = std::ranges::find(data.nominal, feature, &NominalColumn::feature);
    const std::string name = nominal == data.nominal.end() ? feature_name(data, feature) : nominal->name;
    if (out.size() < listed_names) out.push_back(fmt::format("{} ({})", name, count));
  }
  return out;
}

OrderedJson task_text(const Dataset& data) {
  const TaskGuess guess = guess_task(data);
  return fmt::format("{} ({})", to_string(guess.task), guess.reason);
}

void describe_features(const Dataset& data, OrderedJson& out) {
  FeatureSummary summary;
  try {
    summary = summarize_features(data);
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        fmt::format("{}: there is not enough memory to describe its {} features; expected fewer, or smaller "
                    "indices of them",
                    data.source, data.x.cols()));
  }
  out["density"] = summary.density;
  if (!data.nominal.empty()) {
    for (const NominalColumn& column : data.nominal) {
      out["columns_of_words"].push_back(fmt::format("{} ({} values)", column.name, column.values.size()));
      out["values_of_words"][column.name] = column.values.size();
    }
  }
  if (data.imputed) out["missing_values"] = summary.missing;
  if (summary.missing > 0) out["missing"] = missing_by_column(data);
  out["constant_columns"] = summary.constant.size();
  out["duplicate_columns"] = summary.duplicates.size();
  OrderedJson names;
  for (std::size_t k = 0; k < std::min(summary.constant.size(), listed_names); ++k) {
    names.push_back(feature_name(data, summary.constant[k]));
  }
  if (!names.empty()) out["constant"] = names;
  names.clear();
  for (std::size_t k = 0; k < std::min(summary.duplicates.size(), listed_names); ++k) {
    const auto& [column, first] = summary.duplicates[k];
    names.push_back(fmt::format("{} = {}", feature_name(data, column), feature_name(data, first)));
  }
  if (!names.empty()) out["duplicates"] = names;
}

OrderedJson describe(const Reading& reading) {
  const Dataset& data = reading.data;
  OrderedJson out{{"source", data.source}, {"format", format_name(reading.format)}};
  if (!reading.remarks.empty()) out["read_as"] = fmt::format("{}", fmt::join(reading.remarks, ", "));
  if (!reading.target.empty()) out["target"] = reading.target;
  const bool targets = data.labels.rows() == data.rows() || !data.values.empty();
  if (targets) out["task"] = task_text(data);
  out["rows"] = data.rows();
  out["features"] = data.x.cols();
  out["storage"] = data.x.sparse() ? "sparse" : "dense";
  describe_features(data, out);
  if (!data.queries.empty()) out["queries"] = data.queries.size() - 1;
  const bool labelled = data.labels.rows() == data.rows() && !data.labels.names.empty();
  const bool numbers = targets && guess_task(data).task == Task::regression;
  if (labelled && !numbers) describe_labels(data.labels, out);
  if (data.values.cols() > 0) out["numeric_targets"] = data.values.cols();
  if (const auto range = target_range(data)) {
    out["target_range"] =
        fmt::format("{:.6g} to {:.6g}, mean {:.6g}", range->smallest, range->largest, range->mean);
    out["target_smallest"] = range->smallest;
    out["target_largest"] = range->largest;
    out["target_mean"] = range->mean;
  }
  const bool few = data.values.empty() || data.labels.names.size() <= listed_classes;
  if (labelled && few && !numbers) out["class_counts"] = class_counts(data.labels);
  return out;
}

OrderedJson describe(const TimeSeries& series, const std::string& source) {
  std::size_t shortest = series.length(0), longest = shortest;
  for (std::size_t i = 0; i < series.size(); ++i) {
    shortest = std::min(shortest, series.length(i));
    longest = std::max(longest, series.length(i));
  }
  OrderedJson out{{"source", source},
                  {"format", format_name(DataFormat::time_series)},
                  {"series", series.size()},
                  {"channels", series.channels},
                  {"shortest", shortest},
                  {"longest", longest},
                  {"missing_values", series.missing}};
  if (series.labels.rows() == series.size()) {
    Dataset targets;
    targets.labels = series.labels;
    targets.values = series.targets;
    out["task"] = task_text(targets);
    describe_labels(series.labels, out);
    out["class_counts"] = class_counts(series.labels);
  }
  return out;
}

OrderedJson describe(const TaggerData& data, const std::string& source, DataFormat format) {
  std::size_t longest = 0;
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    longest = std::max(longest, static_cast<std::size_t>(data.sentences[s + 1] - data.sentences[s]));
  }
  OrderedJson out{{"source", source},
                  {"format", format_name(format)},
                  {"task", "tagging (sentences of tokens)"},
                  {"sentences", data.sentence_count()},
                  {"tokens", data.tokens()},
                  {"longest_sentence", longest}};
  Labels labels;
  labels.names = data.label_names.strings();
  labels.indices = data.labels;
  out["labels"] = labels.names.size();
  out["label_counts"] = class_counts(labels);
  return out;
}

OrderedJson describe(const Treebank& bank, const std::string& source) {
  std::size_t longest = 0, trees = 0, words_with_tree = 0, non_projective = 0;
  for (std::size_t s = 0; s < bank.sentences(); ++s) {
    const auto heads = bank.heads_of(s);
    longest = std::max(longest, heads.size());
    if (heads.front() < 0) continue;
    ++trees;
    words_with_tree += heads.size();
    non_projective += is_projective(heads) ? 0 : 1;
  }
  OrderedJson out{{"source", source},
                  {"format", format_name(DataFormat::conllu)},
                  {"sentences", bank.sentences()},
                  {"words", bank.words()},
                  {"longest_sentence", longest},
                  {"multiword_tokens", bank.others.count(OtherLines::Kind::multiword)},
                  {"empty_nodes", bank.others.count(OtherLines::Kind::empty_node)},
                  {"trees", trees},
                  {"words_with_tree", words_with_tree},
                  {"words_without_tree", bank.words() - words_with_tree},
                  {"non_projective_trees", non_projective}};
  for (const auto column :
       {TreebankColumn::form, TreebankColumn::upos, TreebankColumn::xpos, TreebankColumn::deprel}) {
    const std::string name(treebank_column_names[static_cast<std::size_t>(column)]);
    out["distinct_" + name] = bank.column(column).strings.size();
  }
  const TokenColumn& tags = bank.column(TreebankColumn::upos);
  Labels labels;
  labels.names = tags.strings.strings();
  labels.indices = tags.ids;
  OrderedJson counts = class_counts(labels);
  out["words_without_upos"] = std::ranges::count(tags.ids, tags.strings.find("_"));
  counts.erase("_");
  out["task"] = "tagging (the target is UPOS, unless --target names another column)";
  out["label_counts"] = counts;
  return out;
}

OrderedJson describe(const DescribeFlags& flags) {
  const Paths paths(flags.data);
  ReadOptions options = flags.reading.options();
  options.missing = Missing::impute;  // to count them
  const DataFormat format = format_of(flags.data, flags.reading);
  if (format == DataFormat::conllu && flags.reading.target.empty()) {
    flags.reading.check_used({format});
    return describe(read_conllu(paths), paths.description());
  }
  if (of_sentences(format)) {
    const Corpus corpus = read_corpus(flags.data, flags.reading, {}, Task::tagging);
    flags.reading.check_used({format});
    return describe(*std::get<std::shared_ptr<const TaggerData>>(corpus.data), corpus.source, format);
  }
  if (format == DataFormat::time_series) {
    flags.reading.check_used({format});
    const TimeSeries series = read_time_series(paths, options);
    for (const std::string& warning : series.warnings)
      warn(fmt::format("{}: {}", paths.description(), warning));
    return describe(series, paths.description());
  }
  const Reading reading = read_dataset(paths, options);
  flags.reading.check_used({reading.format});
  for (const std::string& warning : reading.warnings) {
    warn(fmt::format("{}: {}", reading.data.source, spell_options(warning, spelled_as_flag)));
  }
  warn_of_doubts(reading);
  return describe(reading);
}

void print_value(const std::string& key, const OrderedJson& value) {
  if (value.is_object() && value.contains("name")) {
    fmt::print("{:<24} {} ({})\n", key, value["name"].get<std::string>(), value["count"].get<std::size_t>());
  } else if (value.is_object()) {
    fmt::print("{}\n", key);
    for (const auto& [name, count] : value.items())
      fmt::print("  {:<22} {}\n", name, count.get<std::size_t>());
  } else if (value.is_array()) {
    fmt::print("{:<24} {}\n", key, fmt::join(value.get<std::vector<std::string>>(), ", "));
  } else if (value.is_number_float()) {
    fmt::print("{:<24} {:.4g}\n", key, value.get<double>());
  } else {
    fmt::print("{:<24} {}\n", key, value.is_string() ? value.get<std::string>() : json_text(value));
  }
}

int run(const DescribeFlags& flags) {
  const OrderedJson description = describe(flags);
  if (flags.json) {
    fmt::print("{}\n", json_text(description));
    return 0;
  }
  // The same in words is there too, for readers.
  constexpr std::array<std::string_view, 4> for_programs{"target_smallest", "target_largest", "target_mean",
                                                         "values_of_words"};
  for (const auto& [key, value] : description.items()) {
    if (std::ranges::find(for_programs, key) == for_programs.end()) print_value(key, value);
  }
  return 0;
}

}  // namespace

void add_describe(Command& program) {
  Command command = program.subcommand(
      "describe",
      "Show what is in data files and how they are read: rows, features, targets; series, sentences, trees");
  auto flags = std::make_shared<DescribeFlags>();
  command.option("DATA", flags->data, "data files; several are one data set", {.required = true});
  command.flag("--json", flags->json, "one JSON object");
  flags->reading.add(command);
  command.footer(
      "Example:\n  fenchel describe train.svm.gz\n  fenchel describe yeast-train.arff --json\n"
      "  fenchel describe treebank.conllu");
  command.action([flags] { return run(*flags); });
}

}  // namespace fenchel::cli
