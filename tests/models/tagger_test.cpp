// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/tagger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fenchel/polytopes/chain.hpp"
#include "fenchel/regularizers/all.hpp"
#include "models/attribute_index.hpp"
#include "training/problems_fixture.hpp"

namespace fenchel {
namespace {

Tagger random_tagger(const TaggerData& data, const TaggerFeatureOptions& options, double scale) {
  Tagger tagger;
  tagger.labels = data.label_names;
  tagger.attributes = data.attribute_names;
  tagger.features = tagger_features(data, options);
  tagger.parameters = test::random_weights(tagger.features.parameters(), scale, 17);
  tagger.templates = "U:%x[0,0]\n";
  tagger.provenance["data"] = "a \"quoted\" file";
  return tagger;
}

/// The distribution over sequences at temperature t, sorted by probability.
struct Enumerated {
  std::vector<TagSequence> sequences;
  double log_partition = 0;
};
Enumerated enumerate(const Tagger& tagger, const TaggerData& data, std::size_t s, double t) {
  Enumerated out;
  double top = -1e300;
  for (auto& y : test::all_sequences(test::labels_of(data, s).size(), tagger.features.labels)) {
    const double score = test::sequence_score(data, tagger.features, tagger.parameters, s, y) / t;
    out.sequences.push_back({std::move(y), score});
    top = std::max(top, score);
  }
  double z = 0;
  for (const TagSequence& one : out.sequences) z += std::exp(one.weight - top);
  out.log_partition = top + std::log(z);
  for (TagSequence& one : out.sequences) one.weight = std::exp(one.weight - out.log_partition);
  std::ranges::stable_sort(out.sequences, std::greater(), &TagSequence::weight);
  return out;
}

class TaggerPredictions : public testing::TestWithParam<double> {};

TEST_P(TaggerPredictions, AreThoseOfTheEnumeration) {
  Workspace scratch;
  for (const bool boundary : {false, true}) {
    for (const bool values : {false, true}) {
      const TaggerData data = test::random_tagging({.sentences = 8, .labels = 4, .values = values}, 21);
      const Tagger tagger = random_tagger(data, {.boundary = boundary}, GetParam());
      const double t = 0.8;
      const TagPredictor predictor(tagger, t);
      for (std::size_t s = 0; s < data.sentence_count(); ++s) {
        const Enumerated all = enumerate(tagger, data, s, t);
        const SentenceView view = sentence(data, s);
        const std::size_t n = view.tokens();
        std::vector<std::int32_t> tags(n);
        const double score = predictor.tag(view, tags, scratch);
        if (n > 0) {
          EXPECT_NEAR(std::exp(score - all.log_partition), all.sequences[0].weight, 1e-9);
          EXPECT_NEAR(score, test::sequence_score(data, tagger.features, tagger.parameters, s, tags) / t,
                      1e-12 * (1 + std::abs(score)));
        }
        std::vector<double> mu(n * 4);
        std::vector<double> expected(n * 4, 0.0);
        for (const TagSequence& one : all.sequences) {
          for (std::size_t k = 0; k < n; ++k)
            expected[k * 4 + static_cast<std::size_t>(one.tags[k])] += one.weight;
        }
        EXPECT_NEAR(predictor.marginals(view, mu, scratch), n == 0 ? 0 : all.log_partition,
                    1e-11 * (1 + std::abs(all.log_partition)));
        for (std::size_t k = 0; k < mu.size(); ++k) EXPECT_NEAR(mu[k], expected[k], 1e-9);
        EXPECT_NEAR(std::exp(predictor.log_probability(view, all.sequences.back().tags, scratch)),
                    all.sequences.back().weight, 1e-9);
        const auto best = predictor.k_best(view, 5, scratch);
        EXPECT_EQ(best.size(), n == 0 ? 0 : std::min<std::size_t>(5, all.sequences.size()));
        for (std::size_t k = 0; k < best.size(); ++k)
          EXPECT_NEAR(best[k].weight, all.sequences[k].weight, 1e-9);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, TaggerPredictions, testing::Values(0.0, 0.05, 1.0, 8.0, 1000.0));

TEST(Tagger, SparsePredictionIsAMixture) {
  const TaggerData data = test::random_tagging({.sentences = 5}, 5);
  const Tagger tagger = random_tagger(data, {}, 1);
  const TagPredictor predictor(tagger);
  Workspace scratch;
  for (std::size_t s = 0; s < data.sentence_count(); ++s) {
    Report report;
    const auto mixture = predictor.sparse(sentence(data, s), report, scratch);
    EXPECT_TRUE(report.converged());
    if (sentence(data, s).tokens() == 0) continue;
    double sum = 0;
    for (const TagSequence& one : mixture) sum += one.weight;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_TRUE(std::ranges::is_sorted(mixture, std::greater(), &TagSequence::weight));
  }
  // Far apart scores leave one sequence.
  Report report;
  const Tagger sure = random_tagger(data, {}, 1e4);
  std::vector<std::int32_t> tags(sentence(data, 0).tokens());
  const TagPredictor certain(sure);
  certain.tag(sentence(data, 0), tags, scratch);
  const auto one = certain.sparse(sentence(data, 0), report, scratch);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].tags, tags);
}

// The name of an Ω over structures, with an Ω inside where it takes one.
std::string chain_loss(const RegularizerEntry& entry) {
  const auto inner = std::ranges::find(entry.parameters, "omega", &ParameterEntry::type);
  if (inner == entry.parameters.end()) return std::string(entry.name);
  return R"({"name": ")" + std::string(entry.name) + R"(", ")" + std::string(inner->name) +
         R"(": {"name": "tsallis", "alpha": 1.5}})";
}

