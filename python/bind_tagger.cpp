// SPDX-License-Identifier: Apache-2.0
// Taggers: fits, tags, marginals and weights.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fenchel/models/tagger.hpp"
#include "training.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

const Tagger& tagger_of(const Model& model) {
  const auto* tagger = std::get_if<Tagger>(&model.any);
  if (!tagger) throw nb::attribute_error("the model is not a tagger");
  return *tagger;
}

// Tags of all tokens, as numbers in the tagger's labels.
Result<std::int32_t> tags_of(const Model& model, const TaggerData& data, int threads) {
  std::vector<std::int32_t> tags;
  {
    const GilRelease release;
    const Tagger& tagger = tagger_of(model);
    tags = TagPredictor(tagger).tag(renumber(data, tagger), threads);
  }
  return copied(tags);
}

// ŷ_Ω for every token and label.
Result<double> marginals_of(const Model& model, const TaggerData& data) {
  const Tagger& tagger = tagger_of(model);
  const std::size_t m = tagger.features.labels;
  const auto result = new_array<double>({data.tokens(), m});
  const GilRelease release;
  const TaggerData numbered = renumber(data, tagger);
  const TagPredictor predictor(tagger);
  for (std::size_t s = 0; s < numbered.sentence_count(); ++s) {
    const auto first = static_cast<std::size_t>(numbered.sentences[s]);
    const auto count = static_cast<std::size_t>(numbered.sentences[s + 1]) - first;
    if (count == 0) continue;
    predictor.outputs(sentence(numbered, s), {result.data() + first * m, count * m}, thread_workspace());
  }
  return result;
}

// For every sentence its k best sequences (tags as numbers) with their probabilities.
nb::list k_best_of(const Model& model, const TaggerData& data, std::size_t k) {
  const Tagger& tagger = tagger_of(model);
  const TaggerData numbered = renumber(data, tagger);
  const TagPredictor predictor(tagger);
  nb::list result;
  for (std::size_t s = 0; s < numbered.sentence_count(); ++s) {
    nb::list best;
    if (numbered.sentences[s + 1] > numbered.sentences[s]) {
      for (const TagSequence& sequence : predictor.k_best(sentence(numbered, s), k, thread_workspace())) {
        best.append(nb::make_tuple(sequence.tags, sequence.weight));
      }
    }
    result.append(best);
  }
  return result;
}

// log p of the labels of each sentence in the conditional random field.
Result<double> log_probabilities_of(const Model& model, const TaggerData& data) {
  const Tagger& tagger = tagger_of(model);
  if (data.labels.size() != data.tokens() || !data.soft.empty()) {
    throw std::invalid_argument("y: expected a label, not a distribution of labels, for every token of X");
  }
  const auto result = new_array<double>({data.sentence_count()});
  const GilRelease release;
  const TaggerData numbered = renumber(data, tagger);
  const TagPredictor predictor(tagger);
  for (std::size_t s = 0; s < numbered.sentence_count(); ++s) {
    const auto first = static_cast<std::size_t>(numbered.sentences[s]);
    const auto count = static_cast<std::size_t>(numbered.sentences[s + 1]) - first;
    const std::span<const std::int32_t> tags(numbered.labels.data() + first, count);
    // A label that the tagger never saw has no score, and no sequence with it any probability.
    const bool known = std::ranges::all_of(tags, [](std::int32_t tag) { return tag >= 0; });
    result.data()[s] = known ? predictor.log_probability(sentence(numbered, s), tags, thread_workspace())
                             : -std::numeric_limits<double>::infinity();
  }
  return result;
}

// (attribute, label, weight) of every state weight, and (label, label, weight) of every transition.
nb::tuple weights_of(const Model& model) {
  const Tagger& tagger = tagger_of(model);
  const TaggerFeatures& features = tagger.features;
  const auto text = [](std::string_view bytes) { return nb::str(bytes.data(), bytes.size()); };
  nb::list states, transitions;
  for (std::size_t a = 0; a < features.attributes; ++a) {
    for (std::size_t k = features.state_begin(a); k < features.state_begin(a + 1); ++k) {
      states.append(nb::make_tuple(text(tagger.attributes[static_cast<std::int32_t>(a)]),
                                   text(tagger.labels[features.label(k)]), tagger.parameters[k]));
    }
  }
  const auto m = static_cast<std::int32_t>(features.labels);
  for (std::size_t k = 0; k < features.transitions.size(); ++k) {
    const std::int32_t pair = features.transitions[k];
    transitions.append(nb::make_tuple(text(tagger.labels[pair / m]), text(tagger.labels[pair % m]),
                                      tagger.parameters[features.state_weights() + k]));
  }
  return nb::make_tuple(states, transitions);
}

