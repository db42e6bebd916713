// SPDX-License-Identifier: Apache-2.0
// fenchel tune: a grid of settings, each fitted and judged on held-out data; the winner and the whole table.
#include "fenchel/training/tune.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/models/kernel.hpp"
#include "support/config.hpp"
#include "support/corpus.hpp"
#include "support/data_flags.hpp"
#include "support/fit_flags.hpp"
#include "support/interrupt.hpp"
#include "support/progress.hpp"
#include "support/results.hpp"
#include "support/training_run.hpp"

namespace fenchel::cli {
namespace {

struct TuneFlags {
  std::vector<std::string> data;
  std::vector<std::string> grid;
  DataFlags reading;
  ConfigFile config;
  FitFlags fit;
  TaggerFlags tagger;
  std::string metric;
  std::string valid;
  int folds = 0;
  int repeats = 1;
  std::string refit = "all";
  std::vector<std::string> test;
  std::string model;
  bool cold = false;
  bool json = false;
  bool quiet = false;
};

std::vector<Split> splits_of(const Corpus& corpus, const TuneFlags& flags) {
  const std::uint64_t seed = flags.fit.options.seed;
  if (flags.folds > 0) return split_folds(corpus, static_cast<std::size_t>(flags.folds), seed);
  const double share = flags.valid.empty() ? 0.25 : parse_share(flags.valid);
  std::vector<Split> result;
  result.reserve(static_cast<std::size_t>(flags.repeats));
  for (int repeat = 0; repeat < flags.repeats; ++repeat) {
    result.push_back(split_share(corpus, share, seed + static_cast<std::uint64_t>(repeat)));
  }
  return result;
}

template <class Part>
std::vector<Part> parts_of(const Corpus& corpus, const std::vector<Split>& splits) {
  using Data = decltype(Part::train);
  std::vector<Part> parts;
  parts.reserve(splits.size());
  for (const Split& split : splits) {
    parts.push_back({std::get<Data>(select(corpus, split.train).data),
                     std::get<Data>(select(corpus, split.held_out).data)});
  }
  return parts;
}

TuneResult tune_corpus(const Corpus& corpus, const std::vector<Split>& splits, const TuneOptions& options,
                       const TaggerFlags& tagger) {
  if (std::holds_alternative<Dataset>(corpus.data)) return tune(parts_of<TuneSplit>(corpus, splits), options);
  return tune(parts_of<TaggerTuneSplit>(corpus, splits), options, tagger_options(corpus, tagger));
}

std::string setting_text(const std::map<std::string, double>& setting) {
  std::string text;
  for (const auto& [name, value] : setting)
    text += fmt::format("{}{}={:.6g}", text.empty() ? "" : " ", name, value);
  return text;
}

void print_table(const TuneResult& result, const std::vector<GridAxis>& grid) {
  const auto width = [](const GridAxis& axis) { return std::max<std::size_t>(axis.name.size(), 12); };
  for (const GridAxis& axis : grid) fmt::print("{:>{}} ", axis.name, width(axis));
  fmt::print("{:>12} {:>10} {:>8}  {}\n", result.metric, "deviation", "support", "status");
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    const TuneRow& row = result.rows[r];
    for (const GridAxis& axis : grid) fmt::print("{:>{}.6g} ", row.setting.at(axis.name), width(axis));
    const std::string support = std::isfinite(row.support) ? fmt::format("{:.2f}", row.support) : "–";
    fmt::print("{:>12.6g} {:>10.3g} {:>8}  {}{}\n", row.mean, row.deviation, support,
               to_string(row.report.status), r == result.best ? "  <- best" : "");
  }
}

nlohmann::ordered_json table_json(const TuneResult& result) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const TuneRow& row : result.rows) {
    nlohmann::ordered_json entry;
    for (const auto& [name, value] : row.setting) entry[name] = value;
    entry[result.metric] = json_number(row.mean);
    entry["deviation"] = row.deviation;
    entry["mean_support"] = json_number(row.support);
    entry["status"] = to_string(row.report.status);
    rows.push_back(entry);
  }
  return rows;
}

// The winner, fitted once more on all data or on the part it was chosen on.
AnyModel refit(const Corpus& corpus, const std::vector<Split>& splits, const TuneFlags& flags,
               const FitOptions& options, const TuneRow& winner) {
  const FitOptions chosen = apply_setting(options, winner.setting);
  std::optional<Corpus> part;
  if (flags.refit == "train") part = select(corpus, splits.front().train);
  const std::unique_ptr<Fit> fit = make_fit(part ? *part : corpus, chosen, flags.tagger);
  while (!fit->algorithm().step().done) {
  }
  AnyModel model = fit->model();
  const auto temperature = winner.setting.find("temperature");
  finish_model(model, corpus, temperature == winner.setting.end() ? 1 : temperature->second);
  return model;
}

TuneOptions options_of(const TuneFlags& flags) {
  if (flags.grid.empty())
    throw std::invalid_argument("--grid is missing; for example --grid lambda=1e-4:1e4:log");
  TuneOptions options{
      .fit = flags.fit.parsed(), .grid = {}, .metric = flags.metric, .warm_start = !flags.cold};
  for (const std::string& axis : flags.grid) options.grid.push_back(parse_axis(axis));
  const std::string& kernel = options.fit.kernel;
  if (!kernel.empty() && make_kernel(kernel).kind == Kernel::Kind::precomputed) {
    throw std::invalid_argument(fmt::format(
        "--kernel is '{}'; expected linear, rbf or polynomial, which parts of the rows can have", kernel));
  }
  return options;
}

