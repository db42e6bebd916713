// SPDX-License-Identifier: Apache-2.0
// An Ω whose methods are written in Python. Callbacks take the GIL, so that they work on whatever thread C++
// calls them; what the user's class leaves out is derived as for a C++ type.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "callback.hpp"
#include "fenchel/regularizers/separable.hpp"
#include "fenchel/regularizers/smooth.hpp"
#include "fenchel/regularizers/smooth_over.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;
using Scores = std::span<const double>;
using Vector = std::span<double>;

// Which methods the user's class has.
struct Methods {
  bool predict = false, gradient = false, prox = false, jvp = false, margin = false;
};

// Differences give about nine digits, and every step of a search takes calls into Python.
constexpr double difference_tolerance = 1e-8;
constexpr double loose_residual = 1e-4;  // a search that stalls above this has not found the prediction
constexpr int most_steps = 20000;
constexpr int most_difference_steps = 2000;

struct PythonOmega {
  Callback self;
  std::string name;
  Domain domain = Domain::simplex;
  Methods has = {};
  std::optional<std::size_t> fixed_dimension = {};
  std::optional<double> convexity = {};

  static constexpr Traits traits{.name = "custom",
                                 .strongly_convex = false,
                                 .symmetric = false,
                                 .zero_at_vertices = false,
                                 .formula = "user-defined",
                                 .loss = "user-defined",
                                 .prediction = "user-defined"};
  Traits refined_traits() const {
    Traits refined = traits;
    refined.name = name;
    refined.domain = domain;
    refined.strongly_convex = convexity.has_value();
    return refined;
  }
  Spec spec() const { return {name, {}}; }
  std::optional<std::size_t> dimension() const { return fixed_dimension; }
  std::optional<double> strong_convexity() const { return convexity; }

  double value(Scores mu) const { return self.number("_value", mu); }
  void gradient(Scores mu, Vector out, Workspace& scratch) const {
    if (has.gradient) return self.vector("_gradient", out, mu);
    operations::gradient_by_differences([&](Scores at) { return value(at); }, mu, refined_traits(), out,
                                        scratch);
  }
  Report predict(Scores theta, Vector out, Workspace& scratch) const {
    if (!has.predict) return checked(smooth().predict(theta, out, scratch));
    self.vector("_predict", out, theta);
    return {};
  }
  Report prox(Scores eta, double tau, Vector out, Workspace& scratch) const {
    if (has.prox) {
      self.vector("_prox", out, eta, tau);
      return {};
    }
    if (!has.predict) return checked(smooth().prox(eta, tau, out, scratch));
    const auto value_at = [&](Scores at) { return value(at); };
    const auto predict_at = [&](Scores theta, Vector mu) { return predict(theta, mu, scratch); };
    const auto conjugate = [&](Scores theta, Vector mu) {
      return operations::conjugate_at(value_at, predict_at, theta, domain, mu, scratch);
    };
    return operations::prox_by_moreau(conjugate, eta, tau, out, scratch);
  }
  void jvp(Scores theta, Scores prediction, Scores v, Vector out, Workspace& scratch) const {
    if (has.jvp) return self.vector("_jvp", out, theta, prediction, v);
    jvp_by_differences([&](Scores at, Vector mu) { return predict(at, mu, scratch); }, theta, v, out,
                       scratch);
  }
  std::optional<double> margin(std::size_t d) const {
    if (has.margin) {
      const double given = self.number("_margin", d);
      return given < 0 ? std::nullopt : std::optional(given);
    }
    if (domain != Domain::simplex) return std::nullopt;
    return operations::margin_by_search([&](Scores at) { return value(at); }, d);
  }

  double value_and_gradient(Scores mu, Vector out) const {
    gradient(mu, out, thread_workspace());
    return value(mu);
  }

