// SPDX-License-Identifier: Apache-2.0
// Taggers: sentences as Python has them (lists of tokens, each with names of attributes or a dictionary of
// them) as TaggerData, fits, tags and marginals.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fenchel/models/tagger.hpp"
#include "fenchel/training/fit_tagger.hpp"
#include "training.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

std::string_view text_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!bytes) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

[[noreturn]] void refuse(const std::string& place, nb::handle value, const char* expected) {
  const std::string shown = nb::cast<std::string>(nb::repr(value)).substr(0, 80);
  throw nb::type_error(fmt::format("{} is {}; expected {}", place, shown, expected).c_str());
}

// Fills TaggerData token by token.
class Builder {
 public:
  explicit Builder(TaggerData& data) : data_(data) {}

  void sentence(nb::handle tokens, std::size_t number) {
    if (PyUnicode_Check(tokens.ptr()) || PyDict_Check(tokens.ptr()) || !PySequence_Check(tokens.ptr())) {
      refuse(fmt::format("X[{}]", number), tokens, "a list of tokens");
    }
    std::size_t t = 0;
    for (nb::handle token : tokens) {
      place_ = [number, t] { return fmt::format("X[{}][{}]", number, t); };
      attributes(token);
      data_.offsets.push_back(static_cast<std::int64_t>(data_.attributes.size()));
      ++t;
    }
    data_.sentences.push_back(static_cast<std::int64_t>(data_.tokens()));
  }

 private:
  void attributes(nb::handle token) {
    if (PyDict_Check(token.ptr())) {
      prefix_.clear();
      return named(token, 0);
    }
    if (PyUnicode_Check(token.ptr())) return add(text_of(token), 1);
    if (nb::isinstance<nb::bytes>(token) || !PyObject_HasAttrString(token.ptr(), "__iter__")) {
      refuse(place_(), token, "a dictionary of attributes, or a list of their names");
    }
    for (nb::handle name : token) {
      if (!PyUnicode_Check(name.ptr())) refuse(place_(), name, "the name of an attribute");
      add(text_of(name), 1);
    }
  }

  // {"word": "the"} is the attribute "word=the", {"length": 3} "length" with the value 3, {"title": True}
  // "title", and {"next": {…}} has the attributes inside it with "next:" before their names.
  void named(nb::handle dictionary, int depth) {
    constexpr int deepest = 20;  // a dictionary that contains itself has no end
    if (depth > deepest) refuse(place_(), dictionary, "dictionaries nested less deeply");
    for (auto [key, value] : nb::borrow<nb::dict>(dictionary)) {
      if (!PyUnicode_Check(key.ptr())) refuse(place_(), key, "the name of an attribute");
      const std::size_t before = prefix_.size();
      prefix_ += text_of(key);
      if (PyDict_Check(value.ptr())) {
        prefix_ += ':';
        named(value, depth + 1);
      } else {
        entry(value);
      }
      prefix_.resize(before);
    }
  }

  void entry(nb::handle value) {
    if (PyUnicode_Check(value.ptr())) {
      with('=', text_of(value));
    } else if (PyBool_Check(value.ptr())) {
      if (value.is(Py_True)) add(prefix_, 1);
    } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyAnySet_Check(value.ptr())) {
      for (nb::handle name : value) {
        if (!PyUnicode_Check(name.ptr())) refuse(place_() + "['" + prefix_ + "']", name, "a text");
        with(':', text_of(name));
      }
    } else {
      const double number = PyFloat_AsDouble(value.ptr());
      if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        refuse(place_() + "['" + prefix_ + "']", value, "a text, a number, True or False");
      }
      if (!std::isfinite(static_cast<float>(number))) {
        throw std::invalid_argument(
            fmt::format("{}['{}'] is {}; values must be finite", place_(), prefix_, number));
      }
      add(prefix_, static_cast<float>(number));
    }
  }

  void with(char separator, std::string_view text) {
    const std::size_t before = prefix_.size();
    prefix_ += separator;
    prefix_ += text;
    add(prefix_, 1);
    prefix_.resize(before);
  }

  void add(std::string_view name, float value) {
    if (value != 1 && data_.values.empty()) data_.values.assign(data_.attributes.size(), 1);
    const bool valued = value != 1 || !data_.values.empty();
    data_.attributes.push_back(data_.attribute_names.add(name));
    if (valued) data_.values.push_back(value);
  }

  TaggerData& data_;
  std::string prefix_;
  std::function<std::string()> place_;
};

void add_labels(TaggerData& data, nb::handle labels) {
  std::size_t s = 0;
  for (nb::handle sentence : labels) {
    if (s >= data.sentence_count()) break;
    if (PyUnicode_Check(sentence.ptr()) || !PySequence_Check(sentence.ptr())) {
      refuse(fmt::format("y[{}]", s), sentence, "a list of labels");
    }
    for (nb::handle label : sentence) {
      if (!PyUnicode_Check(label.ptr())) refuse(fmt::format("a label of y[{}]", s), label, "a text");
      data.labels.push_back(data.label_names.add(text_of(label)));
    }
    if (static_cast<std::int64_t>(data.labels.size()) != data.sentences[s + 1]) {
      throw std::invalid_argument(fmt::format("y[{}] has {} labels; X[{}] has {} tokens", s,
                                              nb::len(sentence), s,
                                              data.sentences[s + 1] - data.sentences[s]));
    }
    ++s;
  }
}

