// SPDX-License-Identifier: Apache-2.0
#include "fenchel/models/read_for.hpp"

#include <utility>
#include <variant>

#include "data/known_columns.hpp"

namespace fenchel {

TargetText target_text_for(Task task) {
  if (task == Task::label_ranking) return TargetText::order;
  return task == Task::classification ? TargetText::label : TargetText::automatic;
}

ReadOptions options_for(const AnyModel& model, ReadOptions options) {
  const ModelHead& head = head_of(model);
  options.features = std::visit(
      [](const auto& any) {
        if constexpr (requires { any.features(); }) return any.features();
        return std::size_t{0};
      },
      model);
  options.drop_beyond = true;
  fill_as_in_training(options, head.fill);
  options.known_format = head.format;
  name_as_in_training(options, head.feature_names, head.nominal, head.target);
  options.target_text = target_text_for(task_of(model));
  if (task_of(model) == Task::multilabel) options.known_labels = head.classes;
  if (options.index_base == IndexBase::automatic) {
    options.index_base = head.zero_based ? IndexBase::zero : IndexBase::one;
  }
  return options;
}

Reading read_for(const AnyModel& model, const Paths& paths, ReadOptions options) {
  return read_dataset(paths, options_for(model, std::move(options)));
}

}  // namespace fenchel