 protected:
  Smooth smooth() const {
    return {.function = [this](Scores mu, Vector out) { return value_and_gradient(mu, out); },
            .domain = domain,
            .solver = has.gradient ? FistaMinimizer{.max_iterations = most_steps}
                                   : FistaMinimizer{.tolerance = difference_tolerance,
                                                    .max_iterations = most_difference_steps}};
  }
  // Users of Python see no reports, so that they are warned.
  Report checked(const Report& report) const {
    const bool stuck = report.status == Status::stalled && !(report.residual < loose_residual);
    if (report.status != Status::max_iterations && !stuck) return report;
    const nb::gil_scoped_acquire gil;
    const std::string message =
        name + " has no predict method, and the search for its prediction did not converge (" +
        std::to_string(report.iterations) + " steps, residual " + std::to_string(report.residual) + ")";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1) != 0) throw nb::python_error();
    return report;
  }
};

// The same over conv(Y).
struct PythonOmegaOver : PythonOmega {
  AnyPolytope polytope;

  std::optional<std::size_t> dimension() const { return polytope.dimension(); }
  Report predict(Scores theta, Vector out, Workspace& scratch) const {
    return has.predict ? PythonOmega::predict(theta, out, scratch)
                       : checked(smooth_over().predict(theta, out, scratch));
  }
  Report prox(Scores eta, double tau, Vector out, Workspace& scratch) const {
    return has.prox || has.predict ? PythonOmega::prox(eta, tau, out, scratch)
                                   : checked(smooth_over().prox(eta, tau, out, scratch));
  }
  void jvp(Scores theta, Scores prediction, Scores v, Vector out, Workspace& scratch) const {
    if (has.jvp) return PythonOmega::jvp(theta, prediction, v, out, scratch);
    jvp_by_differences([&](Scores at, Vector mu) { return predict(at, mu, scratch); }, theta, v, out,
                       scratch);
  }
  std::optional<double> margin(std::size_t d) const {
    return has.margin ? PythonOmega::margin(d) : smooth_over().margin(d);
  }

 private:
  SmoothOver smooth_over() const {
    SmoothOver over{.function = [this](Scores mu, Vector out) { return value_and_gradient(mu, out); },
                    .polytope = polytope};
    over.solver.max_iterations = most_steps;
    if (!has.gradient) over.solver.tolerance = difference_tolerance;
    return over;
  }
};

static_assert(Regularizer<PythonOmega> && Regularizer<PythonOmegaOver>);

AnyRegularizer custom_omega(const nb::object& self, const std::string& name, const nb::object& domain,
                            std::optional<std::size_t> dimension, std::optional<double> convexity) {
  PythonOmega omega{Callback(self), name};
  omega.has = {has_method(self, "predict"), has_method(self, "gradient"), has_method(self, "prox"),
               has_method(self, "jvp"), has_method(self, "margin")};
  omega.fixed_dimension = dimension;
  omega.convexity = convexity;
  if (nb::isinstance<AnyPolytope>(domain)) {
    omega.domain = Domain::polytope;
    return PythonOmegaOver{omega, nb::cast<AnyPolytope>(domain)};
  }
  omega.domain = domain_of(nb::cast<std::string>(domain));
  return omega;
}

// Ω(p) = Σ g(p_j) on the simplex from scalar functions of Python.
AnyRegularizer separable_omega(const nb::object& self, bool has_inverse) {
  const Callback held(self);
  Separable omega{.g = [held](double p) { return held.number("_g", p); },
                  .g_prime = [held](double p) { return held.number("_g_prime", p); }};
  if (has_inverse) omega.inverse = [held](double x) { return held.number("_inverse", x); };
  return omega;
}

}  // namespace

Domain domain_of(const std::string& name) {
  constexpr std::array names{"reals", "simplex", "cube", "cone"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<Domain>(i);
  }
  throw std::invalid_argument("domain is '" + name + "'; expected simplex, cube, cone, reals, or a polytope");
}

void bind_custom(nb::module_& module) {
  module.def("custom_omega", &custom_omega, "self"_a, "name"_a, "domain"_a, "dimension"_a.none(),
             "strong_convexity"_a.none());
  module.def("separable_omega", &separable_omega, "self"_a, "has_inverse"_a);
  bind_custom_polytopes(module);
}

}  // namespace fenchel::python
