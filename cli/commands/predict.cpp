// SPDX-License-Identifier: Apache-2.0
// fenchel predict: a model's predictions for the rows (or sentences) of data files, a line each.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/data/svmlight.hpp"
#include "support/data_flags.hpp"
#include "support/prediction_writer.hpp"
#include "support/read_corpus.hpp"
#include "support/standard_streams.hpp"

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
  for (const std::string& remark : writer.remarks()) warn(remark);
  return 0;
}

}  // namespace

void add_predict(Command& program) {
  Command command = program.subcommand("predict", "Predictions of a model, one line per row");
  auto flags = std::make_shared<PredictFlags>();
  command.option("MODEL", flags->model, "a model file", {.required = true});
  command.option("DATA", flags->data, "data files; - is stdin, answered line by line", {.required = true});
  command.flag("--proba", flags->writing.proba, "label:probability pairs, largest first, zeros left out");
  command.option("--top", flags->writing.top, "only the K most probable labels", {.sign = Sign::positive});
  command.choice("--format", flags->writing.format, "of the output", output_formats());
  command.option("--temperature", flags->temperature, "instead of the model's own", {.sign = Sign::positive});
  command.option("--threads", flags->threads, "0: as many as the machine offers", {.show_default = true});
  flags->reading.add(command, "--data-format");
  command.footer(
      "Example:\n"
      "  fenchel predict m.safetensors test.svm --proba --top 3\n"
      "  echo '1:0.5 7:2' | fenchel predict m.safetensors -");
  command.action([flags] {
    flags->reading.threads = flags->threads;
    return predict(*flags);
  });
}

}  // namespace fenchel::cli
