// SPDX-License-Identifier: Apache-2.0
// The extension module fenchel._core; the package around it is the interface.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fenchel/version.hpp"

NB_MODULE(_core, module) {
  module.attr("__version__") = FENCHEL_VERSION;
  fenchel::python::bind_regularizers(module);
  fenchel::python::bind_entmax(module);
}
