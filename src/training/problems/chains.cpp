// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/problems/chains.hpp"

#include <algorithm>

#include "fenchel/core/check.hpp"

namespace fenchel {

void check_problem(const ChainProblem& problem) {
  problem.data.check();
  problem.features.check();
  check_size("labels", problem.data.labels.size(), problem.data.tokens());
  check_size("label_names", problem.data.label_names.size(), problem.features.labels);
  check_size("attribute_names", problem.data.attribute_names.size(), problem.features.attributes);
  for (std::size_t t = 0; t < problem.data.tokens(); ++t) {
    check_label("labels", problem.data.labels[t], problem.features.labels, static_cast<std::ptrdiff_t>(t));
  }
}

Tagger make_tagger(const ChainProblem& problem, std::span<const double> parameters) {
  Tagger tagger;
  tagger.loss = problem.loss(1).text;
  tagger.losses = problem.loss;
  tagger.labels = problem.data.label_names;
  tagger.attributes = problem.data.attribute_names;
  tagger.features = problem.features;
  tagger.parameters.assign(parameters.begin(), parameters.end());
  tagger.templates = problem.data.templates;
  tagger.clusters = problem.data.clusters;
  tagger.check();
  return tagger;
}

std::vector<double> transfer_parameters(const Tagger& from, const TaggerData& data,
                                        const TaggerFeatures& features) {
  const TaggerFeatures& old = from.features;
  std::vector<std::int32_t> label(features.labels);
  for (std::size_t i = 0; i < label.size(); ++i) {
    label[i] = from.labels.find(data.label_names[static_cast<std::int32_t>(i)]);
  }
  std::vector<double> out(features.parameters(), 0.0);
  const auto label_of = [&](std::int32_t i) { return label[static_cast<std::size_t>(i)]; };
  for (std::size_t a = 0; a < features.attributes; ++a) {
    const std::int32_t known = from.attributes.find(data.attribute_names[static_cast<std::int32_t>(a)]);
    if (known < 0) continue;
    const std::size_t begin = old.state_begin(static_cast<std::size_t>(known));
    const std::size_t end = old.state_begin(static_cast<std::size_t>(known) + 1);
    for (std::size_t k = features.state_begin(a); k < features.state_begin(a + 1); ++k) {
      for (std::size_t other = begin; other < end; ++other) {
        if (old.label(other) == label_of(features.label(k))) out[k] = from.parameters[other];
      }
    }
  }
  const auto m = static_cast<std::int32_t>(features.labels);
  const auto old_m = static_cast<std::int32_t>(old.labels);
  for (std::size_t k = 0; k < features.transitions.size(); ++k) {
    const std::int32_t previous = label_of(features.transitions[k] / m);
    const std::int32_t next = label_of(features.transitions[k] % m);
    if (previous < 0 || next < 0) continue;
    const auto found = std::ranges::lower_bound(old.transitions, previous * old_m + next);
    if (found == old.transitions.end() || *found != previous * old_m + next) continue;
    out[features.state_weights() + k] =
        from.parameters[old.state_weights() + static_cast<std::size_t>(found - old.transitions.begin())];
  }
  if (!features.boundary || !old.boundary) return out;
  for (std::size_t i = 0; i < features.labels; ++i) {
    if (label[i] < 0) continue;
    const std::size_t place = old.boundary_begin() + static_cast<std::size_t>(label[i]);
    out[features.boundary_begin() + i] = from.parameters[place];
    out[features.boundary_begin() + features.labels + i] = from.parameters[place + old.labels];
  }
  return out;
}

}  // namespace fenchel
