// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fenchel/data/cache.hpp"
#include "fenchel/data/synth.hpp"
#include "fenchel/models/tagger_corpus.hpp"
#include "fenchel/training/checkpoint.hpp"
#include "fenchel/training/solver.hpp"

namespace fenchel::fuzz {
namespace {

// The bytes of a file that `write` writes.
template <class Write>
std::string written(const Write& write) {
  const auto path = std::filesystem::temp_directory_path() / ("fenchel-sample-" + std::to_string(getpid()));
  write(path);
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return bytes.str();
}

std::string bytes_of(const Dataset& data) {
  return written([&](const auto& path) { write_cache(data, path); });
}
std::string bytes_of(const Checkpoint& checkpoint) {
  return written([&](const auto& path) { save_checkpoint(path, checkpoint); });
}

using MakeFit = std::unique_ptr<Fit> (*)(FitOptions options);

std::unique_ptr<Fit> rows(FitOptions options) {
  static const Dataset data = synth_classification({.classes = 3, .samples = 8, .features = 3, .seed = 1});
  return make_fit(prepare(data, options), options);
}
std::unique_ptr<Fit> sparse_kernel(FitOptions options) {
  options.kernel = "rbf:gamma=0.5";
  return rows(std::move(options));
}
std::unique_ptr<Fit> hinge(FitOptions options) {
  options.omega = "hinge";
  return rows(std::move(options));
}
std::unique_ptr<Fit> elastic(FitOptions options) {
  options.penalty = "elastic_net";
  return rows(std::move(options));
}
std::unique_ptr<Fit> documents(FitOptions options) {
  static const Dataset data = synth_ranking({.queries = 2, .documents = 3, .features = 2, .seed = 1});
  return make_fit(prepare(data, options), options);
}
std::unique_ptr<Fit> chains(FitOptions options) {
  static const auto data = std::make_shared<const TaggerData>(
      tagger_data(synth_tagging({.tags = 2, .sentences = 3, .vocabulary = 3, .mean_length = 3, .seed = 1}),
                  FeatureTemplates::parse("U0:%x[0,0]\nB\n")));
  return make_fit(data, options);
}
constexpr std::pair<std::string_view, MakeFit> problems[] = {
    {"rows", rows},       {"kernel", sparse_kernel}, {"hinge", hinge},
    {"elastic", elastic}, {"documents", documents},  {"chains", chains}};

}  // namespace

std::string bytes_of(const AnyModel& model) {
  const auto bytes = model_bytes(model);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> sample_models() {
  const Dataset rows = synth_classification({.classes = 3, .samples = 6, .features = 2});
  const Dataset mixed = synth_proportions({.classes = 3, .samples = 5, .mean_length = 5});
  const Dataset documents = synth_ranking({.queries = 2, .documents = 3, .features = 2});
  const auto fitted = [](const Dataset& data, FitOptions options) {
    options.max_iterations = 2;
    options.threads = 1;
    return bytes_of(fit(data, options).model);
  };
  const auto sentences = std::make_shared<const TaggerData>(
      tagger_data(synth_tagging({.tags = 2, .sentences = 2, .vocabulary = 3, .mean_length = 2}),
                  FeatureTemplates::parse("U0:%x[0,0]\nB\n")));
  const auto tagger = make_fit(sentences, {.threads = 1});
  return {fitted(rows, {.scale = Scaling::standard}),
          fitted(rows, {.omega = "hinge", .kernel = "rbf:gamma=0.5"}),
          fitted(mixed, {.omega = "tsallis:alpha=1.5"}),
          fitted(documents, {}),
          fitted(documents, {.task = Task::regression, .intercept = Intercept::none}),
          bytes_of(tagger->model())};
}

std::vector<std::string> sample_caches() {
  Dataset numbers;
  numbers.x = Features(Matrix<float>(2, 2, {0.5F, 1, 2, 3}));
  numbers.values = Matrix<double>(2, 1, {3, 4});
  numbers.feature_names = {"a", "b"};
  numbers.fill = {1, 2};
  numbers.weights = {1, 2};
  return {bytes_of(synth_proportions({.classes = 3, .samples = 4, .mean_length = 5})),
          bytes_of(synth_classification({.classes = 2, .samples = 4, .features = 3})),
          bytes_of(synth_ranking({.queries = 2, .documents = 2, .features = 2})), bytes_of(numbers)};
}

std::unique_ptr<Fit> fit_of_kind(const std::string& kind) {
  for (const auto& [name, make] : problems) {
    for (const SolverEntry& entry : solver_list()) {
      const std::string solver(entry.traits.name);
      if (kind == solver + " " + std::string(name)) return make({.solver = solver, .threads = 1});
    }
  }
  return rows({.threads = 1});
}

std::vector<std::string> sample_checkpoints() {
  std::vector<std::string> result;
  for (const auto& [name, make] : problems) {
    for (const SolverEntry& entry : solver_list()) {
      const std::string kind = std::string(entry.traits.name) + " " + std::string(name);
      try {
        const auto fit = fit_of_kind(kind);
        fit->algorithm().step();
        result.push_back(bytes_of({fit->algorithm().save(), {{kind_key, kind}}}));
      } catch (const std::invalid_argument&) {  // the solver refuses the problem
      }
    }
  }
  return result;
}

}  // namespace fenchel::fuzz
