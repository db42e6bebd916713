// SPDX-License-Identifier: Apache-2.0
// fenchel train: from data files to a model file.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "support/config.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/fit_flags.hpp"
#include "support/interrupt.hpp"
#include "support/results.hpp"
#include "support/training_run.hpp"

namespace fenchel::cli {
namespace {

struct TrainFlags {
  std::vector<std::string> data;
  DataFlags reading;
  ConfigFile config;
  FitFlags fit;
  TaggerFlags tagger;
  RunFlags run;
  std::string valid;
  std::vector<std::string> test;
  std::string model;
  double temperature = 1;
  bool json = false;
};

nlohmann::ordered_json summary_json(const RunOutcome& outcome, const NamedEvaluations& evaluations,
                                    const std::string& model) {
  nlohmann::ordered_json result{
      {"solver", outcome.solver},
      {"status", outcome.interrupted ? "interrupted" : std::string(to_string(outcome.report.status))},
      {"iterations", outcome.report.iterations},
      {"objective", json_number(outcome.standing.objective)}};
  if (outcome.standing.gap) result["gap"] = json_number(*outcome.standing.gap);
  result["seconds"] = outcome.seconds;
  result["peak_memory"] = peak_memory();
  if (!model.empty()) result["model"] = model;
  for (const auto& [name, evaluation] : evaluations) result[name] = metrics_json(evaluation);
  return result;
}

void print_summary(const RunOutcome& outcome, const NamedEvaluations& evaluations, const std::string& model) {
  print_metrics(evaluations);
  fmt::print("{:<22} {:>12}\n", "training time", duration_text(outcome.seconds));
  fmt::print("{:<22} {:>12}\n", "peak memory", bytes_text(peak_memory()));
  if (!model.empty()) fmt::print("{:<22} {}\n", "model", model);
}

int train(const TrainFlags& flags) {
  const InterruptGuard guard;
  const FitOptions options = flags.fit.parsed();
  check_writable(flags.model);
  Progress progress({.quiet = flags.run.quiet || flags.json,
                     .log = flags.run.log,
                     .append = !flags.run.resume.empty(),
                     .tolerance = options.tolerance,
                     .max_iterations = options.max_iterations});
  Corpus corpus = read_corpus(flags.data, flags.reading, flags.tagger, options.task);
  for (const std::string& remark : corpus.remarks) progress.say(remark);
  std::optional<Corpus> valid =
      split_validation(corpus, flags.valid, flags.reading, flags.tagger, options.seed);
  std::unique_ptr<Fit> fit = make_fit(corpus, options, flags.tagger);
  for (const std::string& remark : fit->remarks()) progress.say(remark);

  auto identity = flags.fit.identity();
  identity["data"] = fingerprint(corpus);
  const RunOutcome outcome = run_fit(*fit, flags.run, identity, valid ? &*valid : nullptr, progress);
  fit.reset();  // it may hold a copy of the features, and evaluation needs memory too
  AnyModel model = outcome.model;
  finish_model(model, corpus, flags.temperature);
  if (!flags.model.empty()) save_model(flags.model, model);
  if (!outcome.report.converged() && !outcome.interrupted) {
    progress.say(fmt::format("not converged: {} after {} iterations (residual {:.2e}, tolerance {:.2e})",
                             to_string(outcome.report.status), outcome.report.iterations,
                             outcome.report.residual, options.tolerance));
  }
  if (outcome.interrupted) {
    progress.say(fmt::format("interrupted after {} iterations{}", outcome.report.iterations,
                             flags.model.empty() ? "" : "; the model of that moment is saved"));
    return InterruptGuard::exit_status();
  }

  NamedEvaluations evaluations;
  evaluations.emplace_back("train", evaluate(model, corpus, options.threads));
  if (valid) evaluations.emplace_back("valid", evaluate(model, *valid, options.threads));
  if (!flags.test.empty()) {
    const Corpus test = read_corpus_for(flags.test, flags.reading, model);
    evaluations.emplace_back("test", evaluate(model, test, options.threads));
  }
  for (const auto& [name, evaluation] : evaluations) {
    for (const std::string& remark : evaluation_remarks(name, evaluation)) progress.say(remark);
  }
  progress.finish();
  if (flags.json) {
    fmt::print("{}\n", summary_json(outcome, evaluations, flags.model).dump());
  } else {
    print_summary(outcome, evaluations, flags.model);
  }
  return 0;
}

}  // namespace

void add_train(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("train", "Train a model on data files, judge it and save it");
  auto flags = std::make_shared<TrainFlags>();
  command->add_option("DATA", flags->data, "data files (gzip'd or not; - is stdin); several are one data set")
      ->required();
  flags->fit.add(*command);
  flags->tagger.add(*command);
  command->add_option("--temperature", flags->temperature, "of predictions: below 1 sharper and sparser")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Model");
  command->add_option("--valid", flags->valid, "a share of the data to hold out, such as 0.25, or a file")
      ->group("Judging");
  command->add_option("--test", flags->test, "files to judge the model on")->group("Judging");
  command->add_option("--model", flags->model, "where to write the model, such as m.safetensors")
      ->group("Output");
  command->add_flag("--json", flags->json, "one JSON object with all results instead of a table")
      ->group("Output");
  flags->run.add(*command);
  flags->reading.add(*command);
  flags->config.add(*command);
  command->footer(
      "Example:\n"
      "  fenchel synth proportions --classes 10 --samples 1400 --seed 1 > train.svm\n"
      "  fenchel train train.svm --omega tsallis:alpha=1.5 --task proportions --lambda 1e-2 --valid 0.25 \\\n"
      "      --model m.safetensors");
  command->callback([&status, flags, command] {
    flags->config.apply(*command);
    flags->reading.threads = flags->fit.options.threads;
    status = train(*flags);
  });
}

}  // namespace fenchel::cli
