// SPDX-License-Identifier: Apache-2.0
// The extension module fenchel._core; the package around it is the interface.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fenchel/version.hpp"
#include "training.hpp"

NB_MODULE(_core, module) {
  module.attr("__version__") = FENCHEL_VERSION;
  fenchel::python::bind_regularizers(module);
  fenchel::python::bind_features(module);
  fenchel::python::bind_models(module);
  fenchel::python::bind_training(module);
  fenchel::python::bind_taggers(module);
}
