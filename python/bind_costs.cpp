// SPDX-License-Identifier: Apache-2.0
// Costs c_y of a loss L_Ω(θ + c_y; y) (paper §3.4).
#include <cstddef>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "callback.hpp"
#include "fenchel/losses/cost.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

Cost fixed_cost(const Array<double>& costs) {
  return std::vector<double>(costs.data(), costs.data() + costs.size());
}

Cost cost_by_label(const Array<double>& costs) {
  const auto rows = rows_of("cost", costs);
  std::vector<std::vector<double>> by_label;
  for (std::size_t k = 0; k < rows.rows(); ++k) by_label.emplace_back(rows.row(k).begin(), rows.row(k).end());
  return by_label;
}

Cost cost_of_python(const nb::object& self) {
  return Cost([held = Callback(self)](std::span<const double> y, std::span<double> out) {
    held.vector("__call__", out, y);
  });
}

Cost hamming(const AnyRegularizer& omega, double scale) {
  const AnyPolytope* polytope = omega.polytope();
  if (!polytope)
    throw std::invalid_argument("cost is 'hamming'; expected an omega over structures, or 'zero_one'");
  return hamming_cost(*polytope, scale);
}

// c_y of every row.
Result<double> costs_at(const Cost& cost, const Array<double>& y) {
  const auto rows = rows_of("y", y);
  const auto result = new_array<double>(shape_of(y));
  for (std::size_t i = 0; i < rows.rows(); ++i) cost.write(rows.row(i), rows_of(result, rows).row(i));
  return result;
}

}  // namespace

void bind_costs(nb::module_& module) {
  nb::class_<Cost>(module, "Cost", "The costs of a loss.")
      .def(nb::init<>(), "none")
      .def_static("fixed", &fixed_cost, "costs"_a)
      .def_static("by_label", &cost_by_label, "costs"_a)
      .def_static("zero_one", &zero_one_cost)
      .def_static("hamming", &hamming, "omega"_a, "scale"_a)
      .def_static("of", &cost_of_python, "function"_a)
      .def("at", &costs_at, "y"_a);
}

}  // namespace fenchel::python
