// SPDX-License-Identifier: Apache-2.0
// The extension module fenchel._core; the package around it is the interface.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fenchel/version.hpp"

NB_MODULE(_core, module) {
  // Ω that torch or a cache keeps to the end of the program is no leak.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = FENCHEL_VERSION;
  fenchel::python::bind_regularizers(module);
  fenchel::python::bind_entmax(module);
  fenchel::python::bind_polytopes(module);
  fenchel::python::bind_custom(module);
  fenchel::python::bind_explain(module);
  fenchel::python::bind_ragged(module);
  fenchel::python::bind_soft(module);
}
