// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/tagger.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/polytopes/chain.hpp"
#include "fenchel/regularizers/sparsemap.hpp"
#include "kernels/chain_tagging.hpp"
#include "models/attribute_index.hpp"
#include "models/chain_layout.hpp"
#include "models/loss_checks.hpp"

namespace fenchel {
namespace {

constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

/// An attribute with this share of the labels gets a row.
constexpr std::size_t row_share = 4;

/// Sentences that a thread takes at a time.
constexpr std::size_t sentence_block = 64;

/// Rows and single weights of a sentence's tokens.
struct SentenceFeatures {
  std::vector<std::int64_t> row_offsets;
  std::vector<std::uint32_t> rows;
  std::vector<float> row_values;
  std::vector<std::int64_t> single_offsets;
  std::vector<kernels::SingleFeature> singles;
  std::vector<float> single_values;

  void clear() {
    row_offsets.assign(1, 0);
    single_offsets.assign(1, 0);
    rows.clear();
    row_values.clear();
    singles.clear();
    single_values.clear();
  }
  void close_token() {
    row_offsets.push_back(static_cast<std::int64_t>(rows.size()));
    single_offsets.push_back(static_cast<std::int64_t>(singles.size()));
  }
};

std::vector<std::int32_t> tags_of(const Chain& chain, const Structure& y) {
  const std::vector<int> tags = chain.tags(y);
  return {tags.begin(), tags.end()};
}

void check_tokens(const SentenceView& sentence, std::size_t size, std::size_t expected) {
  if (sentence.offsets.empty()) throw std::invalid_argument("a sentence needs offsets, one more than tokens");
  check_size("attributes", sentence.attributes.size(),
             static_cast<std::size_t>(sentence.offsets.back() - sentence.offsets.front()));
  check_size("out", size, expected);
}

}  // namespace

void Tagger::check() const {
  features.check();
  check_size("labels", labels.size(), features.labels);
  check_size("attributes", attributes.size(), features.attributes);
  check_size("parameters", parameters.size(), features.parameters());
  check_finite("parameters", std::span<const double>(parameters));
  check_greater("temperature", temperature, 0);
  check_finite("temperature", temperature);
  if (joined_by != ':' && joined_by != '=') {
    throw std::invalid_argument(fmt::format("joined_by is '{}'; expected : or =", joined_by));
  }
  const bool reads_clusters = templates.find("%cluster[") != std::string::npos;
  if (clusters || reads_clusters) templates_of(*this, std::max<std::size_t>(columns, 2) - 1);
}

LossOfSize loss_of(const Tagger& tagger) {
  if (tagger.losses) return tagger.losses;
  return TaggingLoss{tagger.features.labels, tagger.features.boundary}(tagger.loss);
}

TaggerData renumber(const TaggerData& data, const Tagger& tagger) {
  data.check();
  std::vector<std::int32_t> number(data.attribute_names.size());
  for (std::size_t a = 0; a < number.size(); ++a) {
    number[a] = tagger.attributes.find(data.attribute_names[static_cast<std::int32_t>(a)]);
  }
  TaggerData out;
  out.sentences = data.sentences;
  out.attribute_names = tagger.attributes;
  out.label_names = tagger.labels;
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    for (auto k = static_cast<std::size_t>(data.offsets[t]);
         k < static_cast<std::size_t>(data.offsets[t + 1]); ++k) {
      const std::int32_t a = number[static_cast<std::size_t>(data.attributes[k])];
      if (a < 0) continue;
      out.attributes.push_back(a);
      if (!data.values.empty()) out.values.push_back(data.values[k]);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.attributes.size()));
  }
  for (const std::int32_t label : data.labels) {
    out.labels.push_back(label < 0 ? -1 : tagger.labels.find(data.label_names[label]));
  }
  return out;
}

