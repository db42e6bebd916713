// SPDX-License-Identifier: Apache-2.0
#include "support/completed_words.hpp"

#include <set>

#include "fenchel/metrics/evaluate.hpp"
#include "fenchel/models/loss_choice.hpp"
#include "fenchel/polytopes/spec.hpp"
#include "fenchel/regularizers/spec.hpp"

namespace fenchel::cli {

std::vector<std::string> words_of_losses() {
  std::set<std::string> words;
  for (const RegularizerEntry& entry : regularizer_list()) words.emplace(entry.name);
  for (const auto& [alias, meaning] : regularizer_aliases()) words.emplace(alias);
  for (const LossName& loss : loss_names()) {
    words.emplace(loss.name);
    words.insert(loss.aliases.begin(), loss.aliases.end());
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> words_of_polytopes() {
  std::vector<std::string> words;
  for (const PolytopeEntry& entry : polytope_list()) words.emplace_back(entry.traits.name);
  return words;
}

std::vector<std::string> words_of_metrics() {
  std::vector<std::string> words;
  for (const metrics::MetricInfo& info : metrics::metric_list()) words.emplace_back(info.name);
  return words;
}

}  // namespace fenchel::cli
