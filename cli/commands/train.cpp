// SPDX-License-Identifier: Apache-2.0
// fenchel train: from data files to a model file.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/core/option_error.hpp"
#include "fenchel/training/verify.hpp"
#include "support/convergence.hpp"
#include "support/corpus_fit.hpp"
#include "support/corpus_splits.hpp"
#include "support/data_flags.hpp"
#include "support/fit_flags.hpp"
#include "support/interrupt.hpp"
#include "support/output_files.hpp"
#include "support/read_corpus.hpp"
#include "support/results.hpp"
#include "support/training_run.hpp"

namespace fenchel::cli {
namespace {

struct TrainFlags {
  std::vector<std::string> data;
  DataFlags reading;
  FitFlags fit;
  TaggerFlags tagger;
  RunFlags run;
  std::string valid;
  std::vector<std::string> test;
  std::string model;
  std::string config;
  double temperature = 1;
  bool certificate = false;
  bool json = false;
};

// What a certificate needs, before training begins: a file that holds it, and all of the data.
void check_certificate(const TrainFlags& flags, const Fit& fit) {
  if (flags.model.empty()) throw OptionError("`certificate` needs `model`, the file that will hold it");
  if (!flags.valid.empty() && !std::filesystem::exists(flags.valid)) {
    throw OptionError(
        "`certificate` needs `valid` to be a file: with a share held out, DATA would not be what the model "
        "was trained on");
  }
  if (const auto reason = fit.refuses_certificate()) throw OptionError(*reason);
}

std::string certificate_text(const Verification& found) {
  return fmt::format("certificate: primal {:.10g}, dual {:.10g}, gap {:.3g} (relative {:.2g}{})",
                     found.primal, found.dual, found.gap, found.relative,
                     found.verified ? "" : "; above the tolerance: a smaller --tolerance trains longer");
}

// What was trained, on what.
nlohmann::ordered_json facts_json(const AnyModel& model, const Corpus& corpus, const FitOptions& options) {
  const ModelFacts facts = facts_of(model);
  nlohmann::ordered_json result{{"task", to_string(facts.task)}};
  if (!corpus.target.empty()) result["target"] = corpus.target;
  result["features"] = facts.features;
  result["loss"] = facts.loss;
  result["lambda"] = options.penalty == "none" ? 0 : options.lambda;
  return result;
}

nlohmann::ordered_json summary_json(const RunOutcome& outcome, const NamedEvaluations& evaluations,
                                    const std::string& model,
                                    const std::optional<Verification>& certificate) {
  nlohmann::ordered_json result{
      {"solver", outcome.solver},
      {"status", outcome.interrupted ? "interrupted"
                 : outcome.impatient ? "patience"
                                     : std::string(to_string(outcome.report.status))},
      {"iterations", outcome.report.iterations},
      {"objective", json_number(outcome.last_step.objective)}};
  if (outcome.last_step.gap) result["gap"] = json_number(*outcome.last_step.gap);
  result["seconds"] = outcome.seconds;
  result["peak_memory"] = peak_memory();
  if (!model.empty()) result["model"] = model;
  if (certificate) result["certificate"] = verification_json(*certificate);
  for (const auto& [name, evaluation] : evaluations) result[name] = metrics_json(evaluation);
  return result;
}

void print_summary(const RunOutcome& outcome, const NamedEvaluations& evaluations, const std::string& model) {
  print_metrics(evaluations);
  fmt::print("{:<22} {:>12}\n", "training time", duration_text(outcome.seconds));
  fmt::print("{:<22} {:>12}\n", "peak memory", bytes_text(peak_memory()));
  if (!model.empty()) fmt::print("{:<22} {}\n", "model", model);
}

struct Trained {
  AnyModel model;
  RunOutcome outcome;
  std::optional<Verification> certificate;
};

// Fits and saves. From the first iteration until the model is there a signal is a wish. Before that nothing
// is lost, and a pipe for the model may have no reader.
Trained fit_model(const Corpus& corpus, const Corpus* valid, const TrainFlags& flags,
                  ProgressDisplay& progress) {
  FitOptions options = flags.fit.parsed();
  if (flags.certificate && !options.tolerance) options.tolerance = default_tolerance;  // what verify asks for
  std::unique_ptr<Fit> fit = make_fit(corpus, options);
  if (flags.certificate) check_certificate(flags, *fit);
  for (const std::string& remark : fit->remarks()) progress.say(remark);
  const auto identity = identity_of(corpus, options);

  std::optional<InterruptGuard> guard(std::in_place);
  Trained trained{{}, run_fit(*fit, flags.run, identity, valid, progress), {}};
  trained.model = trained.outcome.model;
  finish_model(trained.model, corpus, flags.temperature);
  if (flags.certificate) {
    trained.certificate = certify(trained.model, *fit, std::get<Dataset>(corpus.data));
    progress.say(certificate_text(*trained.certificate));
  }
  fit.reset();  // it may hold a copy of the features, and evaluation needs memory too
  if (flags.model.empty()) return trained;
  if (is_pipe_or_device(flags.model)) guard.reset();
  save(trained.model, flags.model);
  return trained;
}

void check_files(const TrainFlags& flags) {
  std::vector<NamedFile> inputs = flags.reading.files(flags.data);
  inputs.push_back({"--valid", flags.valid});
  for (const NamedFile& file : flags.reading.files(flags.test, "--test")) inputs.push_back(file);
  inputs.push_back({"--template", flags.tagger.templates});
  inputs.push_back({"--clusters", flags.tagger.clusters});
  inputs.push_back({"--sentence-weights", flags.tagger.sentence_weights});
  inputs.push_back({"--config", flags.config});
  // A run goes on in the checkpoint that it resumes.
  if (!same_file(flags.run.resume, flags.run.checkpoint)) inputs.push_back({"--resume", flags.run.resume});
  check_outputs({{"--log", flags.run.log}, {"--checkpoint", flags.run.checkpoint}, {"--model", flags.model}},
                inputs);
  check_writable(flags.model);
}

// Flags about reading may be for one of the files only.
void check_used(const TrainFlags& flags, const Corpus& corpus) {
  std::vector<DataFormat> formats{corpus.format};
  const std::optional<Task> task = kind_of(corpus);
  if (std::filesystem::exists(flags.valid))
    formats.push_back(format_of({flags.valid}, flags.reading, task, corpus.format));
  if (!flags.test.empty()) formats.push_back(format_of(flags.test, flags.reading, task, corpus.format));
  flags.reading.check_used(formats);
  flags.tagger.check_used(corpus);
}

int train(const TrainFlags& flags) {
  const FitOptions options = flags.fit.parsed();
  check_files(flags);
  flags.run.check_used(!flags.valid.empty());
  ProgressDisplay progress({.quiet = flags.run.quiet || flags.json,
                            .log = flags.run.log,
                            .append = !flags.run.resume.empty(),
                            .max_iterations = options.max_iterations});
  Corpus corpus = read_corpus(flags.data, flags.reading, flags.tagger, options.task);
  check_used(flags, corpus);
  for (const std::string& remark : corpus.remarks) progress.say(remark);
  std::optional<Corpus> valid = split_validation(corpus, flags.valid, flags.reading, flags.tagger, options);
  const auto [model, outcome, certificate] =
      within_memory(corpus, [&] { return fit_model(corpus, valid ? &*valid : nullptr, flags, progress); });
  if (outcome.impatient) {
    progress.say(
        fmt::format("stopped by --patience {} after {} iterations; the model is the best before that",
                    flags.run.patience, outcome.report.iterations));
  } else if (!outcome.report.converged() && !outcome.interrupted) {
    progress.warn(fmt::format("not converged: {} after {} iterations (residual {:.2e}, tolerance {:.2e}){}",
                              to_string(outcome.report.status), outcome.report.iterations,
                              outcome.report.residual, outcome.last_step.tolerance,
                              convergence_advice(outcome.report.status, corpus, options)));
  }
  if (InterruptGuard::signal() != 0) {
    progress.warn(fmt::format("interrupted after {} iterations{}", outcome.report.iterations,
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
    for (const std::string& remark : evaluation_remarks(name, evaluation)) progress.warn(remark);
  }
  progress.finish();
  if (flags.json) {
    nlohmann::ordered_json result = facts_json(model, corpus, options);
    result.update(summary_json(outcome, evaluations, flags.model, certificate));
    fmt::print("{}\n", json_text(result));
  } else {
    print_summary(outcome, evaluations, flags.model);
  }
  return outcome.all_written ? 0 : 1;
}

}  // namespace

void add_train(Command& program) {
  Command command = program.subcommand("train", "Train a model on data files, judge it and save it");
  auto flags = std::make_shared<TrainFlags>();
  command.option("DATA", flags->data, "data files (gzip'd or not; - is stdin); several are one data set",
                 {.required = true});
  flags->fit.add(command);
  flags->tagger.add(command, flags->fit.options.tagger);
  command.option("--temperature", flags->temperature, "of predictions: below 1 sharper and sparser",
                 {.group = "Model", .show_default = true, .sign = Sign::positive});
  command.option("--valid", flags->valid, "a share of the data to hold out, such as 0.25, or a file",
                 {.group = "Judging"});
  command.option("--test", flags->test, "files to judge the model on", {.group = "Judging"});
  command.option("--model", flags->model, "where to write the model, such as m.safetensors",
                 {.group = "Output"});
  command.flag("--certificate", flags->certificate,
               "the model also holds a proof of how far from the optimum it is at most: see fenchel verify",
               "Output");
  command.flag("--json", flags->json, "one JSON object with all results instead of a table", "Output");
  flags->run.add(command);
  flags->reading.add(command);
  command.config_file();
  command.footer(
      "Example:\n"
      "  fenchel synth proportions --classes 10 --samples 1400 --seed 1 > train.svm\n"
      "  fenchel train train.svm --omega tsallis:alpha=1.5 --task proportions --lambda 1e-2 --valid 0.25 \\\n"
      "      --model m.safetensors");
  command.action([flags, command] {
    flags->config = command.config();
    flags->reading.threads = flags->fit.options.threads;
    return train(*flags);
  });
}

}  // namespace fenchel::cli