// Every Ω over structures that the list has, as a tagger names it, and some of them at another strength.
std::vector<std::string> every_chain_loss() {
  std::vector<std::string> texts{"hinge",
                                 "crf:temperature=5",
                                 "sparsemap:temperature=5",
                                 "sparsemap:temperature=0.2",
                                 "structured_sparsemax:k=2",
                                 "entropic:temperature=3"};
  for (const RegularizerEntry& entry : regularizer_list()) {
    if (entry.name == Bregman::traits.name) continue;  // refuses chains: they have no Bregman projections
    if (entry.examples.front().polytope()) texts.push_back(chain_loss(entry));
  }
  return texts;
}

TEST(Tagger, OutputsAreThoseOfItsLoss) {
  Workspace scratch;
  const TaggerData data = test::random_tagging({.sentences = 6, .labels = 3}, 9);
  for (const std::string& text : every_chain_loss()) {
    for (const bool boundary : {false, true}) {
      SCOPED_TRACE(text);
      Tagger tagger = random_tagger(data, {.boundary = boundary}, 1);
      tagger.loss = text;
      const TagPredictor predictor(tagger, 0.8);
      for (std::size_t s = 0; s < data.sentence_count(); ++s) {
        const SentenceView view = sentence(data, s);
        const std::size_t n = view.tokens();
        std::vector<double> mu(n * 3);
        EXPECT_TRUE(predictor.outputs(view, mu, scratch).converged() || text == "structured_sparsemax:k=2");
        if (n == 0) continue;
        std::vector<double> theta(Chain{n, 3, boundary}.dimension());
        predictor.scores(view, theta, scratch);
        const std::vector<double> expected = TaggingLoss{3, boundary}(text)(n).loss.predict(theta);
        for (std::size_t k = 0; k < mu.size(); ++k) EXPECT_NEAR(mu[k], expected[k], 1e-10);
      }
    }
  }
}

TEST(Tagger, MixtureIsThatOfTheLoss) {
  Workspace scratch;
  const TaggerData data = test::random_tagging({.sentences = 4, .labels = 3}, 9);
  Tagger tagger = random_tagger(data, {}, 3);
  for (const char* text : {"sparsemap", "sparsemap:temperature=4"}) {
    tagger.loss = text;
    const TagPredictor predictor(tagger);
    for (std::size_t s = 0; s < data.sentence_count(); ++s) {
      std::vector<double> mu(sentence(data, s).tokens() * 3);
      predictor.outputs(sentence(data, s), mu, scratch);
      Report report;
      for (const TagSequence& one : predictor.sparse(sentence(data, s), report, scratch)) {
        for (std::size_t t = 0; t < one.tags.size(); ++t)
          mu[t * 3 + static_cast<std::size_t>(one.tags[t])] -= one.weight;
      }
      for (const double rest : mu) EXPECT_NEAR(rest, 0, 1e-9) << text;
    }
  }
}

