// SPDX-License-Identifier: Apache-2.0
#include "support/tagger_flags.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <variant>

#include "fenchel/models/feature_templates.hpp"

namespace fenchel::cli {

void TaggerFlags::add(Command& command, TaggerFeatureOptions& features) {
  given = [command](const std::string& name) { return command.given(name); };
  const std::string group = "Tagging";
  command.option("--template", templates,
                 "a file of templates (docs/models.md), or a preset: default, ner, pos, chunking, "
                 "crfsuite-chunking",
                 {.group = group, .common = {template_presets().begin(), template_presets().end()}});
  command.option("--clusters", clusters,
                 "a file of words and their clusters, for %cluster of templates: lines of Brown clusters "
                 "(0110, word, count between tabs) or of a word and its cluster; presets use them",
                 {.group = group});
  command.flag("--all-states", features.all_states,
               "weights for every attribute with every label, seen together or not", group);
  command.flag("--all-transitions", features.all_transitions, "weights for every pair of labels, seen or not",
               group);
  command.option("--min-count", features.min_count, "leave out attributes that occur less often",
                 {.group = group, .show_default = true, .sign = Sign::positive});
  command.flag("--soft-labels", soft_labels,
               "labels of DATA may be distributions, such as NP:0.75,VP:0.25 (tokens are independent)",
               group);
  command.option("--sentence-weights", sentence_weights,
                 "a file with a number >= 0 per line: how much each sentence of DATA counts in training",
                 {.group = group});
}

void TaggerFlags::check_used(const Corpus& corpus) const {
  const bool rows = std::holds_alternative<Dataset>(corpus.data);
  for (const char* flag : {"--template", "--clusters", "--all-states", "--all-transitions", "--min-count",
                           "--soft-labels", "--sentence-weights"}) {
    if (rows && given(flag)) {
      throw std::invalid_argument(
          fmt::format("{} is for tagging; {} holds rows, not sentences", flag, corpus.source));
    }
  }
  for (const char* flag : {"--template", "--clusters"}) {
    if (rows || !given(flag) || corpus.columns > 0) continue;
    throw std::invalid_argument(
        fmt::format("{} is for tokens in columns; the attributes of {} are written out ({})", flag,
                    corpus.source, format_name(corpus.format)));
  }
}

}  // namespace fenchel::cli
