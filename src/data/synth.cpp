// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/synth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/draws.hpp"
#include "data/label_rows.hpp"
#include "fenchel/core/check.hpp"

namespace fenchel {
namespace {

constexpr double largest_mean = 1e7;  // drawing takes time in proportion to the mean
constexpr int most_redraws = 1000;    // of a number outside its bounds, before the bound is taken

// All rows are in memory before they are written: a larger number is a typing error.
constexpr std::size_t most_rows = 100'000'000;

void check_rows(const char* name, std::size_t rows) {
  check_not_empty(name, rows);
  if (rows > most_rows) {
    throw std::invalid_argument(fmt::format("{} is {}; expected at most {}", name, rows, most_rows));
  }
}

void check_mean(const char* name, double mean) {
  check_greater(name, mean, 0);
  if (mean > largest_mean) throw std::invalid_argument(fmt::format("{} is {}; at most 1e7", name, mean));
}

/// Poisson, redrawn until it lies in [1, most].
std::size_t draw_count(Random& random, double mean, std::size_t most) {
  for (int i = 0; i < most_redraws; ++i) {
    const std::size_t count = draw_poisson(random, mean);
    if (count >= 1 && count <= most) return count;
  }
  return mean < 1 ? 1 : most;
}

/// `count` different positions, each drawn in proportion to its weight among those that are left; sorted.
std::vector<std::size_t> draw_different(Random& random, std::vector<double> weights, std::size_t count) {
  // A weight of exactly 0 could never be drawn, and waiting for it would never end.
  for (double& weight : weights) weight = std::max(weight, std::numeric_limits<double>::min());
  std::vector<std::size_t> result;
  while (result.size() < count) {
    const std::size_t k = Discrete(weights).draw(random);
    if (weights[k] == 0) continue;
    weights[k] = 0;
    result.push_back(k);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Names "1", …, "size", whose order is that of their values.
std::vector<std::string> numbered(std::size_t size, std::size_t first) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < size; ++k) names.push_back(std::to_string(first + k));
  return names;
}

void push_document(const std::vector<std::size_t>& counts, double unit, CsrMatrix<double>& x) {
  for (std::size_t w = 0; w < counts.size(); ++w) {
    if (counts[w] == 0) continue;
    x.indices.push_back(static_cast<std::int32_t>(w));
    x.values.push_back(static_cast<double>(counts[w]) / unit);
  }
  x.offsets.push_back(static_cast<std::int64_t>(x.indices.size()));
}

}  // namespace

Dataset synth_proportions(const SynthProportions& options) {
  check_rows("classes", options.classes);
  check_rows("samples", options.samples);
  check_mean("mean_length", options.mean_length);
  check_mean("mean_labels", options.mean_labels);
  Random random(options.seed);
  const std::size_t words = options.vocabulary > 0 ? options.vocabulary : options.classes;
  const std::vector<double> prior = draw_dirichlet(random, options.classes);
  std::vector<Discrete> topics;
  for (std::size_t k = 0; k < options.classes; ++k) topics.emplace_back(draw_dirichlet(random, words));
  Dataset data;
  CsrMatrix<double> x;
  x.cols = words;
  std::vector<std::size_t> counts(words);
  for (std::size_t i = 0; i < options.samples; ++i) {
    const std::size_t active = draw_count(random, options.mean_labels, options.classes);
    const std::vector<std::size_t> labels = draw_different(random, prior, active);
    std::vector<double> proportions = draw_dirichlet(random, active);
    if (options.uniform) proportions.assign(active, 1 / static_cast<double>(active));
    const Discrete mixture(proportions);
    const std::size_t length = draw_count(random, options.mean_length, SIZE_MAX);
    std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t n = 0; n < length; ++n) ++counts[topics[labels[mixture.draw(random)]].draw(random)];
    push_document(counts, options.frequencies ? static_cast<double>(length) : 1, x);
    for (std::size_t k = 0; k < active; ++k) {
      data.labels.indices.push_back(static_cast<std::int32_t>(labels[k]));
      data.labels.weights.push_back(proportions[k]);
    }
    data.labels.offsets.push_back(static_cast<std::int64_t>(data.labels.indices.size()));
  }
  data.x = Features(std::move(x));
  data.labels.names = numbered(options.classes, 1);
  data.source = "synthetic proportions";
  return data;
}

