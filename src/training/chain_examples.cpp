// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/chain_examples.hpp"

#include <algorithm>

#include "fenchel/core/check.hpp"

namespace fenchel {

ChainExamples::ChainExamples(const TaggerData& data, const TaggerFeatures& features,
                             const ChainObjectiveOptions& options)
    : data_(data),
      features_(features),
      loss_{options.omega, features.labels, features.boundary, options.cost} {
  data.check();
  features.check();
  check_size("labels", data.labels.size(), data.tokens());
  check_size("attribute_names", data.attribute_names.size(), features.attributes);
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    check_label("labels", data.labels[t], features.labels, static_cast<std::ptrdiff_t>(t));
  }
}

template <class Body>
void ChainExamples::for_each_state(std::size_t i, const Body& body) const {
  const std::size_t m = features_.labels;
  const auto begin = static_cast<std::size_t>(data_.sentences[i]);
  for (std::size_t t = 0; t < tokens(i); ++t) {
    const auto last = static_cast<std::size_t>(data_.offsets[begin + t + 1]);
    for (auto k = static_cast<std::size_t>(data_.offsets[begin + t]); k < last; ++k) {
      const auto a = static_cast<std::size_t>(data_.attributes[k]);
      const double x = data_.values.empty() ? 1 : static_cast<double>(data_.values[k]);
      for (std::size_t f = features_.state_begin(a); f < features_.state_begin(a + 1); ++f) {
        body(t * m + static_cast<std::size_t>(features_.label(f)), f, x);
      }
    }
  }
}

ParameterShape ChainExamples::shape() const {
  const std::size_t size = features_.parameters();
  return {size, size, 1};
}

std::size_t ChainExamples::scores_size(std::size_t i) const {
  return tokens(i) == 0 ? 0 : loss_.chain(tokens(i)).dimension();
}

void ChainExamples::scores(std::size_t i, std::span<const double> w, std::span<double> theta) const {
  if (theta.empty()) return;
  const std::size_t m = features_.labels;
  const std::size_t edges = tokens(i) * m;
  std::ranges::fill(theta.first(edges), 0.0);
  for_each_state(i, [&](std::size_t at, std::size_t weight, double x) { theta[at] += x * w[weight]; });
  features_.transition_scores(w, theta.subspan(edges, m * m));
  if (features_.boundary) std::ranges::copy(w.last(2 * m), theta.data() + edges + m * m);
}

void ChainExamples::add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const {
  if (r.empty()) return;
  const std::size_t m = features_.labels;
  const std::size_t edges = tokens(i) * m;
  for_each_state(i, [&](std::size_t at, std::size_t weight, double x) { w[weight] += scale * x * r[at]; });
  const std::span<double> transitions = w.subspan(features_.state_weights());
  for (std::size_t k = 0; k < features_.transitions.size(); ++k) {
    transitions[k] += scale * r[edges + static_cast<std::size_t>(features_.transitions[k])];
  }
  if (!features_.boundary) return;
  const std::span<double> boundary = w.last(2 * m);
  for (std::size_t k = 0; k < 2 * m; ++k) boundary[k] += scale * r[edges + m * m + k];
}

double ChainExamples::loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
                           Workspace& scratch) const {
  if (theta.empty()) return 0;
  Report report;
  return loss_(theta,
               std::span(data_.labels).subspan(static_cast<std::size_t>(data_.sentences[i]), tokens(i)),
               gradient, report, scratch);
}

}  // namespace fenchel
