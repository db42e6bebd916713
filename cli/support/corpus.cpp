// SPDX-License-Identifier: Apache-2.0
#include "support/corpus.hpp"

#include <fmt/core.h>

#include "support/standard_streams.hpp"

namespace fenchel::cli {

Task kind_of(const Corpus& corpus) {
  return std::holds_alternative<Dataset>(corpus.data) ? Task::classification : Task::tagging;
}

ModelFacts facts_of(const AnyModel& model) {
  if (const auto* tagger = std::get_if<Tagger>(&model))
    return {Task::tagging, tagger->loss, tagger->attributes.size()};
  const std::size_t features = std::visit(
      [](const auto& any) {
        if constexpr (requires { any.features(); }) return any.features();
        return std::size_t{0};
      },
      model);
  return {task_of(model), head_of(model).loss_name, features};
}

void tell_understood(const Corpus& corpus, const AnyModel& model) {
  for (const std::string& remark : corpus.remarks) tell(remark);
  const ModelFacts facts = facts_of(model);
  tell(fmt::format("the model is for {} with {} {}", to_string(facts.task), facts.features,
                   facts.task == Task::tagging ? "attributes" : "features"));
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