Dataset synth_classification(const SynthClassification& options) {
  check_rows("classes", options.classes);
  check_rows("samples", options.samples);
  check_rows("features", options.features);
  check_finite("separation", options.separation);
  Random random(options.seed);
  Matrix<double> centres(options.classes, options.features);
  for (double& entry : centres.entries()) entry = options.separation * random.normal();
  Matrix<double> x(options.samples, options.features);
  Dataset data;
  std::vector<double> values;
  for (std::size_t i = 0; i < options.samples; ++i) {
    const auto k = static_cast<std::size_t>(random.below(options.classes));
    for (std::size_t j = 0; j < options.features; ++j) x(i, j) = centres(k, j) + random.normal();
    data.labels.indices.push_back(static_cast<std::int32_t>(k));
    data.labels.offsets.push_back(static_cast<std::int64_t>(i + 1));
    values.push_back(static_cast<double>(k + 1));
  }
  data.x = Features(std::move(x));
  data.labels.names = numbered(options.classes, 1);
  data.values = Matrix<double>(options.samples, 1, std::move(values));
  data.source = "synthetic classification";
  return data;
}

Dataset synth_ranking(const SynthRanking& options) {
  check_rows("queries", options.queries);
  check_rows("documents", options.documents);
  check_rows("features", options.features);
  check_rows("levels", options.levels);
  check_at_least("noise", options.noise, 0);
  Random random(options.seed);
  std::vector<double> hidden(options.features);
  for (double& entry : hidden) entry = random.normal() / std::sqrt(static_cast<double>(options.features));
  const std::size_t rows = options.queries * options.documents;
  Matrix<double> x(rows, options.features);
  Dataset data;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % options.documents == 0) data.queries.push_back(static_cast<std::int64_t>(i));
    double score = options.noise * random.normal();
    for (std::size_t j = 0; j < options.features; ++j) {
      x(i, j) = random.normal();
      score += hidden[j] * x(i, j);
    }
    // The normal distribution's own quantiles would make the levels equally frequent only without noise;
    // the logistic curve is close enough and the same on every machine.
    const double share = 1 / (1 + std::exp(-1.7 * score / std::hypot(1, options.noise)));
    const double level = std::min(std::floor(share * static_cast<double>(options.levels)),
                                  static_cast<double>(options.levels - 1));
    data.labels.indices.push_back(static_cast<std::int32_t>(level));
    data.labels.offsets.push_back(static_cast<std::int64_t>(i + 1));
    values.push_back(level);
  }
  data.queries.push_back(static_cast<std::int64_t>(rows));
  data.x = Features(std::move(x));
  data.labels.names = numbered(options.levels, 0);
  data.values = Matrix<double>(rows, 1, std::move(values));
  data.source = "synthetic ranking";
  return data;
}

TokenCorpus synth_tagging(const SynthTagging& options) {
  check_rows("tags", options.tags);
  check_rows("sentences", options.sentences);
  check_rows("vocabulary", options.vocabulary);
  check_mean("mean_length", options.mean_length);
  Random random(options.seed);
  std::vector<Discrete> next;   // by tag; the last one begins a sentence
  std::vector<Discrete> words;  // by tag
  for (std::size_t k = 0; k <= options.tags; ++k) next.emplace_back(draw_dirichlet(random, options.tags));
  for (std::size_t k = 0; k < options.tags; ++k)
    words.emplace_back(draw_dirichlet(random, options.vocabulary));
  TokenCorpus corpus;
  corpus.columns.resize(2);
  for (std::size_t s = 0; s < options.sentences; ++s) {
    const std::size_t length = draw_count(random, options.mean_length, SIZE_MAX);
    std::size_t tag = options.tags;
    for (std::size_t t = 0; t < length; ++t) {
      tag = next[tag].draw(random);
      const std::string word = fmt::format("w{}", words[tag].draw(random) + 1);
      corpus.columns[0].ids.push_back(corpus.columns[0].strings.add(word));
      corpus.columns[1].ids.push_back(corpus.columns[1].strings.add(fmt::format("T{}", tag + 1)));
    }
    corpus.offsets.push_back(corpus.offsets.back() + static_cast<std::int64_t>(length));
  }
  return corpus;
}

}  // namespace fenchel
