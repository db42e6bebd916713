// SPDX-License-Identifier: Apache-2.0
// fenchel evaluate: how good a model is on data with known targets.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/results.hpp"

namespace fenchel::cli {
namespace {

struct EvaluateFlags {
  std::string model;
  std::vector<std::string> data;
  DataFlags reading;
  double temperature = 0;
  int threads = 0;
  bool json = false;
};

int evaluate_files(const EvaluateFlags& flags) {
  const AnyModel model = load_model(flags.model);
  const Corpus corpus = read_corpus_for(flags.data, flags.reading, model);
  const auto temperature = flags.temperature > 0 ? std::optional(flags.temperature) : std::nullopt;
  const Evaluation evaluation = evaluate(model, corpus, flags.threads, temperature);
  for (const std::string& remark : evaluation_remarks("data", evaluation)) fmt::print(stderr, "{}\n", remark);
  if (flags.json) {
    fmt::print("{}\n", metrics_json(evaluation).dump());
  } else {
    print_metrics({{"value", evaluation}});
  }
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("evaluate", "Metrics of a model on data with known targets");
  auto flags = std::make_shared<EvaluateFlags>();
  command->add_option("MODEL", flags->model, "a model file")->required();
  command->add_option("DATA", flags->data, "data files; - is stdin")->required();
  command->add_option("--temperature", flags->temperature, "instead of the model's own")
      ->check(CLI::PositiveNumber);
  command->add_option("--threads", flags->threads, "0: as many as the machine offers")->capture_default_str();
  command->add_flag("--json", flags->json, "one JSON object with metric names as keys");
  flags->reading.add(*command);
  command->footer("Example:\n  fenchel evaluate m.safetensors test.svm --json");
  command->callback([&status, flags] {
    flags->reading.threads = flags->threads;
    status = evaluate_files(*flags);
  });
}

}  // namespace fenchel::cli
