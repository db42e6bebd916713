// SPDX-License-Identifier: Apache-2.0
#include "support/corpus.hpp"

namespace fenchel::cli {

Evaluation evaluate(const AnyModel& model, const Corpus& corpus, int threads,
                    std::optional<double> temperature) {
  return visit(corpus,
               [&](const auto& data) { return fenchel::evaluate(model, data, temperature, threads); });
}

std::string fingerprint(const Corpus& corpus) {
  return visit(corpus, [](const auto& data) { return fenchel::fingerprint(data); });
}

}  // namespace fenchel::cli
