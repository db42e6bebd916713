// SPDX-License-Identifier: Apache-2.0
// A model that loads is written again with the same bytes, and predicts.
#include <algorithm>

#include "harness.hpp"
#include "samples.hpp"

namespace fenchel::fuzz {
namespace {

// Features may be far more than the file has bytes: a sparse row names only the first and the last.
CsrMatrix<double> two_rows(std::size_t features) {
  CsrMatrix<double> rows{features, {0, 0, 0}, {}, {}};
  if (features == 0) return rows;
  rows.indices = {0};
  rows.values = {1};
  if (features > 1) {
    rows.indices.push_back(static_cast<std::int32_t>(std::min<std::size_t>(features, 1U << 30) - 1));
    rows.values.push_back(-2);
  }
  rows.offsets[2] = static_cast<std::int64_t>(rows.indices.size());
  return rows;
}

template <class Model>
void use_model(const Model& model) {
  const ModelHead& head = model;
  const bool named = head.task != Task::regression && head.task != Task::ranking;
  require(!named || head.classes.size() == model.outputs(), "the outputs of an accepted model have names");
  const CsrMatrix<double> rows = two_rows(model.features());
  if (model.outputs() > 1000) return;  // what follows may take time cubic in the outputs
  const ModelPredictions made = predict(model, FeaturesView<double>(rows.view()), {.threads = 1});
  for (std::size_t i = 0; i < 2; ++i) {
    for (const std::int32_t label : predicted_labels(head, made.scores.row(i), made.outputs.row(i))) {
      require(static_cast<std::size_t>(label) < head.classes.size(), "a predicted label has a name");
    }
  }
}

void use_model(const Tagger& tagger) {
  const TagPredictor predictor(tagger);
  const std::vector<std::int64_t> offsets{0, 1, 2};
  const std::vector<std::int32_t> attributes{0, -1};
  std::vector<std::int32_t> tags(2);
  Workspace scratch;
  const std::span<const std::int32_t> known = std::span(attributes).first(2);
  if (tagger.attributes.size() == 0) return;
  predictor.tag({offsets, known}, tags, scratch);
  for (const std::int32_t tag : tags) {
    require(static_cast<std::size_t>(tag) < tagger.labels.size(), "a predicted tag has a name");
  }
}

void run(Bytes input) {
  const AnyModel model = model_from_bytes(std::as_bytes(input));
  const std::string text = bytes_of(model);
  const AnyModel again = model_from_bytes(std::as_bytes(std::span(text)));
  require(bytes_of(again) == text, "a model that was written reads back");
  std::visit([](const auto& known) { use_model(known); }, model);
}

}  // namespace

const Registration model{{.name = "model", .run = run, .seeds = sample_models, .checksummed = true}};

}  // namespace fenchel::fuzz
