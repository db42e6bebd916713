// SPDX-License-Identifier: Apache-2.0
#include "support/corpus_fit.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "fenchel/models/word_clusters.hpp"

namespace fenchel::cli {

std::unique_ptr<Fit> make_fit(const Corpus& corpus, const FitOptions& options) {
  if (const auto* rows = std::get_if<Dataset>(&corpus.data)) {
    return fenchel::make_fit(prepare(*rows, options), options);
  }
  return fenchel::make_fit(std::get<std::shared_ptr<const TaggerData>>(corpus.data), options);
}

void finish_model(AnyModel& model, const Corpus& corpus, double temperature) {
  std::visit(
      [&](auto& any) {
        any.temperature = temperature;
        any.target = corpus.target;
        if constexpr (requires { any.columns; }) {
          any.columns = corpus.columns;
        } else {
          any.zero_based = corpus.zero_based;
          any.format = corpus.format;
        }
      },
      model);
}

std::map<std::string, std::string> identity_of(const Corpus& corpus, const FitOptions& options) {
  std::map<std::string, std::string> result;
  for (auto& [name, value] : identity(options)) {
    std::string flag = name;
    std::ranges::replace(flag, '_', '-');
    result[flag] = std::move(value);
  }
  if (const auto* sentences = std::get_if<std::shared_ptr<const TaggerData>>(&corpus.data)) {
    // Templates by their text: a file may have changed. It stands in a line of a message.
    std::string& text = result["template"];
    for (const char letter : (*sentences)->templates) text += letter == '\n' ? "\\n" : std::string(1, letter);
    if (const auto& clusters = (*sentences)->clusters) result["clusters"] = fenchel::fingerprint(*clusters);
  }
  // Differences are told in the order of names: those of flags come first, since some of them change the data
  // too.
  result["training data"] = fingerprint(corpus);
  return result;
}

}  // namespace fenchel::cli
