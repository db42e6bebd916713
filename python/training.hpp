// SPDX-License-Identifier: Apache-2.0
// What the bindings of training share: features and models as Python holds them, a fit in progress.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "bindings.hpp"
#include "fenchel/core/dataset.hpp"
#include "fenchel/core/function_ref.hpp"
#include "fenchel/models/attributes.hpp"
#include "fenchel/models/feature_templates.hpp"
#include "fenchel/models/model_file.hpp"
#include "fenchel/training/fit.hpp"

namespace fenchel::python {

/// A model of any kind. A struct of its own, so that the variant inside is not taken apart.
struct Model {
  AnyModel any;
};

/// A fit and where it stands.
struct FitRun {
  std::unique_ptr<Fit> fit;
  StepReport last_step = {};

  /// Steps for about so many seconds, at least once; whether it is done.
  bool advance(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    if (!last_step.done) {
      last_step =
          run(fit->algorithm(), [&](const StepReport&, const Algorithm&) { return Clock::now() < end; });
    }
    return last_step.done;
  }
};

/// Keeps something of Python alive until C++ lets go of it, from whatever thread that is.
template <class T>
std::shared_ptr<const void> keep(T object) {
  return std::shared_ptr<const T>(new T(std::move(object)), [](const T* kept) {
    const nb::gil_scoped_acquire held;
    delete kept;
  });
}

/// Sentences of tokens with attributes; labels may be None.
std::shared_ptr<TaggerData> sentences_of(const nb::sequence& sentences, const nb::object& labels,
                                         char joined_by);
/// Sentences of tokens with columns, through templates that depend on how many there are: a token is a text,
/// or several. Also that number; 0 without tokens.
std::pair<std::shared_ptr<TaggerData>, std::size_t> token_sentences_of(
    const nb::sequence& sentences, const nb::object& labels,
    FunctionRef<FeatureTemplates(std::size_t columns)> templates);

void bind_features(nb::module_& module);
void bind_models(nb::module_& module);
void bind_training(nb::module_& module);
void bind_taggers(nb::module_& module);
void bind_verify(nb::module_& module);

}  // namespace fenchel::python