std::shared_ptr<TaggerData> make_data(const nb::sequence& sentences, const nb::object& labels) {
  auto data = std::make_shared<TaggerData>();
  Builder builder(*data);
  std::size_t s = 0;
  for (nb::handle sentence : sentences) builder.sentence(sentence, s++);
  if (labels.is_none()) return data;
  if (nb::len(labels) != s) {
    throw std::invalid_argument(fmt::format("y has {} sentences; X has {}", nb::len(labels), s));
  }
  add_labels(*data, labels);
  return data;
}

const Tagger& tagger_of(const Model& model) {
  const auto* tagger = std::get_if<Tagger>(&model.any);
  if (!tagger) throw nb::attribute_error("the model is no tagger");
  return *tagger;
}

// Tags of all tokens, as numbers in the tagger's labels.
Result<std::int32_t> tags_of(const Model& model, const TaggerData& data, int threads) {
  std::vector<std::int32_t> tags;
  {
    const nb::gil_scoped_release release;
    const Tagger& tagger = tagger_of(model);
    tags = TagPredictor(tagger).tag(renumber(data, tagger), threads);
  }
  const auto result = new_array<std::int32_t>({tags.size()});
  std::ranges::copy(tags, result.data());
  return result;
}

// ŷ_Ω for every token and label: the conditional random field's marginals, or the mean of SparseMAP's mixture.
void fill_marginals(const TagPredictor& predictor, const Tagger& tagger, const SentenceView& tokens,
                    std::span<double> mu, Workspace& scratch) {
  if (tagger.omega != TaggerOmega::sparsemap) {
    predictor.marginals(tokens, mu, scratch);
    return;
  }
  std::ranges::fill(mu, 0.0);
  Report report;
  for (const TagSequence& sequence : predictor.sparse(tokens, report, scratch)) {
    for (std::size_t t = 0; t < sequence.tags.size(); ++t) {
      mu[t * predictor.labels() + static_cast<std::size_t>(sequence.tags[t])] += sequence.weight;
    }
  }
}

Result<double> marginals_of(const Model& model, const TaggerData& data) {
  const Tagger& tagger = tagger_of(model);
  const std::size_t m = tagger.features.labels;
  const auto result = new_array<double>({data.tokens(), m});
  const nb::gil_scoped_release release;
  const TaggerData numbered = renumber(data, tagger);
  const TagPredictor predictor(tagger);
  for (std::size_t s = 0; s < numbered.sentence_count(); ++s) {
    const auto first = static_cast<std::size_t>(numbered.sentences[s]);
    const auto count = static_cast<std::size_t>(numbered.sentences[s + 1]) - first;
    if (count == 0) continue;
    fill_marginals(predictor, tagger, sentence(numbered, s), {result.data() + first * m, count * m},
                   thread_workspace());
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

FitRun make_tagger_run(const std::shared_ptr<TaggerData>& data, const FitOptions& options,
                       const TaggerFeatureOptions& features, const Model* start) {
  const nb::gil_scoped_release release;
  const TaggerFitOptions tagger{.features = features, .source = "lists"};
  return {make_fit(std::shared_ptr<const TaggerData>(data), options, tagger, start ? &start->any : nullptr)};
}

}  // namespace

void bind_taggers(nb::module_& module) {
  nb::class_<TaggerData>(module, "TaggerData", "Sentences of tokens with attributes, and labels if there are any.")
      .def_prop_ro("sentences",
                   [](const TaggerData& self) {
                     const auto result = new_array<std::int64_t>({self.sentences.size()});
                     std::ranges::copy(self.sentences, result.data());
                     return result;
                   },
                   nb::rv_policy::move)
      .def_prop_ro("tokens", &TaggerData::tokens);
  nb::class_<TaggerFeatureOptions>(module, "TaggerFeatureOptions", "Which weights a tagger has.")
      .def(nb::init<>())
      .def_rw("all_states", &TaggerFeatureOptions::all_states)
      .def_rw("all_transitions", &TaggerFeatureOptions::all_transitions)
      .def_rw("boundary", &TaggerFeatureOptions::boundary)
      .def_rw("min_count", &TaggerFeatureOptions::min_count);
  module.def("tagger_data", &make_data, "sentences"_a, "labels"_a.none() = nb::none());
  module.def("make_tagger_fit", &make_tagger_run, "data"_a, "options"_a, "features"_a, "start"_a.none() = nb::none());
  module.def("tagger_labels", [](const Model& model) { return tagger_of(model).labels.strings(); }, "model"_a);
  module.def("tagger_omega", [](const Model& model) { return std::string(to_string(tagger_of(model).omega)); },
             "model"_a);
  module.def("tag", &tags_of, "model"_a, "data"_a, "n_threads"_a = 1);
  module.def("tag_marginals", &marginals_of, "model"_a, "data"_a);
  module.def("tag_k_best", &k_best_of, "model"_a, "data"_a, "k"_a);
  module.def("tagger_weights", &weights_of, "model"_a);
}

}  // namespace fenchel::python
