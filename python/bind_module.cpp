// SPDX-License-Identifier: Apache-2.0
// The extension module fenchel._core; the package around it is the interface.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fenchel/version.hpp"
#include "training.hpp"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // objects that caches hold when Python ends are not leaks
  module.attr("version") = FENCHEL_VERSION;
  fenchel::python::translate_option_errors();
  fenchel::python::bind_lists(module);
  fenchel::python::bind_costs(module);
  fenchel::python::bind_regularizers(module);
  fenchel::python::bind_losses(module);
  fenchel::python::bind_divergences(module);
  fenchel::python::bind_entmax(module);
  fenchel::python::bind_polytopes(module);
  fenchel::python::bind_custom(module);
  fenchel::python::bind_combinations(module);
  fenchel::python::bind_explain(module);
  fenchel::python::bind_ragged(module);
  fenchel::python::bind_soft(module);
  fenchel::python::bind_projections(module);
  fenchel::python::bind_features(module);
  fenchel::python::bind_models(module);
  fenchel::python::bind_training(module);
  fenchel::python::bind_verify(module);
  fenchel::python::bind_taggers(module);
  fenchel::python::bind_treebanks(module);
  fenchel::python::bind_foreign(module);
}
