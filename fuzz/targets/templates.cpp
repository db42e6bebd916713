// SPDX-License-Identifier: Apache-2.0
// Templates over a fixed sentence; their text reads back.
#include <array>

#include "fenchel/models/feature_templates.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {
namespace {

void run(Bytes input) {
  static constexpr std::array<std::string_view, 8> cells{"the", "DT", "dog", "NN", "", "VB", "\xc3\xa9", "X"};
  const FeatureTemplates templates = FeatureTemplates::parse(text_of(input));
  require(FeatureTemplates::parse(templates.text()).text() == templates.text(),
          "the text of templates reads back");
  ExpandedSentence out;
  templates.expand({.cells = cells, .columns = 2}, out);
  require(out.offsets.size() == 5, "every token has its attributes");
}

}  // namespace

const Registration templates{{.name = "templates", .run = run}};

}  // namespace fenchel::fuzz