SentenceView sentence(const TaggerData& data, std::size_t s) {
  const auto first = static_cast<std::size_t>(data.sentences[s]);
  const auto count = static_cast<std::size_t>(data.sentences[s + 1]) - first;
  const std::span<const std::int64_t> offsets = std::span(data.offsets).subspan(first, count + 1);
  const auto begin = static_cast<std::size_t>(offsets.front());
  const auto size = static_cast<std::size_t>(offsets.back()) - begin;
  SentenceView view{offsets, std::span(data.attributes).subspan(begin, size)};
  if (!data.values.empty()) view.values = std::span(data.values).subspan(begin, size);
  return view;
}

// A tagger keeps its templates as text, those of a preset by its name.
FeatureTemplates templates_of(const Tagger& tagger, std::size_t columns) {
  return tagger.templates.find('%') == std::string::npos
             ? FeatureTemplates::preset(tagger.templates, columns, tagger.clusters)
             : FeatureTemplates::parse(tagger.templates, "templates of the model", tagger.clusters);
}

SentenceEncoder::SentenceEncoder(const Tagger& tagger, std::size_t columns)
    : tagger_(tagger), index_(std::make_unique<AttributeIndex>(tagger.attributes)) {
  if (!tagger.templates.empty()) templates_ = templates_of(tagger, columns);
}

SentenceEncoder::~SentenceEncoder() = default;

SentenceView SentenceEncoder::tokens(const TokenGrid& grid) {
  if (tagger_.templates.empty()) {
    throw std::invalid_argument("the tagger was trained on attributes and has no templates for tokens");
  }
  templates_.expand(grid, expanded_);
  return attributes(expanded_.attributes, expanded_.offsets);
}

SentenceView SentenceEncoder::attributes(std::span<const std::string_view> names,
                                         std::span<const std::size_t> offsets) {
  attributes_.resize(names.size());
  index_->find(names, attributes_);
  offsets_.resize(offsets.size());
  for (std::size_t t = 0; t < offsets.size(); ++t) offsets_[t] = static_cast<std::int64_t>(offsets[t]);
  return {offsets_, attributes_};
}

TagPredictor::TagPredictor(const Tagger& tagger, double temperature)
    : tagger_(tagger),
      losses_(loss_of(tagger)),
      scale_(1 / temperature),
      width_(kernels::tagging_width(tagger.features.labels)) {
  tagger.check();
  check_greater("temperature", temperature, 0);
  const TaggerFeatures& features = tagger.features;
  const std::size_t m = features.labels;
  rows_.assign(features.attributes, no_row);
  std::uint32_t rows = 0;
  for (std::size_t a = 0; a < features.attributes; ++a) {
    const std::size_t begin = features.state_begin(a);
    const std::size_t end = features.state_begin(a + 1);
    if (row_share * (end - begin) < m) continue;
    rows_[a] = rows++;
    row_weights_.resize(rows * width_, 0.0);
    double* row = row_weights_.data() + (rows - 1) * width_;
    for (std::size_t k = begin; k < end; ++k) row[features.label(k)] = tagger.parameters[k];
  }
  transitions_.resize(m * m);
  features.transition_scores(tagger.parameters, transitions_);
  for (double& score : transitions_) score *= scale_;
  edges_ = std::make_unique<kernels::TaggingEdges>(m);
  kernels::prepare_edges(transitions_, *edges_);
}

TagPredictor::~TagPredictor() = default;

std::span<double> TagPredictor::state_scores(const SentenceView& sentence, Workspace& scratch) const {
  thread_local SentenceFeatures lists;
  lists.clear();
  const TaggerFeatures& features = tagger_.features;
  const bool scaled = !sentence.values.empty();
  const std::size_t n = sentence.tokens();
  for (std::size_t t = 0; t < n; ++t) {
    const auto first = static_cast<std::size_t>(sentence.offsets[t] - sentence.offsets[0]);
    const auto last = static_cast<std::size_t>(sentence.offsets[t + 1] - sentence.offsets[0]);
    for (std::size_t k = first; k < last; ++k) {
      if (sentence.attributes[k] < 0) continue;
      const auto a = static_cast<std::size_t>(sentence.attributes[k]);
      if (rows_[a] != no_row) {
        lists.rows.push_back(rows_[a]);
        if (scaled) lists.row_values.push_back(sentence.values[k]);
        continue;
      }
      for (std::size_t f = features.state_begin(a); f < features.state_begin(a + 1); ++f) {
        lists.singles.push_back(
            {static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(features.label(f))});
        if (scaled) lists.single_values.push_back(sentence.values[k]);
      }
    }
    lists.close_token();
  }
  const std::span<double> theta = scratch.take<double>(n * width_);
  kernels::token_scores({width_, lists.row_offsets, lists.rows, lists.row_values, lists.single_offsets,
                         lists.singles, lists.single_values},
                        {0, n}, row_weights_, tagger_.parameters, theta);
  if (scale_ != 1) {
    for (double& score : theta) score *= scale_;
  }
  if (features.boundary && n > 0) {
    const double* start = tagger_.parameters.data() + features.boundary_begin();
    for (std::size_t i = 0; i < features.labels; ++i) {
      theta[i] += scale_ * start[i];
      theta[(n - 1) * width_ + i] += scale_ * start[features.labels + i];
    }
  }
  return theta;
}