TEST(Tagger, AllSentencesAndUnknownAttributes) {
  const TaggerData data = test::random_tagging({.sentences = 200, .labels = 5}, 6);
  const Tagger tagger = random_tagger(data, {.all_states = true}, 1);
  const TagPredictor predictor(tagger);
  const auto tags = predictor.tag(data, 1);
  EXPECT_EQ(tags, predictor.tag(data, 2));
  TaggerData other = data;
  other.attribute_names = {};
  other.label_names = {};
  // The same names with other numbers, one of them unknown.
  other.attribute_names.add("unknown");
  for (std::size_t a = 0; a < data.attribute_names.size(); ++a) {
    other.attribute_names.add(data.attribute_names[static_cast<std::int32_t>(a)]);
  }
  for (std::int32_t& a : other.attributes) ++a;
  for (const char* label : {"new", "L0", "L1", "L2", "L3", "L4"}) other.label_names.add(label);
  for (std::int32_t& label : other.labels) ++label;
  other.labels[0] = 0;
  other.attributes.push_back(0);
  ++other.offsets.back();
  const TaggerData back = renumber(other, tagger);
  EXPECT_EQ(back.attributes, data.attributes);
  EXPECT_EQ(back.labels[0], -1);
  EXPECT_TRUE(std::equal(data.labels.begin() + 1, data.labels.end(), back.labels.begin() + 1));
  EXPECT_EQ(predictor.tag(back), tags);
}

TEST(Tagger, EncodesTokensAndNames) {
  AttributeBuilder builder(FeatureTemplates::parse("U:%x[0,0]\n"));
  const std::vector<std::string_view> cells{"a", "b"};
  const std::vector<std::string_view> labels{"X", "Y"};
  builder.add({cells, 1}, labels);
  const TaggerData data = builder.take();
  Tagger tagger = random_tagger(data, {}, 1);
  SentenceEncoder encoder(tagger, 1);
  const std::vector<std::string_view> seen{"b", "c", "a"};
  const SentenceView view = encoder.tokens({seen, 1});
  EXPECT_EQ(std::vector(view.attributes.begin(), view.attributes.end()),
            (std::vector<std::int32_t>{1, -1, 0}));
  const std::vector<std::string_view> names{"U:b", "nothing", "U:a"};
  const std::vector<std::size_t> offsets{0, 2, 3};
  const SentenceView named = encoder.attributes(names, offsets);
  EXPECT_EQ(named.tokens(), 2U);
  Workspace scratch;
  std::vector<std::int32_t> tags(2);
  EXPECT_NO_THROW(TagPredictor(tagger).tag(named, tags, scratch));
  tagger.templates.clear();
  EXPECT_THROW(SentenceEncoder(tagger).tokens({seen, 1}), std::invalid_argument);
}

TEST(AttributeIndex, FindsWhatTheTableHas) {
  StringTable table;
  const AttributeIndex empty(table);
  std::vector<std::string> names{"", "a", "12345678", "123456789", "U05:the/dog"};
  for (std::size_t k = 0; k < 500; ++k) names.push_back(test::numbered("w[0]=", k));
  for (const std::string& name : names) table.add(name);
  const AttributeIndex index(table);
  names.push_back("w[0]=500");
  names.push_back("b");
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<std::int32_t> ids(views.size());
  index.find(views, ids);
  for (std::size_t k = 0; k < views.size(); ++k) EXPECT_EQ(ids[k], table.find(views[k]));
  empty.find(std::span(views).first(3), std::span(ids).first(3));
  EXPECT_EQ(ids[0], -1);
}

