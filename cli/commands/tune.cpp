// SPDX-License-Identifier: Apache-2.0
// fenchel tune: a grid of settings, each fitted and judged on held-out data; the winner and the whole table.
#include "fenchel/training/tune.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "commands/commands.hpp"
#include "fenchel/models/kernel_function.hpp"
#include "support/completed_words.hpp"
#include "support/corpus_fit.hpp"
#include "support/corpus_splits.hpp"
#include "support/data_flags.hpp"
#include "support/fit_flags.hpp"
#include "support/interrupt.hpp"
#include "support/output_files.hpp"
#include "support/progress.hpp"
#include "support/read_corpus.hpp"
#include "support/results.hpp"
#include "support/standard_streams.hpp"

namespace fenchel::cli {
namespace {

struct TuneFlags {
  std::vector<std::string> data;
  std::vector<std::string> grid;
  DataFlags reading;
  FitFlags fit;
  TaggerFlags tagger;
  std::string metric;
  std::string valid;
  int folds = 0;
  int repeats = 1;
  std::string refit = "all";
  std::vector<std::string> test;
  std::string model;
  std::string config;
  bool cold = false;
  bool json = false;
  bool quiet = false;
};

std::vector<Split> splits_of(const Corpus& corpus, const TuneFlags& flags, std::optional<Task> task) {
  const std::uint64_t seed = flags.fit.options.seed;
  std::vector<Split> result;
  if (flags.folds > 0) {
    result = split_folds(corpus, static_cast<std::size_t>(flags.folds), seed);
    warn_of_unseen_classes(corpus, result, fmt::format("--folds {}", flags.folds), task);
    return result;
  }
  const double share = flags.valid.empty() ? 0.25 : parse_share(flags.valid);
  result.reserve(static_cast<std::size_t>(flags.repeats));
  for (int repeat = 0; repeat < flags.repeats; ++repeat) {
    result.push_back(split_share(corpus, share, seed + static_cast<std::uint64_t>(repeat)));
  }
  warn_of_unseen_classes(corpus, result, fmt::format("--valid {}", share), task);
  return result;
}

template <class Part>
std::vector<Part> parts_of(const Corpus& corpus, const std::vector<Split>& splits) {
  using Data = decltype(Part::train);
  std::vector<Part> parts;
  parts.reserve(splits.size());
  for (const Split& split : splits) {
    CorpusParts both = take_apart(corpus, split);
    parts.push_back(
        {std::get<Data>(std::move(both.train.data)), std::get<Data>(std::move(both.held_out.data))});
  }
  return parts;
}

// `valid` holds other data to judge by; without them, the splits do.
TuneResult tune_corpus(const Corpus& corpus, const Corpus* valid, const std::vector<Split>& splits,
                       const TuneOptions& options) {
  const auto parts = [&]<class Part>(std::type_identity<Part>) {
    using Data = decltype(Part::train);
    if (!valid) return parts_of<Part>(corpus, splits);
    return std::vector<Part>{{std::get<Data>(corpus.data), std::get<Data>(valid->data)}};
  };
  if (std::holds_alternative<Dataset>(corpus.data))
    return tune(parts(std::type_identity<TuneSplit>()), options);
  return tune(parts(std::type_identity<TaggerTuneSplit>()), options);
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

// Fits that did not converge, and a winner that may lie beyond the grid.
void warn_of_result(const TuneResult& result, const std::vector<GridAxis>& grid) {
  const auto left = static_cast<std::size_t>(
      std::ranges::count_if(result.rows, [](const TuneRow& row) { return !row.report.converged(); }));
  if (left > 0) {
    const bool winner = !result.rows[result.best].report.converged();
    warn(fmt::format("{} of {} settings did not converge{}; --max-iterations trains longer", left,
                     result.rows.size(), winner ? ", the best one among them" : ""));
  }
  for (const GridEdge& edge : edges_of(result, grid)) {
    warn(fmt::format("the best {} is {:.6g}, at the edge of the grid; try --grid {}={:.6g}", edge.name,
                     edge.value, edge.next.name, fmt::join(edge.next.values, ",")));
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

// The winner, fitted once more on all data or on the part it was chosen on; nothing if a signal came.
std::optional<AnyModel> refit(const Corpus& corpus, const std::vector<Split>& splits, const TuneFlags& flags,
                              const FitOptions& options, const TuneRow& winner) {
  const FitOptions chosen = apply_setting(options, winner.setting);
  std::optional<Corpus> part;
  if (flags.refit == "train" && !splits.empty()) part = take_apart(corpus, splits.front()).train;
  const std::unique_ptr<Fit> fit = make_fit(part ? *part : corpus, chosen);
  run(fit->algorithm(), [](const StepReport&, const Algorithm&) { return InterruptGuard::signal() == 0; });
  if (InterruptGuard::signal() != 0) return std::nullopt;
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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Says how far it is, unless it is not to be shown, and goes on until a signal comes.
std::function<bool(std::size_t, std::size_t)> observer_since(std::chrono::steady_clock::time_point start,
                                                             bool show) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  return [=](std::size_t done, std::size_t total) {
    if (show && (terminal || done == total || done % std::max<std::size_t>(total / 10, 1) == 0)) {
      const double elapsed = seconds_since(start);
      const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
      tell_part(fmt::format("{}{} of {} fits, {}, about {} left{}", terminal ? "\r" : "", done, total,
                            duration_text(elapsed), duration_text(left),
                            terminal && done < total ? "   " : "   \n"));
    }
    return InterruptGuard::signal() == 0;
  };
}

struct Tuned {
  TuneResult result;
  std::optional<AnyModel> model;  // the refitted winner, where it is asked for
  double seconds = 0;

  const TuneRow& winner() const { return result.rows[result.best]; }
};

// Tunes, fits the winner and saves it. From the first fit until the model is there a signal is a wish.
Tuned tune_model(const Corpus& corpus, const Corpus* valid, const std::vector<Split>& splits,
                 const TuneFlags& flags, TuneOptions options) {
  const auto start = std::chrono::steady_clock::now();
  options.observer = observer_since(start, !flags.quiet && !flags.json);
  std::optional<InterruptGuard> guard(std::in_place);
  Tuned tuned{tune_corpus(corpus, valid, splits, options), {}, 0};
  const bool wanted = !flags.model.empty() || !flags.test.empty();
  if (tuned.result.complete && wanted)
    tuned.model = refit(corpus, splits, flags, options.fit, tuned.winner());
  tuned.seconds = seconds_since(start);
  if (!tuned.model || flags.model.empty()) return tuned;
  if (is_pipe_or_device(flags.model)) guard.reset();
  save(*tuned.model, flags.model);
  return tuned;
}

void print_winner(const Tuned& tuned, const std::vector<GridAxis>& grid, bool several_splits) {
  const TuneRow& winner = tuned.winner();
  print_table(tuned.result, grid);
  fmt::print("\nbest: {} ({} {:.6g}{}) in {}\n", setting_text(winner.setting), tuned.result.metric,
             winner.mean, several_splits ? fmt::format(" ± {:.2g}", winner.deviation) : "",
             duration_text(tuned.seconds));
  std::fflush(stdout);  // reading test data may take long, and end here
}

void print_json(const Tuned& tuned, const NamedEvaluations& evaluations) {
  const TuneResult& result = tuned.result;
  nlohmann::ordered_json out{{"task", to_string(result.task)}, {"metric", result.metric}};
  for (const auto& [name, value] : tuned.winner().setting) out["best"][name] = value;
  out["best"][result.metric] = json_number(tuned.winner().mean);
  out["complete"] = result.complete;
  out["seconds"] = tuned.seconds;
  out["table"] = table_json(result);
  for (const auto& [name, evaluation] : evaluations) out[name] = metrics_json(evaluation);
  fmt::print("{}\n", json_text(out));
}

void check_files(const TuneFlags& flags) {
  std::vector<NamedFile> inputs = flags.reading.files(flags.data);
  for (const NamedFile& file : flags.reading.files(flags.test, "--test")) inputs.push_back(file);
  inputs.push_back({"--template", flags.tagger.templates});
  inputs.push_back({"--clusters", flags.tagger.clusters});
  inputs.push_back({"--sentence-weights", flags.tagger.sentence_weights});
  inputs.push_back({"--config", flags.config});
  check_outputs({{"--model", flags.model}}, inputs);
  check_writable(flags.model);
}

int tune_files(const TuneFlags& flags) {
  check_files(flags);
  const TuneOptions options = options_of(flags);
  const Corpus corpus = read_corpus(flags.data, flags.reading, flags.tagger, options.fit.task);
  std::vector<DataFormat> formats{corpus.format};
  if (!flags.test.empty())
    formats.push_back(format_of(flags.test, flags.reading, kind_of(corpus), corpus.format));
  flags.reading.check_used(formats);
  flags.tagger.check_used(corpus);
  if (!flags.quiet && !flags.json) {
    for (const std::string& remark : corpus.remarks) tell(remark);
  }
  std::optional<Corpus> valid;
  if (std::filesystem::exists(flags.valid)) {
    valid = read_corpus_like(corpus, flags.valid, flags.reading, flags.tagger);
    warn_of_unseen_classes(corpus, *valid, options.fit.task);
  }
  const std::vector<Split> splits = valid ? std::vector<Split>() : splits_of(corpus, flags, options.fit.task);
  const Tuned tuned = within_memory(
      corpus, [&] { return tune_model(corpus, valid ? &*valid : nullptr, splits, flags, options); });
  if (tuned.result.rows.empty()) {
    warn("interrupted before the first fit was done");
    return InterruptGuard::exit_status();
  }
  if (!flags.json) print_winner(tuned, options.grid, splits.size() > 1);
  warn_of_result(tuned.result, options.grid);
  NamedEvaluations evaluations;
  const bool interrupted = InterruptGuard::signal() != 0;
  if (tuned.model && !flags.test.empty() && !interrupted) {
    const Corpus test = read_corpus_for(flags.test, flags.reading, *tuned.model);
    evaluations.emplace_back("test", evaluate(*tuned.model, test, options.fit.threads));
  }
  if (flags.json) {
    print_json(tuned, evaluations);
  } else {
    print_metrics(evaluations);
  }
  if (!interrupted) return 0;
  warn(!tuned.result.complete ? "interrupted: the table has the settings that were done"
       : tuned.model          ? "interrupted after the model was fitted"
                              : "interrupted before the winner was fitted again");
  return InterruptGuard::exit_status();
}

}  // namespace

void add_tune(Command& program) {
  Command command = program.subcommand("tune", "Choose parameters by a grid on held-out data");
  auto flags = std::make_shared<TuneFlags>();
  command.option("DATA", flags->data, "data files; several are one data set", {.required = true});
  command.option(
      "--grid", flags->grid,
      "an axis: name=from:to:step, name=from:to:log (powers of ten) or name=a,b,c; lambda, rho, "
      "temperature, a parameter of omega, or one of the kernel such as kernel.gamma; once for each axis");
  const std::string judging = "Judging";
  command.option("--metric", flags->metric, "what to tune for (default: the task's own)",
                 {.group = judging, .common = words_of_metrics()});
  command.option("--valid", flags->valid, "a share of the data to judge by [0.25], or a file",
                 {.group = judging});
  command.option("--folds", flags->folds, "cross-validation with that many folds instead",
                 {.group = judging, .between = {{2, 1000}}});
  command.option("--repeats", flags->repeats, "that many random splits instead of one",
                 {.group = judging, .show_default = true, .between = {{1, 1000}}});
  command.option("--test", flags->test, "files to judge the refitted winner on", {.group = judging});
  const std::string output = "Output";
  command.option("--model", flags->model, "where to write the refitted winner", {.group = output});
  command.option("--refit", flags->refit, "the winner on all data or on the training part",
                 {.group = output, .show_default = true, .one_of = {"all", "train"}});
  command.flag("--json", flags->json, "one JSON object with the winner and the table", output);
  command.flag("--quiet", flags->quiet, "no progress", output);
  command.flag("--cold", flags->cold, "every fit from 0 instead of from the one before", "Solver");
  flags->fit.add(command);
  flags->tagger.add(command, flags->fit.options.tagger);
  flags->reading.add(command);
  command.config_file();
  command.footer(
      "Example:\n"
      "  fenchel tune train.svm --task proportions --omega tsallis --grid alpha=1:2:0.1 \\\n"
      "      --grid lambda=1e-4:1e4:log --metric js --valid 0.25\n"
      "  fenchel tune train.conll --task tagging --grid lambda=1e-2:1e2:log --folds 5 --model m.safetensors");
  command.action([flags, command] {
    flags->config = command.config();
    for (const char* flag : {"--valid", "--repeats"}) {
      if (!command.given("--folds") || !command.given(flag)) continue;
      throw std::invalid_argument(fmt::format("{} has no meaning with --folds; expected one of them", flag));
    }
    if (command.given("--repeats") && std::filesystem::exists(flags->valid)) {
      throw std::invalid_argument("--repeats has no meaning with a file as --valid; expected one of them");
    }
    flags->reading.threads = flags->fit.options.threads;
    return tune_files(*flags);
  });
}

}  // namespace fenchel::cli