double TagPredictor::tag(const SentenceView& sentence, std::span<std::int32_t> tags,
                         Workspace& scratch) const {
  check_tokens(sentence, tags.size(), sentence.tokens());
  if (tags.empty()) return 0;
  const Workspace::Frame frame(scratch);
  return kernels::tagging_best(*edges_, state_scores(sentence, scratch), tags, scratch);
}

std::vector<std::int32_t> TagPredictor::tag(const TaggerData& data, int threads) const {
  check_size("attribute_names", data.attribute_names.size(), tagger_.features.attributes);
  std::vector<std::int32_t> tags(data.tokens());
  for_each_block(data.sentence_count(), sentence_block, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first; s < last; ++s) {
      const auto begin = static_cast<std::size_t>(data.sentences[s]);
      const auto count = static_cast<std::size_t>(data.sentences[s + 1]) - begin;
      tag(fenchel::sentence(data, s), std::span(tags).subspan(begin, count), thread_workspace());
    }
  });
  return tags;
}

void TagPredictor::scores(const SentenceView& sentence, std::span<double> theta, Workspace& scratch) const {
  const TaggerFeatures& features = tagger_.features;
  const std::size_t n = sentence.tokens();
  const std::size_t m = features.labels;
  const Chain chain{n, m, features.boundary};
  check_tokens(sentence, theta.size(), chain.dimension());
  const Workspace::Frame frame(scratch);
  const std::span<const double> states = state_scores(sentence, scratch);
  for (std::size_t t = 0; t < n; ++t) std::copy_n(states.data() + t * width_, m, theta.data() + t * m);
  std::ranges::copy(transitions_, theta.data() + n * m);
  if (!features.boundary) return;
  double* boundary = theta.data() + n * m + m * m;
  for (std::size_t i = 0; i < 2 * m; ++i)
    boundary[i] = scale_ * tagger_.parameters[features.boundary_begin() + i];
  for (std::size_t i = 0; i < m; ++i) {
    theta[i] -= boundary[i];
    theta[(n - 1) * m + i] -= boundary[m + i];
  }
}

double TagPredictor::marginals(const SentenceView& sentence, std::span<double> mu, Workspace& scratch) const {
  const std::size_t n = sentence.tokens();
  const std::size_t m = labels();
  check_tokens(sentence, mu.size(), n * m);
  if (n == 0) return 0;
  const Workspace::Frame frame(scratch);
  const std::span<double> states = state_scores(sentence, scratch);
  const std::span<double> counts = scratch.take<double>(m * width_);
  std::ranges::fill(counts, 0.0);
  if (const auto log_partition = kernels::tagging_marginals(*edges_, states, counts, scratch)) {
    for (std::size_t t = 0; t < n; ++t) std::copy_n(states.data() + t * width_, m, mu.data() + t * m);
    return *log_partition;
  }
  const Chain chain{n, m, tagger_.features.boundary};
  const std::span<double> theta = scratch.take<double>(chain.dimension());
  const std::span<double> all = scratch.take<double>(chain.dimension());
  scores(sentence, theta, scratch);
  const double log_partition = chain.marginals(theta, all, scratch);
  std::copy_n(all.data(), n * m, mu.data());
  return log_partition;
}

