// SPDX-License-Identifier: Apache-2.0
// fenchel predict: a model's predictions for the rows (or sentences) of data files, a line each.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "data/number.hpp"
#include "fenchel/data/read.hpp"
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
  std::vector<std::string> keep;
  double temperature = 0;
  int threads = 0;
  bool json = false;
  bool quiet = false;
};

bool has_features(const Features& x, std::size_t i) {
  bool any = false;
  x.visit([&](const auto& rows) { rows.for_each(i, [&](std::size_t, double) { any = true; }); });
  return any;
}

// In svmlight a line such as `1,1,a` or `[1,2]` is a row of labels without features. Where rows have one
// label it belongs to another format, and would get the prediction of no features at all; a word that
// is not a class of the model may.
class LabelsOnly {
 public:
  explicit LabelsOnly(const AnyModel& model)
      : model_(model),
        several_(TaskSet{Task::multilabel, Task::proportions, Task::label_ranking}.contains(task_of(model))) {
  }

  void check(const Corpus& corpus) {
    if (corpus.format != DataFormat::svmlight) return;
    const auto& data = std::get<Dataset>(corpus.data);
    for (std::size_t i = 0; i < data.labels.rows(); ++i) {
      const auto labels = data.labels.row(i);
      if (labels.empty() || has_features(data.x, i)) continue;
      if (labels.size() > 1 && !several_) {
        throw std::invalid_argument(fmt::format(
            "{}: row {} has {} labels and no features of the model; expected label index:value …, or "
            "another --data-format",
            data.source, rows_ + i + 1, labels.size()));
      }
      strange_ += std::ranges::all_of(labels, [&](auto label) { return known(data.labels, label); }) ? 0 : 1;
    }
    rows_ += data.rows();
  }

  std::size_t strange() const { return strange_; }

 private:
  bool known(const Labels& labels, std::int32_t label) const {
    const std::string& name = labels.names[static_cast<std::size_t>(label)];
    double number = 0;
    const std::vector<std::string>& classes = head_of(model_).classes;
    return whole_number(name, number) || std::ranges::find(classes, name) != classes.end();
  }

  const AnyModel& model_;
  bool several_;
  std::size_t rows_ = 0;     // looked at before
  std::size_t strange_ = 0;  // without features, and with a word that is not a class
};

// Without a header a column more than there are features is taken for the target. One that has none of the
// model's labels may be a feature, and another column, such as names of rows, be taken for one.
void doubt_target(const AnyModel& model, const Corpus& corpus) {
  const auto* data = std::get_if<Dataset>(&corpus.data);
  const bool by_place = corpus.format == DataFormat::csv && !corpus.target.empty() &&
                        corpus.target.find_first_not_of("0123456789") == std::string::npos;
  if (!data || !by_place || data->labels.names.empty() || !has_classes(task_of(model))) return;
  const std::vector<std::string>& classes = head_of(model).classes;
  const auto known = [&](const std::string& name) {
    return std::ranges::find(classes, name) != classes.end();
  };
  if (std::ranges::any_of(data->labels.names, known)) return;
  warn(fmt::format(
      "{}: column '{}' is taken for the target, but no value in it is a label of the model; if it is a "
      "feature, leave out the column that is none, such as --ignore 1",
      corpus.source, corpus.target));
}

void check_kept(const PredictFlags& flags, DataFormat format) {
  if (flags.keep.empty()) return;
  if (format != DataFormat::csv) {
    throw std::invalid_argument(
        fmt::format("--keep has no meaning for data in the format {}; it is for csv", format_name(format)));
  }
  if (flags.writing.format == OutputFormat::npy) {
    throw std::invalid_argument("--keep has no meaning with --format npy, which holds numbers alone");
  }
}

// Rows from stdin are answered as they come, so that the tool can sit in a pipe.
void predict_stream(const AnyModel& model, const PredictFlags& flags, LabelsOnly& labels_only,
                    PredictionWriter& writer) {
  ReadOptions options = read_options_for(flags.reading, model);
  options.keep = flags.keep;
  RowStream stream(flags.data.front(), options);
  Reading rows;
  std::size_t dropped = 0;
  while (stream.next(rows)) {
    const Corpus corpus = rows_corpus(std::move(rows));
    dropped += corpus.dropped;
    flags.reading.check_used({corpus.format});
    check_kept(flags, corpus.format);
    labels_only.check(corpus);
    doubt_target(model, corpus);
    writer.write(model, corpus);
    writer.flush();
  }
  warn_of_dropped("stdin", dropped, "the model");
}

