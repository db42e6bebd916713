// SPDX-License-Identifier: Apache-2.0
// fenchel convert: data files of any format into a binary cache that later runs map into memory, or into
// svmlight; all rows, or in two parts.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/data/split.hpp"
#include "fenchel/data/svmlight.hpp"
#include "support/data_flags.hpp"
#include "support/results.hpp"
#include "support/training_run.hpp"

namespace fenchel::cli {
namespace {

struct ConvertFlags {
  std::vector<std::string> data;
  std::string out;
  std::string to = "cache";
  std::string model;
  std::string held_out;
  double share = 0.25;
  std::uint64_t seed = 0;
  bool labelled = false;
  DataFlags reading;
};

void write_text(const Dataset& data, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  write_svmlight(data, file);
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

void write(const Dataset& data, const ConvertFlags& flags, const std::string& path) {
  if (flags.to == "cache") {
    write_cache(data, path);
  } else {
    write_text(data, path);
  }
  fmt::print(stderr, "{}: {} rows, {} features, {} -> {} ({})\n", data.source, data.rows(), data.x.cols(),
             data.x.sparse() ? "sparse" : "dense", path, bytes_text(std::filesystem::file_size(path)));
}

Dataset labelled_rows(const Dataset& data) {
  if (data.labels.rows() != data.rows())
    throw std::invalid_argument(fmt::format("--labelled: the targets of {} are not labels", data.source));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (!data.labels.row(i).empty()) rows.push_back(i);
  }
  fmt::print(stderr, "{} of {} rows have no label and are left out\n", data.rows() - rows.size(),
             data.rows());
  return select_rows(data, rows);
}

int convert(const ConvertFlags& flags) {
  check_writable(flags.out);
  if (!flags.held_out.empty()) check_writable(flags.held_out);
  const ReadOptions options = flags.model.empty() ? flags.reading.options()
                                                  : read_options_for(flags.reading, load_model(flags.model));
  Reading reading = read_dataset(Paths(flags.data), options);
  fmt::print(stderr, "{} {}\n", format_name(reading.format), reading.why);
  const Dataset data = flags.labelled ? labelled_rows(reading.data) : std::move(reading.data);
  if (flags.held_out.empty()) {
    write(data, flags, flags.out);
    return 0;
  }
  const Split split = split_rows(data, flags.share, {.seed = flags.seed});
  write(select_rows(data, split.train), flags, flags.out);
  write(select_rows(data, split.held_out), flags, flags.held_out);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("convert", "Write data files as a binary cache, which opens at once");
  auto flags = std::make_shared<ConvertFlags>();
  command->add_option("DATA", flags->data, "data files; several are one data set")->required();
  command->add_option("--out,-o", flags->out, "the file to write")->required();
  command->add_option("--to", flags->to, "cache or svmlight")
      ->check(CLI::IsMember({"cache", "svmlight"}))
      ->capture_default_str();
  command->add_option("--model", flags->model,
                      "read the data for this model: its values for missing ones, its numbers for names");
  command->add_flag("--labelled", flags->labelled, "leave out rows without a label");
  command->add_option("--held-out", flags->held_out, "write a share of the rows to this file instead");
  command->add_option("--share", flags->share, "of --held-out")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--seed", flags->seed, "of --held-out")->capture_default_str();
  flags->reading.add(*command);
  command->footer(
      "Example:\n  fenchel convert train.svm.gz --out train.cache\n  fenchel train train.cache\n"
      "  fenchel convert all.arff --out train.cache --held-out test.cache --share 0.2 --seed 1");
  command->callback([&status, flags] { status = convert(*flags); });
}

}  // namespace fenchel::cli
