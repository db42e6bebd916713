// SPDX-License-Identifier: Apache-2.0
#include "support/corpus.hpp"

#include <fmt/core.h>

namespace fenchel::cli {

Task kind_of(const Corpus& corpus) {
  return std::holds_alternative<Dataset>(corpus.data) ? Task::classification : Task::tagging;
}

void fail_for_memory(const Corpus& corpus) {
  std::string size;
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    size = fmt::format("{} rows and {} features", rows->rows(), rows->x.cols());
  } else {
    const TaggerData& sentences = *std::get<std::shared_ptr<const TaggerData>>(corpus.data);
    size = fmt::format("{} tokens and {} attributes", sentences.tokens(), sentences.attribute_names.size());
  }
  throw std::runtime_error(fmt::format(
      "{}: there is not enough memory to train on its {}; try --precision single, or fewer of them",
      corpus.source, size));
}

Evaluation evaluate(const AnyModel& model, const Corpus& corpus, int threads,
                    std::optional<double> temperature) {
  return visit(corpus,
               [&](const auto& data) { return fenchel::evaluate(model, data, temperature, threads); });
}

std::string fingerprint(const Corpus& corpus) {
  return visit(corpus, [](const auto& data) { return fenchel::fingerprint(data); });
}

}  // namespace fenchel::cli