bool streams(const PredictFlags& flags, const AnyModel& model) {
  return flags.data.size() == 1 && flags.data.front() == "-" && std::holds_alternative<LinearModel>(model) &&
         (flags.reading.format == "auto" || flags.reading.format == "svmlight") &&
         task_of(model) != Task::ranking && flags.writing.format != OutputFormat::npy;
}

// Probabilities need classes, and an array has no room to leave some of them out.
void check_used(const PredictFlags& flags, const AnyModel& model) {
  const bool top = flags.writing.top > 0;
  const bool points = task_of(model) == Task::structured && !top;
  if ((flags.writing.proba || top) && !has_classes(task_of(model)) && !points) {
    throw std::invalid_argument(fmt::format("{} needs a model with classes; {} is for {}",
                                            top ? "--top" : "--proba", flags.model,
                                            to_string(task_of(model))));
  }
  if (top && (flags.writing.format == OutputFormat::npy || flags.writing.format == OutputFormat::csv)) {
    throw std::invalid_argument(
        "--top has no meaning with --format npy and csv, which have a column per class");
  }
}

int predict(const PredictFlags& flags) {
  const AnyModel model = load_model(flags.model, flags.data);
  check_used(flags, model);
  WriterOptions writing = flags.writing;
  if (flags.temperature > 0) writing.temperature = flags.temperature;
  writing.threads = flags.threads;
  PredictionWriter writer(writing, stdout);
  LabelsOnly labels_only(model);
  if (streams(flags, model)) {
    predict_stream(model, flags, labels_only, writer);
  } else {
    const Corpus corpus = read_corpus_for(flags.data, flags.reading, model, flags.keep);
    check_kept(flags, corpus.format);
    flags.reading.check_used({corpus.format});
    labels_only.check(corpus);
    doubt_target(model, corpus);
    if (!flags.quiet && writing.format != OutputFormat::jsonl) tell_understood(corpus, model);
    writer.write(model, corpus);
  }
  writer.finish();
  if (labels_only.strange() > 0) {
    warn(fmt::format("{} rows have no features, and a label that the model does not know",
                     labels_only.strange()));
  }
  for (const std::string& remark : writer.remarks()) warn(remark);
  return 0;
}

}  // namespace

void add_predict(Command& program) {
  Command command = program.subcommand("predict", "Predictions of a model, one line per row");
  auto flags = std::make_shared<PredictFlags>();
  command.option("MODEL", flags->model, "a model file", {.required = true});
  command.option("DATA", flags->data,
                 "data files; - is stdin, where rows of svmlight are answered line by line",
                 {.required = true});
  command.flag("--proba", flags->writing.proba, "label:probability pairs, largest first, zeros left out");
  command.option("--top", flags->writing.top, "only the K most probable labels", {.sign = Sign::positive});
  command.choice("--format", flags->writing.format, "of the output", output_formats());
  command.flag("--json", flags->json, "JSON lines, an object for each row or sentence: --format jsonl");
  command.option("--keep", flags->keep,
                 "CSV: columns of the input to write beside the predictions, by name or number; * is all",
                 {.separator = ','});
  command.option("--temperature", flags->temperature, "instead of the model's own", {.sign = Sign::positive});
  command.option("--threads", flags->threads, "0: as many as the machine offers",
                 {.show_default = true, .sign = Sign::non_negative});
  command.flag("--quiet", flags->quiet, "only warnings beside the predictions");
  flags->reading.add(command, "--data-format");
  command.footer(
      "Example:\n"
      "  fenchel predict m.safetensors test.svm --proba --top 3\n"
      "  fenchel predict m.safetensors new.csv --format csv --keep id --proba > answers.csv\n"
      "  echo '1:0.5 7:2' | fenchel predict m.safetensors -");
  command.action([flags, command] {
    if (flags->json && command.given("--format") && flags->writing.format != OutputFormat::jsonl) {
      throw std::invalid_argument("--json has no meaning with another --format; expected one of them");
    }
    if (flags->json) flags->writing.format = OutputFormat::jsonl;
    flags->reading.threads = flags->threads;
    flags->reading.unlabelled = true;
    return predict(*flags);
  });
}

}  // namespace fenchel::cli
