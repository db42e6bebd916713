// SPDX-License-Identifier: Apache-2.0
// fenchel evaluate: how good a model is on data with known targets.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "support/data_flags.hpp"
#include "support/read_corpus.hpp"
#include "support/results.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

struct EvaluateFlags {
  std::string model;
  std::vector<std::string> data;
  DataFlags reading;
  double temperature = 0;
  int threads = 0;
  bool confusion = false;
  bool json = false;
  bool quiet = false;
};

int evaluate_files(const EvaluateFlags& flags) {
  const AnyModel model = load_model(flags.model, flags.data);
  const Corpus corpus = read_corpus_for(flags.data, flags.reading, model);
  flags.reading.check_used({corpus.format});
  if (!flags.quiet && !flags.json) tell_understood(corpus, model);
  const auto temperature = flags.temperature > 0 ? std::optional(flags.temperature) : std::nullopt;
  const Evaluation evaluation = evaluate(model, corpus, flags.threads, temperature);
  for (const std::string& remark : evaluation_remarks(corpus.source, evaluation)) warn(remark);
  if (flags.confusion && evaluation.details.confusion.empty()) {
    throw std::invalid_argument(fmt::format("--confusion is for classes and tags; {} is for {}", flags.model,
                                            to_string(task_of(model))));
  }
  if (flags.json) {
    auto result = metrics_json(evaluation);
    result.update(details_json(evaluation));
    fmt::print("{}\n", json_text(result));
  } else {
    print_metrics({{"value", evaluation}});
    print_details(evaluation, flags.confusion);
  }
  return 0;
}

}  // namespace

void add_evaluate(Command& program) {
  Command command = program.subcommand("evaluate", "Metrics of a model on data with known targets");
  auto flags = std::make_shared<EvaluateFlags>();
  command.option("MODEL", flags->model, "a model file", {.required = true});
  command.option("DATA", flags->data, "data files; - is stdin", {.required = true});
  command.option("--temperature", flags->temperature, "instead of the model's own", {.sign = Sign::positive});
  command.option("--threads", flags->threads, "0: as many as the machine offers",
                 {.show_default = true, .sign = Sign::non_negative});
  command.flag("--confusion", flags->confusion, "show how often each class was predicted as each other");
  command.flag("--json", flags->json, "one JSON object with metric names as keys, and all of the above");
  command.flag("--quiet", flags->quiet, "only warnings beside the metrics");
  flags->reading.add(command);
  command.footer("Example:\n  fenchel evaluate m.safetensors test.svm --confusion");
  command.action([flags] {
    flags->reading.threads = flags->threads;
    return evaluate_files(*flags);
  });
}

}  // namespace fenchel::cli
