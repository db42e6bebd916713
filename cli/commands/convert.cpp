// SPDX-License-Identifier: Apache-2.0
// fenchel convert: data files of any format into a binary cache that later runs map into memory, or into
// svmlight.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/data/cache.hpp"
#include "fenchel/data/read.hpp"
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
  DataFlags reading;
};

void write_text(const Dataset& data, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  write_svmlight(data, file);
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

int convert(const ConvertFlags& flags) {
  check_writable(flags.out);
  const ReadOptions options = flags.model.empty() ? flags.reading.options()
                                                  : read_options_for(flags.reading, load_model(flags.model));
  const Reading reading = read_dataset(Paths(flags.data), options);
  const Dataset& data = reading.data;
  if (flags.to == "cache") {
    write_cache(data, flags.out);
  } else {
    write_text(data, flags.out);
  }
  fmt::print(stderr, "{}: {} rows, {} features, {} ({} {}) -> {} ({})\n", data.source, data.rows(),
             data.x.cols(), data.x.sparse() ? "sparse" : "dense", format_name(reading.format), reading.why,
             flags.out, bytes_text(std::filesystem::file_size(flags.out)));
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
  flags->reading.add(*command);
  command->footer("Example:\n  fenchel convert train.svm.gz --out train.cache\n  fenchel train train.cache");
  command->callback([&status, flags] { status = convert(*flags); });
}

}  // namespace fenchel::cli