int tune_files(const TuneFlags& flags) {
  const InterruptGuard guard;
  check_writable(flags.model);
  TuneOptions options = options_of(flags);
  const Corpus corpus = read_corpus(flags.data, flags.reading, flags.tagger, options.fit.task);
  const std::vector<Split> splits = splits_of(corpus, flags);
  const bool show = !flags.quiet && !flags.json;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const bool terminal = isatty(STDERR_FILENO) == 1;
  options.observer = [&](std::size_t done, std::size_t total) {
    if (show && (terminal || done == total || done % std::max<std::size_t>(total / 10, 1) == 0)) {
      const double left = elapsed() / static_cast<double>(done) * static_cast<double>(total - done);
      fmt::print(stderr, "{}{} of {} fits, {}, about {} left{}", terminal ? "\r" : "", done, total,
                 duration_text(elapsed()), duration_text(left), terminal && done < total ? "   " : "   \n");
    }
    return InterruptGuard::signal() == 0;
  };
  const TuneResult result = tune_corpus(corpus, splits, options, flags.tagger);
  if (result.rows.empty()) {
    fmt::print(stderr, "interrupted before the first fit was done\n");
    return InterruptGuard::exit_status();
  }
  const TuneRow& winner = result.rows[result.best];
  NamedEvaluations evaluations;
  if (result.complete && (!flags.model.empty() || !flags.test.empty())) {
    const AnyModel model = refit(corpus, splits, flags, options.fit, winner);
    if (!flags.model.empty()) save_model(flags.model, model);
    if (!flags.test.empty()) {
      const Corpus test = read_corpus_for(flags.test, flags.reading, model);
      evaluations.emplace_back("test", evaluate(model, test, options.fit.threads));
    }
  }
  if (flags.json) {
    nlohmann::ordered_json out{{"task", to_string(result.task)}, {"metric", result.metric}};
    for (const auto& [name, value] : winner.setting) out["best"][name] = value;
    out["best"][result.metric] = json_number(winner.mean);
    out["complete"] = result.complete;
    out["seconds"] = elapsed();
    out["table"] = table_json(result);
    for (const auto& [name, evaluation] : evaluations) out[name] = metrics_json(evaluation);
    fmt::print("{}\n", out.dump());
  } else {
    print_table(result, options.grid);
    fmt::print("\nbest: {} ({} {:.6g}{}) in {}\n", setting_text(winner.setting), result.metric, winner.mean,
               splits.size() > 1 ? fmt::format(" ± {:.2g}", winner.deviation) : "", duration_text(elapsed()));
    print_metrics(evaluations);
  }
  if (!result.complete) fmt::print(stderr, "interrupted: the table has the settings that were done\n");
  return result.complete ? 0 : InterruptGuard::exit_status();
}

}  // namespace

void add_tune(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("tune", "Choose parameters by a grid on held-out data");
  auto flags = std::make_shared<TuneFlags>();
  command->add_option("DATA", flags->data, "data files; several are one data set")->required();
  command
      ->add_option(
          "--grid", flags->grid,
          "an axis: name=from:to:step, name=from:to:log (powers of ten) or name=a,b,c; lambda, rho, "
          "temperature, a parameter of omega, or one of the kernel such as kernel.gamma; once for each axis")
      ->take_all();
  command->add_option("--metric", flags->metric, "what to tune for (else the task's own)")->group("Judging");
  command->add_option("--valid", flags->valid, "the share to hold out [0.25]")->group("Judging");
  command->add_option("--folds", flags->folds, "cross-validation with so many folds instead")
      ->check(CLI::Range(2, 1000))
      ->group("Judging");
  command->add_option("--repeats", flags->repeats, "so many random splits instead of one")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->group("Judging");
  command->add_option("--test", flags->test, "files to judge the refitted winner on")->group("Judging");
  command->add_option("--model", flags->model, "where to write the refitted winner")->group("Output");
  command->add_option("--refit", flags->refit, "the winner on all data or on the training part")
      ->check(CLI::IsMember({"all", "train"}))
      ->capture_default_str()
      ->group("Output");
  command->add_flag("--json", flags->json, "one JSON object with the winner and the table")->group("Output");
  command->add_flag("--quiet", flags->quiet, "no progress")->group("Output");
  command->add_flag("--cold", flags->cold, "every fit from 0 instead of from the one before")
      ->group("Solver");
  flags->fit.add(*command);
  flags->tagger.add(*command);
  flags->reading.add(*command);
  flags->config.add(*command);
  command->footer(
      "Example:\n"
      "  fenchel tune train.svm --task proportions --omega tsallis --grid alpha=1:2:0.1 \\\n"
      "      --grid lambda=1e-4:1e4:log --metric js --valid 0.25\n"
      "  fenchel tune train.conll --task tagging --grid lambda=1e-2:1e2:log --folds 5 --model m.safetensors");
  command->callback([&status, flags, command] {
    flags->config.apply(*command);
    flags->reading.threads = flags->fit.options.threads;
    status = tune_files(*flags);
  });
}

}  // namespace fenchel::cli
