// SPDX-License-Identifier: Apache-2.0
// The one place that says which kinds of models are for which kinds of data.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <variant>

#include "fenchel/core/dataset.hpp"
#include "fenchel/models/model_file.hpp"

namespace fenchel {

/// use(model) of the model's own type. Throws std::invalid_argument if rows meet a tagger, or sentences
/// another model.
template <class Result, class Data, class Use>
Result with_model_for(const AnyModel& model, const Use& use) {
  return std::visit(
      [&]<class Model>(const Model& one) -> Result {
        if constexpr (std::is_same_v<Model, Tagger> == std::is_same_v<Data, TaggerData>) {
          return use(one);
        } else {
          throw std::invalid_argument(std::is_same_v<Model, Tagger>
                                          ? "the model is a tagger; expected sentences"
                                          : "the model is not a tagger; expected rows");
        }
      },
      model);
}

}  // namespace fenchel