double TagPredictor::log_probability(const SentenceView& sentence, std::span<const std::int32_t> tags,
                                     Workspace& scratch) const {
  const std::size_t m = labels();
  check_tokens(sentence, tags.size(), sentence.tokens());
  for (std::size_t t = 0; t < tags.size(); ++t) {
    check_label("tags", tags[t], m, static_cast<std::ptrdiff_t>(t));
  }
  if (tags.empty()) return 0;
  const Workspace::Frame frame(scratch);
  const double score = kernels::sequence_score(*edges_, state_scores(sentence, scratch), tags);
  const std::span<double> mu = scratch.take<double>(tags.size() * m);
  return score - marginals(sentence, mu, scratch);
}

std::vector<TagSequence> TagPredictor::k_best(const SentenceView& sentence, std::size_t k,
                                              Workspace& scratch) const {
  const std::size_t n = sentence.tokens();
  if (n == 0 || k == 0) return {};
  const Chain chain{n, labels(), tagger_.features.boundary};
  const Workspace::Frame frame(scratch);
  const std::span<double> theta = scratch.take<double>(chain.dimension());
  scores(sentence, theta, scratch);
  std::vector<Structure> best;
  chain.k_best(theta, k, best, scratch);
  const double log_partition = chain.log_partition(theta, scratch);
  std::vector<TagSequence> out;
  out.reserve(best.size());
  for (const Structure& y : best) out.push_back({tags_of(chain, y), std::exp(dot(y, theta) - log_partition)});
  return out;
}

Report TagPredictor::outputs(const SentenceView& sentence, std::span<double> out, Workspace& scratch) const {
  const std::size_t n = sentence.tokens();
  check_tokens(sentence, out.size(), n * labels());
  if (n == 0) return {};
  const FenchelYoungLoss own = loss(n);
  const ChainLayout layout = ChainLayout::of(own, n, labels(), tagger_.features.boundary);
  check_loss_of_size(own, "tokens", n, layout.dimension(n));
  if (is_random_field(own.omega())) {
    marginals(sentence, out, scratch);
    return {};
  }
  const Workspace::Frame frame(scratch);
  const std::span<double> theta = scratch.take<double>(layout.chain(n).dimension());
  const std::span<double> mu = scratch.take<double>(layout.dimension(n));
  scores(sentence, theta, scratch);
  layout.expand(n, theta, mu);
  const Report report = own.predict(std::span<const double>(mu), mu);
  layout.contract(n, mu, theta);
  std::copy_n(theta.data(), out.size(), out.data());
  return report;
}

std::vector<TagSequence> TagPredictor::sparse(const SentenceView& sentence, Report& report,
                                              Workspace& scratch) const {
  const std::size_t n = sentence.tokens();
  if (n == 0) return {};
  const FenchelYoungLoss own = loss(n);
  const ChainLayout layout = ChainLayout::of(own, n, labels(), tagger_.features.boundary);
  check_loss_of_size(own, "tokens", n, layout.dimension(n));
  const Workspace::Frame frame(scratch);
  const std::span<double> theta = scratch.take<double>(layout.chain(n).dimension());
  const std::span<double> mu = scratch.take<double>(layout.dimension(n));
  scores(sentence, theta, scratch);
  const double ridge = own.omega().ridge().value_or(0);
  if (ridge > 0) {
    for (double& score : theta) score /= ridge;
  }
  const std::span<double> expanded = scratch.take<double>(mu.size());
  layout.expand(n, theta, expanded);
  Mixture mixture;
  const AnyPolytope* sequences = own.omega().polytope();  // those that constraints of one's own leave
  report = SparseMap{sequences ? *sequences : layout.chain(n)}.mixture(expanded, mixture, mu, scratch);
  std::vector<TagSequence> out;
  for (std::size_t k = 0; k < mixture.size(); ++k) {
    if (mixture.weights[k] > 0) out.push_back({layout.tags(n, mixture.structures[k]), mixture.weights[k]});
  }
  std::ranges::stable_sort(out, std::greater(), &TagSequence::weight);
  return out;
}

}  // namespace fenchel
