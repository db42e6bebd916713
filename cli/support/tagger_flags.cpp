// SPDX-License-Identifier: Apache-2.0
#include "support/tagger_flags.hpp"

namespace fenchel::cli {

void TaggerFlags::add(Command& command, TaggerFeatureOptions& features) {
  const std::string group = "Tagging";
  command.option("--template", templates,
                 "a file of CRF++ templates, or a preset: default, crfsuite-chunking", {.group = group});
  command.flag("--all-states", features.all_states,
               "weights for every attribute with every label, seen together or not", group);
  command.flag("--all-transitions", features.all_transitions, "weights for every pair of labels, seen or not",
               group);
  command.option("--min-count", features.min_count, "leave out attributes that occur less often",
                 {.group = group, .show_default = true, .sign = Sign::positive});
}

}  // namespace fenchel::cli
