// SPDX-License-Identifier: Apache-2.0
// The texts that explain an Ω or a set of structures.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "fenchel/losses/explain.hpp"
#include "fenchel/models/explain_loss.hpp"
#include "fenchel/polytopes/explain.hpp"

namespace fenchel::python {

using namespace nb::literals;

void bind_explain(nb::module_& module) {
  module.def(
      "explain", [](const AnyRegularizer& omega) { return explain(omega); }, "omega"_a);
  module.def(
      "explain", [](const AnyPolytope& polytope) { return explain(polytope); }, "polytope"_a);
  module.def(
      "explain_loss", [](const std::string& text) { return explain_loss(text); }, "text"_a);
  module.def(
      "explain_polytope", [](const std::string& text) { return explain_polytope(text); }, "text"_a);
  module.def("table_of_losses", &table_of_losses);
  module.def("table_of_polytopes", &table_of_polytopes);
}

}  // namespace fenchel::python
