// SPDX-License-Identifier: Apache-2.0
// fenchel predict: a model's predictions for the rows (or sentences) of data files, a line each.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/data/svmlight.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/prediction_writer.hpp"

namespace fenchel::cli {
namespace {

struct PredictFlags {
  std::string model;
  std::vector<std::string> data;
  DataFlags reading;
  WriterOptions writing;
  double temperature = 0;
  int threads = 0;
};

// Rows from stdin are answered as they come, so that the tool can sit in a pipe.
void predict_stream(const LinearModel& model, const PredictFlags& flags, PredictionWriter& writer) {
  const ReadOptions options = read_options_for(flags.reading, model);
  SvmlightStream stream(flags.data.front(), options);
  Dataset rows;
  while (stream.next(rows)) {
    writer.write(model, rows);
    writer.flush();
  }
}

bool streams(const PredictFlags& flags, const AnyModel& model) {
  return flags.data.size() == 1 && flags.data.front() == "-" && std::holds_alternative<LinearModel>(model) &&
         (flags.reading.format == "auto" || flags.reading.format == "svmlight") &&
         task_of(model) != Task::ranking && flags.writing.format != OutputFormat::npy;
}

int predict(const PredictFlags& flags) {
  AnyModel model = load_model(flags.model);
  WriterOptions writing = flags.writing;
  if (flags.temperature > 0) writing.temperature = flags.temperature;
  writing.threads = flags.threads;
  PredictionWriter writer(writing, stdout);
  if (streams(flags, model)) {
    predict_stream(std::get<LinearModel>(model), flags, writer);
  } else {
    const Corpus corpus = read_corpus_for(flags.data, flags.reading, model);
    writer.write(model, corpus);
  }
  writer.finish();
  for (const std::string& remark : writer.remarks()) fmt::print(stderr, "{}\n", remark);
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("predict", "Predictions of a model, a line for each row");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "a model file")->required();
  command->add_option("DATA", flags->data, "data files; - is stdin, answered line by line")->required();
  command->add_flag("--proba", flags->writing.proba,
                    "label:probability pairs, largest first, zeros left out");
  command->add_option("--top", flags->writing.top, "only the K most probable labels")
      ->check(CLI::PositiveNumber);
  command->add_option("--format", flags->writing.format, "tsv, jsonl or npy")
      ->transform(CLI::CheckedTransformer(output_formats(), CLI::ignore_case))
      ->option_text("tsv|jsonl|npy [tsv]");
  command->add_option("--temperature", flags->temperature, "instead of the model's own")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", flags->threads, "0: as many as the machine offers")->capture_default_str();
  flags->reading.add(*command, "--data-format");
  command->footer(
      "Example:\n"
      "  fenchel predict m.safetensors test.svm --proba --top 3\n"
      "  echo '1:0.5 7:2' | fenchel predict m.safetensors -");
  command->callback([&status, flags] {
    flags->reading.threads = flags->threads;
    status = predict(*flags);
  });
}

}  // namespace fenchel::cli
