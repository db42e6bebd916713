// SPDX-License-Identifier: Apache-2.0
// Ω made of others or of functions of Python: sums (paper §2.3), restrictions to a set (§3.2), and the Ω of
// any loss of labels (appendix A.2).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <span>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "callback.hpp"
#include "fenchel/losses/fenchel_youngization.hpp"
#include "fenchel/regularizers/restriction.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

AnyRegularizer sum_omega(const AnyRegularizer& psi, const AnyRegularizer& phi) { return Sum{psi, phi}; }

AnyRegularizer restricted_omega(const nb::object& self, const AnyRegularizer& psi,
                                const std::string& domain) {
  const auto project = [held = Callback(self)](std::span<double> point) {
    held.vector("_project", point, std::span<const double>(point));
  };
  return Restriction{psi, project, domain_of(domain)};
}

// The losses that the paper speaks of, by name.
LabelLoss named_label_loss(const std::string& name) {
  const std::array<std::pair<const char*, MarginFunction>, 3> functions{
      {{"hinge", hinge_function()},
       {"smoothed_hinge", smoothed_hinge_function()},
       {"squared_hinge", squared_hinge_function()}}};
  if (name == "zero_one") return zero_one_loss();
  for (const auto& [function, phi] : functions) {
    if (name == std::string("pairwise_") + function) return pairwise_loss(phi);
    if (name == std::string("one_sided_") + function) return one_sided_loss(phi);
  }
  throw std::invalid_argument(
      "loss is '" + name +
      "'; expected zero_one, or pairwise_ or one_sided_ before hinge, smoothed_hinge or "
      "squared_hinge, or a function of theta and k");
}

struct YoungizedOptions {
  bool sum_to_zero, convex, strictly_concave;
  double tolerance;
};

AnyRegularizer youngized(LabelLoss loss, const YoungizedOptions& options) {
  return FenchelYoungized{.loss = std::move(loss),
                          .sum_to_zero = options.sum_to_zero,
                          .tolerance = options.tolerance,
                          .convex = options.convex,
                          .strictly_concave = options.strictly_concave};
}

AnyRegularizer youngized_omega(const nb::object& self, const YoungizedOptions& options) {
  return youngized(
      [held = Callback(self)](std::span<const double> theta, std::size_t k, std::span<double> gradient) {
        return gradient.empty() ? held.number("_loss_value", theta, k)
                                : held.vector_and_number("_loss_gradient", gradient, theta, k);
      },
      options);
}

}  // namespace

void bind_combinations(nb::module_& module) {
  nb::class_<YoungizedOptions>(module, "YoungizedOptions", "What is known of a loss of labels.")
      .def(nb::init<bool, bool, bool, double>(), "sum_to_zero"_a, "convex"_a, "strictly_concave"_a,
           "tolerance"_a);
  module.def("sum_omega", &sum_omega, "psi"_a, "phi"_a);
  module.def("restricted_omega", &restricted_omega, "self"_a, "psi"_a, "domain"_a);
  module.def(  // before the one that takes any object
      "youngized_omega",
      [](const std::string& name, const YoungizedOptions& options) {
        YoungizedOptions known = options;
        known.convex = options.convex || name != "zero_one";  // the hinges are
        return youngized(named_label_loss(name), known);
      },
      "name"_a, "options"_a);
  module.def("youngized_omega", &youngized_omega, "self"_a, "options"_a);
}

}  // namespace fenchel::python