TEST(Tagger, ColumnsComeBack) {
  const TaggerData data = test::random_tagging({.labels = 5}, 8);
  Tagger tagger = random_tagger(data, {}, 1), back;
  tagger.columns = 3;
  const TensorFile file = to_tensors(tagger);
  from_tensors(file, back);
  EXPECT_EQ(back.columns, 3U);
  EXPECT_EQ(back.provenance, tagger.provenance);
  // As older files have them: among the provenance.
  TensorFile old = file;
  old.metadata.erase("columns");
  old.metadata["provenance.columns"] = "4";
  from_tensors(old, back);
  EXPECT_EQ(back.columns, 4U);
  EXPECT_EQ(back.provenance, tagger.provenance);
  old.metadata.erase("provenance.columns");
  from_tensors(old, back);
  EXPECT_EQ(back.columns, 0U);
}

TEST(Tagger, WhatJoinsAttributesComesBack) {
  const TaggerData data = test::random_tagging({.labels = 5}, 8);
  Tagger tagger = random_tagger(data, {}, 1), back;
  for (const char joined_by : {':', '='}) {
    tagger.joined_by = joined_by;
    TensorFile file = to_tensors(tagger);
    from_tensors(file, back);
    EXPECT_EQ(back.joined_by, joined_by);
    // As older files have it: among the provenance, and before that nowhere.
    file.metadata.erase("joined_by");
    file.metadata["provenance.joined_by"] = joined_by;
    from_tensors(file, back);
    EXPECT_EQ(back.joined_by, joined_by);
    EXPECT_EQ(back.provenance, tagger.provenance);
    file.metadata.erase("provenance.joined_by");
    from_tensors(file, back);
    EXPECT_EQ(back.joined_by, '=');
    for (const std::string damaged : {"", "::", "-"}) {
      file.metadata["joined_by"] = damaged;
      EXPECT_THROW(from_tensors(file, back), std::invalid_argument) << damaged;
    }
  }
}

TEST(Tagger, DamagedColumnsAreRefused) {
  const TaggerData data = test::random_tagging({.labels = 5}, 8);
  const Tagger tagger = random_tagger(data, {}, 1);
  Tagger back;
  for (const std::string key : {"columns", "provenance.columns"}) {
    for (const std::string damaged : {"", "1", "-2", "2.5", "three", "3 ", "1e300", "nan"}) {
      TensorFile file = to_tensors(tagger);
      file.metadata.erase("columns");
      file.metadata[key] = damaged;
      EXPECT_THROW(from_tensors(file, back), std::invalid_argument) << key << " " << damaged;
    }
  }
}

TEST(Tagger, FingerprintsTellSentencesApart) {
  const TaggerData data = test::random_tagging({.labels = 5}, 8);
  EXPECT_TRUE(fingerprint(data).starts_with(std::to_string(data.sentence_count()) + " sentences, "));
  TaggerData other = data;
  EXPECT_EQ(fingerprint(other), fingerprint(data));
  other.labels[0] = (other.labels[0] + 1) % 5;
  EXPECT_NE(fingerprint(other), fingerprint(data));
}

TEST(Tagger, FileAndBack) {
  const TaggerData data = test::random_tagging({.labels = 5}, 8);
  for (const bool all : {false, true}) {
    Tagger tagger = random_tagger(data, {.all_states = all, .boundary = all}, 1);
    tagger.loss = "sparsemap";
    tagger.temperature = 0.1;
    Tagger back;
    from_tensors(to_tensors(tagger), back);
    EXPECT_EQ(back.loss, tagger.loss);
    EXPECT_EQ(back.temperature, tagger.temperature);
    EXPECT_EQ(back.labels, tagger.labels);
    EXPECT_EQ(back.attributes, tagger.attributes);
    EXPECT_EQ(back.parameters, tagger.parameters);
    EXPECT_EQ(back.features.states, tagger.features.states);
    EXPECT_EQ(back.features.transitions, tagger.features.transitions);
    EXPECT_EQ(back.features.boundary, all);
    EXPECT_EQ(back.templates, tagger.templates);
    EXPECT_EQ(back.provenance, tagger.provenance);
    Tagger broken = tagger;
    broken.parameters.pop_back();
    EXPECT_THROW(from_tensors(to_tensors(broken), back), std::invalid_argument);
  }
}

}  // namespace
}  // namespace fenchel
