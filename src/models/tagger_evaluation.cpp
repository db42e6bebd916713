// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/metrics/chunks.hpp"
#include "fenchel/metrics/classification.hpp"
#include "fenchel/models/evaluation.hpp"
#include "models/loss_checks.hpp"

namespace fenchel {
namespace {

// Labels by name: the truth may have some that the tagger does not know.
std::vector<std::string_view> names_of(std::span<const std::int32_t> labels, const StringTable& names) {
  std::vector<std::string_view> result;
  result.reserve(labels.size());
  for (const std::int32_t label : labels) result.push_back(names[label]);
  return result;
}

std::span<const std::int32_t> tokens_of(std::span<const std::int32_t> labels, const TaggerData& data,
                                        std::size_t s) {
  return labels.subspan(static_cast<std::size_t>(data.sentences[s]),
                        static_cast<std::size_t>(data.sentences[s + 1] - data.sentences[s]));
}

// What a sentence tells beside its best labels.
struct SentenceFigures {
  double log_probability = 0;  // of the truth; 0 where a label is unknown
  double sequences = 0;        // that SparseMAP mixes
  bool known = true;           // whether all its labels are the tagger's
  Report report;
};

// (r/2)‖μ‖² over sequences: its predictions are mixtures of few of them.
bool mixes(const AnyRegularizer& omega) { return omega.ridge().value_or(0) > 0; }

std::vector<SentenceFigures> figures_of(const TagPredictor& predictor, const AnyRegularizer& omega,
                                        const TaggerData& numbered, int threads) {
  std::vector<SentenceFigures> figures(numbered.sentence_count());
  for_each_block(figures.size(), 1, threads, [&](std::size_t s, std::size_t) {
    const auto truth = tokens_of(numbered.labels, numbered, s);
    if (truth.empty()) return;
    SentenceFigures& result = figures[s];
    Workspace& scratch = thread_workspace();
    if (is_random_field(omega)) {
      result.known = std::ranges::find(truth, -1) == truth.end();
      if (result.known)
        result.log_probability = predictor.log_probability(sentence(numbered, s), truth, scratch);
    } else if (mixes(omega)) {
      result.sequences =
          static_cast<double>(predictor.sparse(sentence(numbered, s), result.report, scratch).size());
    }
  });
  return figures;
}

void add_figures(const std::vector<SentenceFigures>& figures, const AnyRegularizer& omega,
                 const TaggerData& data, Evaluation& result) {
  double log_loss = 0;
  double support = 0;
  double tokens = 0;
  for (std::size_t s = 0; s < figures.size(); ++s) {
    support += figures[s].sequences;
    result.report = worst(result.report, figures[s].report);
    if (!figures[s].known) {
      ++result.unseen_rows;
      continue;
    }
    log_loss -= figures[s].log_probability;
    tokens += static_cast<double>(data.sentences[s + 1] - data.sentences[s]);
  }
  if (is_random_field(omega) && tokens > 0) result.metrics.push_back({"log_loss", log_loss / tokens});
  if (mixes(omega)) {
    result.metrics.push_back({"mean_support", support / static_cast<double>(figures.size())});
  }
}

metrics::ClassMetrics class_metrics(const metrics::Counts& counts) {
  const metrics::PrecisionRecall ratios = metrics::precision_recall(counts);
  return {ratios.precision, ratios.recall, ratios.f1, counts.true_positives + counts.false_negatives};
}

void add_chunks(const metrics::ChunkReport& report, Evaluation& result) {
  const metrics::PrecisionRecall overall = report.overall();
  result.metrics.push_back({"chunk_precision", overall.precision});
  result.metrics.push_back({"chunk_recall", overall.recall});
  result.metrics.push_back({"chunk_f1", overall.f1});
  for (const auto& [type, counts] : report.types) result.chunks[type] = class_metrics(counts);
}

}  // namespace

Evaluation evaluate(const Tagger& tagger, const TaggerData& data, std::optional<double> temperature,
                    int threads) {
  if (data.labels.empty()) throw std::invalid_argument("the sentences have no labels to judge by");
  const TaggerData numbered = renumber(data, tagger);
  const TagPredictor predictor(tagger, temperature.value_or(tagger.temperature));
  const std::vector<std::int32_t> tags = predictor.tag(numbered, threads);
  const auto truth = names_of(data.labels, data.label_names);
  const auto predicted = names_of(tags, tagger.labels);

  Evaluation result;
  result.unseen_effect = "their tokens count as errors, their sentences are left out of log_loss";
  result.examples = data.tokens();
  // All labels that occur on either side, in numbers of their own.
  StringTable all;
  std::set<std::string_view> occurring(truth.begin(), truth.end());
  occurring.insert(predicted.begin(), predicted.end());
  for (const std::string_view label : occurring) all.add(label);
  const auto numbers = [&](const std::vector<std::string_view>& labels) {
    std::vector<std::int32_t> ids(labels.size());
    std::ranges::transform(labels, ids.begin(), [&](std::string_view label) { return all.add(label); });
    return ids;
  };
  const std::vector<std::int32_t> true_ids = numbers(truth);
  const std::vector<std::int32_t> predicted_ids = numbers(predicted);
  const auto counts = metrics::class_counts(true_ids, predicted_ids, all.size());
  result.classes = all.strings();
  for (const metrics::Counts& one : counts) result.details.classes.push_back(class_metrics(one));
  result.details.confusion = metrics::confusion(true_ids, predicted_ids, all.size());
  const auto macro = metrics::macro_average(counts, true);
  result.metrics.push_back({"accuracy", metrics::accuracy(true_ids, predicted_ids)});
  result.metrics.push_back({"f1_macro", macro.f1});
  std::size_t right = 0;
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    right += std::ranges::equal(tokens_of(true_ids, data, s), tokens_of(predicted_ids, data, s)) ? 1 : 0;
  }
  const auto sentences = static_cast<double>(std::max<std::size_t>(data.sentence_count(), 1));
  result.metrics.push_back({"subset_accuracy", static_cast<double>(right) / sentences});
  if (metrics::are_chunk_labels(tagger.labels.strings())) {
    add_chunks(metrics::evaluate_chunks(truth, predicted, data.sentences), result);
  }
  const AnyRegularizer omega = loss_of(tagger)(1).loss.omega();
  add_figures(figures_of(predictor, omega, numbered, threads), omega, data, result);
  return result;
}

}  // namespace fenchel
