// SPDX-License-Identifier: Apache-2.0
// fenchel convert: data files of any format into a binary cache that later runs map into memory, or into
// svmlight; all rows, or in two parts.
#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/unpacker.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/split.hpp"
#include "fenchel/data/svmlight.hpp"
#include "support/data_flags.hpp"
#include "support/output_files.hpp"
#include "support/results.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct ConvertFlags {
  std::vector<std::string> data;
  std::string out;
  std::string to = "auto";
  std::string model;
  std::string held_out;
  double share = 0.25;
  std::uint64_t seed = 0;
  bool labelled = false;
  bool json = false;
  DataFlags reading;
};

// What to write into a file: by the ending of its name, unless told.
DataFormat format_to(const std::string& path, const ConvertFlags& flags, const char* flag) {
  if (flags.to != "auto") return format_called(flags.to);
  const DataFormat named = format_by_ending(path);
  if (named == DataFormat::automatic || named == DataFormat::cache) return DataFormat::cache;
  if (named == DataFormat::svmlight && !is_compressed_name(path)) return named;
  throw std::invalid_argument(
      fmt::format("{} is '{}', but a file of {}{} is not written; expected a name such as rows.cache or "
                  "rows.svm, or --to cache or svmlight",
                  flag, path, format_name(named), is_compressed_name(path) ? " that is packed" : ""));
}

// Writes the file, and says so on stderr or into `results`.
void write(const Dataset& data, const ConvertFlags& flags, const std::string& path, OrderedJson& results) {
  if (format_to(path, flags, "") == DataFormat::cache) {
    write_cache(data, path);
  } else {
    write_svmlight(data, std::filesystem::path(path));
  }
  std::error_code ignored;
  const bool lasting = std::filesystem::is_regular_file(path, ignored);
  OrderedJson file{{"file", path}, {"rows", data.rows()}};
  if (lasting) file["bytes"] = std::filesystem::file_size(path);
  results["written"].push_back(std::move(file));
  if (flags.json) return;
  tell(fmt::format("{}: {} rows, {} features, {} -> {}{}", data.source, data.rows(), data.x.cols(),
                   data.x.sparse() ? "sparse" : "dense", path,
                   lasting ? fmt::format(" ({})", bytes_text(std::filesystem::file_size(path))) : ""));
}

// The rows that have labels; numbers again if all of these are, each row with one.
Dataset labelled_rows(const Dataset& data) {
  if (data.labels.rows() != data.rows())
    throw std::invalid_argument(fmt::format("--labelled: the targets of {} are not labels", data.source));
  std::vector<std::size_t> rows;
  bool single = data.labels.weights.empty() && data.labels.places.empty();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (data.labels.row(i).empty()) continue;
    rows.push_back(i);
    single &= data.labels.row(i).size() == 1;
  }
  Dataset result = select_rows(data, rows);
  std::vector<double> names(data.labels.names.size());
  for (std::size_t k = 0; k < names.size(); ++k) single &= whole_number(data.labels.names[k], names[k]);
  if (!single || !result.values.empty() || rows.empty()) return result;
  std::vector<double> values;
  for (const std::int32_t label : result.labels.indices)
    values.push_back(names[static_cast<std::size_t>(label)]);
  result.values = Matrix<double>(rows.size(), 1, std::move(values));
  return result;
}

void check_files(const ConvertFlags& flags) {
  std::vector<NamedFile> inputs = flags.reading.files(flags.data);
  inputs.push_back({"--model", flags.model});
  check_outputs({{"--out", flags.out}, {"--held-out", flags.held_out}}, inputs);
  check_writable(flags.out);
  check_writable(flags.held_out);
  format_to(flags.out, flags, "--out");
  if (!flags.held_out.empty()) format_to(flags.held_out, flags, "--held-out");
}

int convert(const ConvertFlags& flags) {
  check_files(flags);
  const ReadOptions options =
      flags.model.empty() ? flags.reading.options() : read_options_for(flags.reading, load(flags.model));
  Reading reading = read_dataset(Paths(flags.data), options);
  flags.reading.check_used({reading.format});
  const std::string target = reading.target;
  if (!flags.json)
    tell(fmt::format("{} {}{}", format_name(reading.format), reading.why,
                     target.empty() ? "" : fmt::format("; the target is column '{}'", target)));
  const std::size_t rows = reading.data.rows();
  const Dataset data = flags.labelled ? labelled_rows(reading.data) : std::move(reading.data);
  if (flags.labelled && !flags.json)
    tell(fmt::format("{} of {} rows have no label and are left out", rows - data.rows(), rows));
  OrderedJson results{{"source", data.source},
                      {"format", format_name(reading.format)},
                      {"rows", rows},
                      {"features", data.x.cols()},
                      {"storage", data.x.sparse() ? "sparse" : "dense"}};
  if (!target.empty()) results["target"] = target;
  if (flags.labelled) results["rows_without_label"] = rows - data.rows();
  if (flags.held_out.empty()) {
    write(data, flags, flags.out, results);
  } else {
    const SplitData parts = take_apart(data, split_rows(data, flags.share, {.seed = flags.seed}));
    write(parts.train, flags, flags.out, results);
    write(parts.held_out, flags, flags.held_out, results);
  }
  if (flags.json) fmt::print("{}\n", json_text(results));
  return 0;
}

}  // namespace

void add_convert(Command& program) {
  Command command = program.subcommand(
      "convert", "Write data files as a binary cache, which opens at once, or as svmlight");
  auto flags = std::make_shared<ConvertFlags>();
  command.option("DATA", flags->data, "data files; several are one data set", {.required = true});
  command.option("--out,-o", flags->out, "the file to write", {.required = true});
  command.option("--to", flags->to, "what to write (auto: svmlight for .svm and the like, else a cache)",
                 {.show_default = true, .one_of = {"auto", "cache", "svmlight"}});
  command.option("--model", flags->model,
                 "read data for this model: missing values and names become numbers as in its training");
  command.flag("--labelled", flags->labelled, "leave out rows without a label");
  command.option("--held-out", flags->held_out, "write a share of the rows to this file instead");
  command.option("--share", flags->share, "share of rows to hold out",
                 {.show_default = true, .between = {{0, 1}}});
  command.option("--seed", flags->seed, "of the rows to hold out", {.show_default = true});
  command.flag("--json", flags->json, "one JSON object: how the data were read, and what was written");
  flags->reading.add(command);
  command.footer(
      "Example:\n  fenchel convert train.svm.gz --out train.cache\n  fenchel train train.cache\n"
      "  fenchel convert all.arff --out train.cache --held-out test.cache --share 0.2 --seed 1");
  command.action([flags, command] {
    for (const char* flag : {"--share", "--seed"}) {
      if (!command.given(flag) || command.given("--held-out")) continue;
      throw std::invalid_argument(fmt::format("{} needs --held-out, the file for that share", flag));
    }
    flags->reading.unlabelled = flags->labelled;
    return convert(*flags);
  });
}

}  // namespace fenchel::cli
