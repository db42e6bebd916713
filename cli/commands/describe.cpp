// SPDX-License-Identifier: Apache-2.0
// fenchel describe: what is in data files.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/data/dependency_tree.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/treebank.hpp"
#include "support/data_flags.hpp"
#include "support/results.hpp"

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

OrderedJson describe(const Reading& reading) {
  const Dataset& data = reading.data;
  OrderedJson out{{"source", data.source},
                  {"format", format_name(reading.format)},
                  {"rows", data.rows()},
                  {"features", data.x.cols()},
                  {"storage", data.x.sparse() ? "sparse" : "dense"}};
  const auto cells = static_cast<double>(data.rows()) * static_cast<double>(data.x.cols());
  out["density"] =
      cells == 0 ? 0.0 : static_cast<double>(data.x.visit([](const auto& x) { return x.size(); })) / cells;
  if (!data.queries.empty()) out["queries"] = data.queries.size() - 1;
  if (data.labels.rows() == data.rows() && !data.labels.names.empty()) describe_labels(data.labels, out);
  if (data.values.cols() > 0) out["numeric_targets"] = data.values.cols();
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
  return out;
}

OrderedJson describe(const DescribeFlags& flags) {
  const Paths paths(flags.data);
  if (format_of(flags.data, flags.reading) == DataFormat::conllu) {
    flags.reading.check_used({DataFormat::conllu});
    return describe(read_conllu(paths), paths.description());
  }
  const Reading reading = read_dataset(paths, flags.reading.options());
  flags.reading.check_used({reading.format});
  return describe(reading);
}

int run(const DescribeFlags& flags) {
  const OrderedJson description = describe(flags);
  if (flags.json) {
    fmt::print("{}\n", json_text(description));
    return 0;
  }
  for (const auto& [key, value] : description.items()) {
    if (value.is_object()) {
      fmt::print("{:<24} {} ({})\n", key, value["name"].get<std::string>(),
                 value["count"].get<std::size_t>());
    } else if (value.is_number_float()) {
      fmt::print("{:<24} {:.4g}\n", key, value.get<double>());
    } else {
      fmt::print("{:<24} {}\n", key, value.is_string() ? value.get<std::string>() : json_text(value));
    }
  }
  return 0;
}

}  // namespace

void add_describe(Command& program) {
  Command command =
      program.subcommand("describe", "Show what is in data files: rows, features, labels; words and trees");
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
