// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/train_tagger.hpp"

#include <algorithm>
#include <utility>

#include "fenchel/training/chain_examples.hpp"

namespace fenchel {
namespace {

ChainObjectiveOptions objective_options(const TaggerTrainOptions& options) {
  return {options.omega, options.cost, options.train.threads};
}

/// Iterations of the conditional random field that SparseMAP starts from. At weights of 0 its predictions are
/// mixtures of hundreds of sequences, which cost far more than all later evaluations together.
constexpr int start_iterations = 15;

/// Where to start: as asked, or for SparseMAP near a conditional random field; empty for 0.
std::vector<double> starting_parameters(const TaggerData& data, const TaggerFeatures& features,
                                        const TaggerTrainOptions& options) {
  if (!options.train.start.empty()) return {options.train.start.begin(), options.train.start.end()};
  if (options.omega != TaggerOmega::sparsemap) return {};
  TrainOptions first;
  first.penalty = L2(options.train.penalty.l2 > 0 ? options.train.penalty.l2 : 1);
  first.solver = "lbfgs";
  first.max_iterations = start_iterations;
  first.threads = options.train.threads;
  return train(std::make_unique<ChainObjective>(data, features,
                                                ChainObjectiveOptions{.threads = options.train.threads}),
               nullptr, true, first)
      .parameters;
}

}  // namespace

std::unique_ptr<Algorithm> make_tagger_algorithm(const TaggerData& data, const TaggerFeatures& features,
                                                 const TaggerTrainOptions& options) {
  const std::vector<double> start = starting_parameters(data, features, options);
  TrainOptions train_options = options.train;
  train_options.start = start;
  return make_algorithm(std::make_unique<ChainObjective>(data, features, objective_options(options)),
                        std::make_unique<ChainExamples>(data, features, objective_options(options)),
                        smooth(options.omega), train_options);
}

Tagger make_tagger(const TaggerData& data, const TaggerFeatures& features, const TaggerTrainOptions& options,
                   std::span<const double> parameters) {
  Tagger tagger{.omega = options.omega,
                .labels = data.label_names,
                .attributes = data.attribute_names,
                .features = features,
                .parameters = {parameters.begin(), parameters.end()},
                .temperature = 1,
                .templates = options.templates,
                .provenance = {}};
  tagger.check();
  return tagger;
}

TrainedTagger train_tagger(const TaggerData& data, const TaggerTrainOptions& options) {
  const TaggerFeatures features = tagger_features(data, options.features);
  const std::vector<double> start = starting_parameters(data, features, options);
  TrainOptions train_options = options.train;
  train_options.start = start;
  TrainResult result = train(std::make_unique<ChainObjective>(data, features, objective_options(options)),
                             std::make_unique<ChainExamples>(data, features, objective_options(options)),
                             smooth(options.omega), train_options);
  Tagger tagger = make_tagger(data, features, options, result.parameters);
  result.parameters.clear();
  return {std::move(tagger), std::move(result)};
}

std::vector<double> transfer_parameters(const Tagger& from, const TaggerData& data,
                                        const TaggerFeatures& features) {
  const TaggerFeatures& old = from.features;
  std::vector<std::int32_t> label(features.labels);
  for (std::size_t i = 0; i < label.size(); ++i) {
    label[i] = from.labels.find(data.label_names[static_cast<std::int32_t>(i)]);
  }
  std::vector<double> out(features.parameters(), 0.0);
  const auto label_of = [&](std::int32_t i) { return label[static_cast<std::size_t>(i)]; };
  for (std::size_t a = 0; a < features.attributes; ++a) {
    const std::int32_t known = from.attributes.find(data.attribute_names[static_cast<std::int32_t>(a)]);
    if (known < 0) continue;
    const std::size_t begin = old.state_begin(static_cast<std::size_t>(known));
    const std::size_t end = old.state_begin(static_cast<std::size_t>(known) + 1);
    for (std::size_t k = features.state_begin(a); k < features.state_begin(a + 1); ++k) {
      for (std::size_t other = begin; other < end; ++other) {
        if (old.label(other) == label_of(features.label(k))) out[k] = from.parameters[other];
      }
    }
  }
  const auto m = static_cast<std::int32_t>(features.labels);
  const auto old_m = static_cast<std::int32_t>(old.labels);
  for (std::size_t k = 0; k < features.transitions.size(); ++k) {
    const std::int32_t previous = label_of(features.transitions[k] / m);
    const std::int32_t next = label_of(features.transitions[k] % m);
    if (previous < 0 || next < 0) continue;
    const auto found = std::ranges::lower_bound(old.transitions, previous * old_m + next);
    if (found == old.transitions.end() || *found != previous * old_m + next) continue;
    out[features.state_weights() + k] =
        from.parameters[old.state_weights() + static_cast<std::size_t>(found - old.transitions.begin())];
  }
  if (!features.boundary || !old.boundary) return out;
  for (std::size_t i = 0; i < features.labels; ++i) {
    if (label[i] < 0) continue;
    const std::size_t place = old.boundary_begin() + static_cast<std::size_t>(label[i]);
    out[features.boundary_begin() + i] = from.parameters[place];
    out[features.boundary_begin() + features.labels + i] = from.parameters[place + old.labels];
  }
  return out;
}

}  // namespace fenchel