// Sentences of columns for training, and the number of columns.
nb::tuple training_tokens(const nb::sequence& sentences, const nb::object& labels, const std::string& name,
                          const std::shared_ptr<WordClusters>& clusters) {
  const auto choose = [&](std::size_t columns) { return load_templates(name, columns, clusters); };
  auto [data, columns] = token_sentences_of(sentences, labels, choose);
  return nb::make_tuple(data, columns);
}

// And for predictions, through the templates of the tagger.
std::shared_ptr<TaggerData> tokens_for(const Model& model, const nb::sequence& sentences,
                                       const nb::object& labels) {
  const auto choose = [&](std::size_t columns) { return templates_of(tagger_of(model), columns); };
  return token_sentences_of(sentences, labels, choose).first;
}

FitRun make_tagger_run(const std::shared_ptr<TaggerData>& data, const FitOptions& options,
                       const TaggerFeatureOptions& features, const Model* start) {
  const GilRelease release;
  FitOptions complete = options;
  complete.tagger = features;
  data->source = "lists";
  return {make_fit(std::shared_ptr<const TaggerData>(data), complete, start ? &start->any : nullptr)};
}

}  // namespace

void bind_taggers(nb::module_& module) {
  nb::class_<TaggerData>(module, "TaggerData",
                         "Sentences of tokens with attributes, and labels if there are any.")
      .def_prop_ro(
          "sentences", [](const TaggerData& self) { return copied(self.sentences); }, nb::rv_policy::move)
      .def_prop_ro("tokens", &TaggerData::tokens)
      .def(
          "set_weights",
          [](TaggerData& self, std::vector<double> weights) { self.weights = std::move(weights); },
          "weights"_a);
  nb::class_<TaggerFeatureOptions>(module, "TaggerFeatureOptions", "Which weights a tagger has.")
      .def(nb::init<>())
      .def_rw("all_states", &TaggerFeatureOptions::all_states)
      .def_rw("all_transitions", &TaggerFeatureOptions::all_transitions)
      .def_rw("boundary", &TaggerFeatureOptions::boundary)
      .def_rw("min_count", &TaggerFeatureOptions::min_count);
  module.def("tagger_data", &sentences_of, "sentences"_a, "labels"_a.none() = nb::none(),
             "joined_by"_a = ':');
  nb::class_<WordClusters>(module, "WordClusters", "A cluster for each of some words.")
      .def(nb::init<>())
      .def("add", &WordClusters::add, "word"_a, "cluster"_a)
      .def("__len__", &WordClusters::size);
  module.def(
      "read_clusters",
      [](const std::string& path) { return std::make_shared<WordClusters>(WordClusters::read(path)); },
      "path"_a);
  module.def("training_tokens", &training_tokens, "sentences"_a, "labels"_a.none(), "template"_a,
             "clusters"_a.none());
  module.def("tokens_for", &tokens_for, "model"_a, "sentences"_a, "labels"_a.none());
  module.def(
      "tagger_templates", [](const Model& model) { return tagger_of(model).templates; }, "model"_a);
  module.def(
      "set_tagger_columns",
      [](Model& model, std::size_t columns) { std::get<Tagger>(model.any).columns = columns; }, "model"_a,
      "columns"_a);
  module.def("make_tagger_fit", &make_tagger_run, "data"_a, "options"_a, "features"_a,
             "start"_a.none() = nb::none());
  module.def(
      "tagger_labels", [](const Model& model) { return tagger_of(model).labels.strings(); }, "model"_a);
  module.def(
      "tagger_joined_by", [](const Model& model) { return tagger_of(model).joined_by; }, "model"_a);
  module.def(
      "set_tagger_joined_by",
      [](Model& model, char joined_by) { std::get<Tagger>(model.any).joined_by = joined_by; }, "model"_a,
      "joined_by"_a);
  module.def(
      "tagger_omega", [](const Model& model) { return tagger_of(model).loss; }, "model"_a);
  module.def("tag", &tags_of, "model"_a, "data"_a, "n_threads"_a = 1);
  module.def("tag_marginals", &marginals_of, "model"_a, "data"_a);
  module.def("tag_k_best", &k_best_of, "model"_a, "data"_a, "k"_a);
  module.def("tag_log_probabilities", &log_probabilities_of, "model"_a, "data"_a);
  module.def("tagger_weights", &weights_of, "model"_a);
}

}  // namespace fenchel::python
