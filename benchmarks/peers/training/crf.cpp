// SPDX-License-Identifier: Apache-2.0
// Our side of the comparison with CRFsuite on CoNLL-2000 (crf.py is the other one).
//
// usage: fenchel_bench_crf FOLDER iteration THREADS        seconds of an L-BFGS iteration
//        fenchel_bench_crf FOLDER tag THREADS              seconds of tagging the test set, from strings
//        fenchel_bench_crf FOLDER fit THREADS OMEGA STEPS  trains, then tags the test set
//        fenchel_bench_crf FOLDER until THREADS C1 C2 TARGET SOLVER
//                                  seconds until the objective under CRFsuite's c1 and c2 is at most TARGET
// FOLDER has train.txt.gz and test.txt.gz. One line of JSON is written.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "fenchel/data/token_corpus.hpp"
#include "fenchel/metrics/chunks.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/training/fit.hpp"

namespace {

using namespace fenchel;

constexpr int timed_steps = 20;
constexpr int tagging_repeats = 5;
constexpr int tagger_steps = 30;  // enough for realistic weights

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The shorter of two times.
struct Best {
  double processor = std::numeric_limits<double>::infinity();
  double wall = std::numeric_limits<double>::infinity();

  template <class Body>
  void time(const Body& body) {
    const double processor_start = processor_seconds();
    const double wall_start = wall_seconds();
    body();
    processor = std::min(processor, processor_seconds() - processor_start);
    wall = std::min(wall, wall_seconds() - wall_start);
  }
};

/// CRFsuite's c2 = 1, and its memory.
FitOptions crfsuite_options(int threads) {
  return {.omega = "crf", .lambda = 2, .solver = "lbfgs:memory=6", .threads = threads};
}

using Sentences = std::shared_ptr<const TaggerData>;

void time_iterations(const Sentences& data, int threads) {
  const auto fit = make_fit(data, crfsuite_options(threads));
  Best best;
  double processor = -processor_seconds();
  double wall = -wall_seconds();
  for (int k = 0; k < timed_steps; ++k) best.time([&] { fit->algorithm().step(); });
  processor += processor_seconds();
  wall += wall_seconds();
  std::printf("{\"best\": %.6f, \"mean\": %.6f, \"wall_best\": %.6f, \"wall_mean\": %.6f}\n", best.processor,
              processor / timed_steps, best.wall, wall / timed_steps);
}

/// c1‖W‖₁ + c2‖W‖².
FitOptions penalised_options(double c1, double c2, const std::string& solver, int threads) {
  return {.omega = "crf",
          .exact_penalty = Penalty{.l2 = 2 * c2, .l1 = c1},
          .solver = solver,
          .tolerance = 0,
          .threads = threads};
}

void time_until(const Sentences& data, const FitOptions& options, double target) {
  const double processor_start = processor_seconds();
  const double wall_start = wall_seconds();
  const auto fit = make_fit(data, options);
  const StepReport last_step = fenchel::run(
      fit->algorithm(), [&](const StepReport& now, const Algorithm&) { return now.objective > target; });
  const double processor = processor_seconds() - processor_start;
  const double wall = wall_seconds() - wall_start;
  const auto parameters = fit->algorithm().parameters();
  const auto zeros = std::ranges::count(parameters, 0.0);
  std::printf(
      "{\"solver\": \"%s\", \"steps\": %d, \"objective\": %.9g, \"seconds\": %.4f, \"wall_seconds\": %.4f, "
      "\"weights\": %zu, \"nonzero\": %td}\n",
      std::string(fit->algorithm().name()).c_str(), fit->algorithm().report().iterations, last_step.objective,
      processor, wall, parameters.size(), std::ssize(parameters) - zeros);
}

/// Every sentence of a corpus as names of attributes.
std::vector<ExpandedSentence> expanded_sentences(const TokenCorpus& corpus,
                                                 const FeatureTemplates& templates) {
  std::vector<ExpandedSentence> out(corpus.sentences());
  std::vector<std::string_view> cells;
  for (std::size_t s = 0; s < out.size(); ++s) {
    cells.clear();
    for (auto t = static_cast<std::size_t>(corpus.offsets[s]);
         t < static_cast<std::size_t>(corpus.offsets[s + 1]); ++t) {
      cells.push_back(corpus.columns[0][t]);
      cells.push_back(corpus.columns[1][t]);
    }
    templates.expand({cells, 2}, out[s]);
  }
  return out;
}

void time_tagging(const Sentences& data, const TokenCorpus& test, const FeatureTemplates& templates,
                  int threads) {
  FitOptions options = crfsuite_options(threads);
  options.max_iterations = tagger_steps;
  const auto fit = make_fit(data, options);
  fenchel::run(fit->algorithm());
  const Tagger tagger = std::get<Tagger>(fit->model());
  const auto sentences = expanded_sentences(test, templates);
  const TagPredictor predictor(tagger);
  SentenceEncoder encoder(tagger);
  Workspace scratch;
  std::vector<std::int32_t> tags;
  Best best;
  for (int repeat = 0; repeat < tagging_repeats; ++repeat) {
    best.time([&] {
      for (const ExpandedSentence& one : sentences) {
        tags.resize(one.offsets.size() - 1);
        predictor.tag(encoder.attributes(one.attributes, one.offsets), tags, scratch);
      }
    });
  }
  std::printf("{\"best\": %.6f, \"wall_best\": %.6f}\n", best.processor, best.wall);
}

void time_fit(const Sentences& data, const TaggerData& test, const FitOptions& options) {
  const double processor_start = processor_seconds();
  const double wall_start = wall_seconds();
  const auto fit = make_fit(data, options);
  const StepReport last_step = fenchel::run(fit->algorithm());
  const double processor = processor_seconds() - processor_start;
  const double wall = wall_seconds() - wall_start;
  const Tagger tagger = std::get<Tagger>(fit->model());
  const Report training = fit->algorithm().report();
  const TaggerData mine = renumber(test, tagger);
  const auto tags = TagPredictor(tagger).tag(mine, options.threads);
  std::vector<std::string_view> truth;
  std::vector<std::string_view> predicted;
  for (std::size_t t = 0; t < tags.size(); ++t) {
    truth.push_back(test.label_names[test.labels[t]]);
    predicted.push_back(tagger.labels[tags[t]]);
  }
  const metrics::ChunkReport report = metrics::evaluate_chunks(truth, predicted, mine.sentences);
  std::printf(
      "{\"solver\": \"%s\", \"status\": \"%s\", \"steps\": %d, \"objective\": %.6f, \"seconds\": %.3f, "
      "\"wall_seconds\": %.3f, \"chunk_f1\": %.4f, \"accuracy\": %.4f}\n",
      std::string(fit->algorithm().name()).c_str(), std::string(to_string(training.status)).c_str(),
      training.iterations, last_step.objective, processor, wall, 100 * report.overall().f1,
      100 * report.token_accuracy());
}

int run(const std::string& folder, const std::string& what, int threads, int argc, char** argv) {
  const auto templates = FeatureTemplates::preset("crfsuite-chunking", 2);
  const auto data =
      std::make_shared<const TaggerData>(tagger_data(read_conll(Paths{folder + "/train.txt.gz"}), templates));
  if (what == "iteration") {
    time_iterations(data, threads);
    return 0;
  }
  if (what == "until") {
    if (argc < 7) throw std::invalid_argument("until: expected C1 C2 TARGET");
    const FitOptions options =
        penalised_options(std::stod(argv[4]), std::stod(argv[5]), argc > 7 ? argv[7] : "auto", threads);
    time_until(data, options, std::stod(argv[6]));
    return 0;
  }
  const TokenCorpus test = read_conll(Paths{folder + "/test.txt.gz"});
  if (what == "tag") {
    time_tagging(data, test, templates, threads);
    return 0;
  }
  if (what != "fit") throw std::invalid_argument("expected iteration, tag, fit or until");
  FitOptions options = crfsuite_options(threads);
  if (argc > 4) options.omega = argv[4];
  options.max_iterations = argc > 5 ? std::stoi(argv[5]) : 1000;
  if (options.omega != "crf") options.solver = "auto";
  options.tolerance = 1e-4;
  time_fit(data, tagger_data(test, templates), options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4)
      throw std::invalid_argument("usage: fenchel_bench_crf FOLDER iteration|tag|fit|until THREADS ...");
    return run(argv[1], argv[2], std::stoi(argv[3]), argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
