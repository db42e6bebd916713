// SPDX-License-Identifier: Apache-2.0
#include "support/data_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/readers.hpp"
#include "data/text_source.hpp"
#include "fenchel/data/paths.hpp"
#include "fenchel/models/read_for.hpp"

namespace fenchel::cli {
namespace {

// The flags that not all formats have a use for, and those that do.
struct FormatFlag {
  const char* name;
  std::vector<DataFormat> formats;
};

const std::vector<FormatFlag>& format_flags() {
  using enum DataFormat;
  static const std::vector<FormatFlag> flags{{"--labels", {arff}},
                                             {"--target", {csv, arff, npy, conll, conllu}},
                                             {"--ignore", {csv, arff}},
                                             {"--header", {csv}},
                                             {"--decimal", {csv}},
                                             {"--nominal", {csv, arff}},
                                             {"--missing", {csv, arff, time_series}},
                                             {"--precision", {svmlight, arff, csv, npy, time_series}},
                                             {"--indices", {svmlight}}};
  return flags;
}

}  // namespace

void DataFlags::add(Command& command, const std::string& format_names) {
  given = [command](const std::string& name) { return command.given(name); };
  const std::string group = "Reading data";
  const std::vector<std::string_view> known = fenchel::format_names();
  const auto word_of = [&](std::vector<std::string> words) {
    return OptionSettings{.group = group, .show_default = true, .one_of = std::move(words)};
  };
  command.option(format_names, format,
                 "auto, svmlight, arff, csv, npy, cache, time_series, conll, conllu, crfsuite or ocr",
                 {.group = group, .show_default = true, .common = {known.begin(), known.end()}});
  command.option("--labels", labels, "ARFF: the XML file that names the labels (default: the one beside it)",
                 {.group = group});
  command.option("--target", target,
                 "the target column, by name or number from 1 (default: one called class, target or label, "
                 "else the last; "
                 "UPOS in CoNLL-U); NPY: the file of targets",
                 {.group = group});
  command.option("--ignore", ignore, "CSV, ARFF: columns to leave out, by name or number from 1",
                 {.group = group, .separator = ','});
  command.option("--header", header,
                 "CSV: whether the first line names the columns (auto: by the lines below)",
                 word_of({"auto", "yes", "no"}));
  command.option("--decimal", decimal,
                 "CSV: what stands before decimals (auto: a comma where it separates nothing)",
                 word_of({"auto", "point", "comma"}));
  command.option("--nominal", nominal, "how features whose values are names become numbers",
                 word_of({"one-hot", "ordinal"}));
  command.option("--missing", missing,
                 "what to do about missing values (impute: fill in the mean or most frequent value; for a "
                 "model, that of its training data)",
                 word_of({"error", "impute"}));
  command.option("--precision", precision, "of the features (single: half the memory)",
                 word_of({"double", "single"}));
  command.option("--indices", indices, "svmlight: whether indices begin at 0 or 1 (auto: 0 if one is 0)",
                 word_of({"auto", "0", "1"}));
}

ReadOptions DataFlags::options() const {
  ReadOptions result;
  result.format = format == "auto" ? DataFormat::automatic : format_called(format);
  result.single = precision == "single";
  result.target = target;
  result.ignore = ignore;
  if (header != "auto") result.header = header == "yes" ? Header::yes : Header::no;
  if (decimal != "auto") result.decimal = decimal == "comma" ? Decimal::comma : Decimal::point;
  result.labels_file = labels;
  result.nominal = nominal == "ordinal" ? Nominal::ordinal : Nominal::one_hot;
  result.missing = missing == "impute" ? Missing::impute : Missing::error;
  result.threads = threads;
  result.unlabelled = unlabelled;
  if (indices != "auto") result.index_base = indices == "0" ? IndexBase::zero : IndexBase::one;
  return result;
}

void DataFlags::check_used(const std::vector<DataFormat>& formats) const {
  for (const FormatFlag& flag : format_flags()) {
    const auto uses = [&](DataFormat format) {
      return format == DataFormat::automatic || std::ranges::find(flag.formats, format) != flag.formats.end();
    };
    if (!given(flag.name) || std::ranges::any_of(formats, uses)) continue;
    std::vector<std::string_view> names;
    for (const DataFormat format : flag.formats) names.push_back(format_name(format));
    throw std::invalid_argument(fmt::format("{} has no meaning for data in the format {}; it is for {}",
                                            flag.name, format_name(formats.front()), fmt::join(names, ", ")));
  }
}

std::vector<NamedFile> DataFlags::files(const std::vector<std::string>& paths,
                                        const std::string& name) const {
  std::vector<NamedFile> result;
  if (paths.empty()) return result;
  const Paths found(paths);
  for (const std::string& path : found.files()) {
    const auto ends = [&](const char* ending) { return path.find(ending) != std::string::npos; };
    result.push_back({name, path});
    if (ends(".arff")) result.push_back({"the labels of " + name, labels_beside(path)});
    if (ends(".npy")) result.push_back({"the targets of " + name, targets_beside(path)});
  }
  result.push_back({"--labels", labels});
  if (target.ends_with(".npy")) result.push_back({"--target", target});  // else the name of a column
  return result;
}

bool of_sentences(DataFormat format) {
  using enum DataFormat;
  return format == conll || format == conllu || format == crfsuite || format == ocr;
}

DataFormat format_of(const std::vector<std::string>& paths, const DataFlags& flags, std::optional<Task> task,
                     DataFormat known) {
  const DataFormat asked = flags.options().format;
  const std::string first = Paths(paths).files().front();
  std::error_code ignored;
  const bool lasting = first != "-" && std::filesystem::is_regular_file(first, ignored);
  if (first != "-" && !std::filesystem::exists(first, ignored))
    static_cast<void>(TextSource{first});  // says that it is not there
  if (asked != DataFormat::automatic) return asked;
  if (!lasting) return task == Task::tagging ? DataFormat::conll : asked;
  if (!task) return guess_format(first);
  std::vector<DataFormat> formats = possible_formats(first, known);
  std::erase_if(formats, [&](DataFormat format) { return of_sentences(format) != (task == Task::tagging); });
  return formats.size() == 1 ? formats.front() : guess_format(first);
}

ReadOptions read_options_for(const DataFlags& flags, const AnyModel& model) {
  return options_for(model, flags.options());
}

}  // namespace fenchel::cli
