// SPDX-License-Identifier: Apache-2.0
// Ω and its operations on rows: θ along the last axis, any leading axes, float32 or float64, the GIL
// released.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <span>
#include <string>

#include "bindings.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/polytopes/any.hpp"
#include "fenchel/regularizers/any.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "row_targets.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

template <class T>
Result<T> predict(const AnyRegularizer& omega, const Array<T>& theta, std::optional<Result<T>> out,
                  int threads) {
  const auto rows = rows_of("theta", theta);
  if (out) check_same_shape("out", *out, theta);
  const Result<T> result = out ? *out : new_array<T>(shape_of(theta));
  computed(omega, [&] {
    return FenchelYoungLoss(omega).predict(rows, rows_of(result, rows), options_of(theta, threads));
  });
  return result;
}

template <class T>
nb::tuple predict_csr(const AnyRegularizer& omega, const Array<T>& theta, int threads) {
  const auto rows = rows_of("theta", theta);
  CsrMatrix<T> sparse;
  {
    const GilRelease release;
    sparse = FenchelYoungLoss(omega).predict_csr(rows, options_of(theta, threads));
  }
  return nb::make_tuple(copied(sparse.values), copied(sparse.indices), copied(sparse.offsets),
                        nb::make_tuple(rows.rows(), rows.cols()));
}

template <class T>
Result<double> conjugate(const AnyRegularizer& omega, const Array<T>& theta, int threads) {
  const auto rows = rows_of("theta", theta);
  const auto result = new_array<double>(leading(shape_of(theta)));
  computed(omega, [&] {
    return FenchelYoungLoss(omega).conjugate(rows, {result.data(), rows.rows()}, options_of(theta, threads));
  });
  return result;
}

template <class T>
Result<T> jvp(const AnyRegularizer& omega, const Array<T>& theta, const Array<T>& v, int threads) {
  check_same_shape("v", v, theta);
  const auto rows = rows_of("theta", theta);
  const auto result = new_array<T>(shape_of(theta));
  computed(omega, [&] {
    return FenchelYoungLoss(omega).jvp(rows, rows_of("v", v), rows_of(result, rows),
                                       options_of(theta, threads));
  });
  return result;
}

template <class T>
Result<T> prox(const AnyRegularizer& omega, const Array<T>& eta, double tau, int threads) {
  const auto rows = rows_of("eta", eta);
  const auto result = new_array<T>(shape_of(eta));
  computed(omega, [&] {
    return FenchelYoungLoss(omega).prox(rows, tau, rows_of(result, rows), options_of(eta, threads));
  });
  return result;
}

Result<double> value(const AnyRegularizer& omega, const Array<double>& mu) {
  const auto rows = rows_of("mu", mu);
  const auto result = new_array<double>(leading(shape_of(mu)));
  const GilRelease release;
  const Domain domain = omega.refined_traits().domain;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    check_point("mu", rows.row(i), domain, mu.ndim() == 1 ? -1 : static_cast<std::ptrdiff_t>(i));
    omega.check_point("mu", rows.row(i));
    result.data()[i] = omega.value(rows.row(i));
  }
  return result;
}

// ∇Ω(μ) of every row, a subgradient where Ω has a kink.
Result<double> gradient(const AnyRegularizer& omega, const Array<double>& mu) {
  const auto rows = rows_of("mu", mu);
  const auto result = new_array<double>(shape_of(mu));
  const GilRelease release;
  const auto out = rows_of(result, rows);
  Workspace& scratch = thread_workspace();
  const Domain domain = omega.refined_traits().domain;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    check_point("mu", rows.row(i), domain, mu.ndim() == 1 ? -1 : static_cast<std::ptrdiff_t>(i));
    omega.check_point("mu", rows.row(i));
    const Workspace::Frame frame(scratch);
    omega.gradient(rows.row(i), out.row(i), scratch);
  }
  return result;
}

template <class T>
void bind_rows(nb::class_<AnyRegularizer>& omega) {
  omega
      .def("predict", &predict<T>, "theta"_a.noconvert(), "out"_a.none().noconvert() = nb::none(),
           "n_threads"_a = 1)
      .def("predict_csr", &predict_csr<T>, "theta"_a.noconvert(), "n_threads"_a = 1)
      .def("conjugate", &conjugate<T>, "theta"_a.noconvert(), "n_threads"_a = 1)
      .def("jvp", &jvp<T>, "theta"_a.noconvert(), "v"_a.noconvert(), "n_threads"_a = 1)
      .def("prox", &prox<T>, "eta"_a.noconvert(), "tau"_a, "n_threads"_a = 1);
}

// The natural shape of scores over structures; None where scores are plain vectors.
std::optional<nb::tuple> shape(const AnyRegularizer& omega) {
  const AnyPolytope* polytope = omega.polytope();
  if (!polytope) return std::nullopt;
  return extents_of(*polytope);
}

// Identifiers, where to_string(Domain) has mathematics.
const char* domain_name(Domain domain) {
  constexpr const char* names[] = {"reals", "simplex", "cube", "cone", "polytope"};
  return names[static_cast<std::size_t>(domain)];
}

}  // namespace

void bind_regularizers(nb::module_& module) {
  nb::class_<AnyRegularizer> omega(module, "Omega", "A regularizer, made from its name and parameters.");
  omega
      .def(
          "__init__",
          [](AnyRegularizer* self, const std::string& spec) {
            new (self) AnyRegularizer(make_regularizer(spec));
          },
          "spec"_a)
      .def_prop_ro("spec", [](const AnyRegularizer& self) { return to_json(self.spec()); })
      .def_prop_ro("name", [](const AnyRegularizer& self) { return std::string(self.refined_traits().name); })
      .def_prop_ro("domain",
                   [](const AnyRegularizer& self) { return domain_name(self.refined_traits().domain); })
      .def_prop_ro("strongly_convex",
                   [](const AnyRegularizer& self) { return self.refined_traits().strongly_convex; })
      .def_prop_ro("piecewise_linear",
                   [](const AnyRegularizer& self) { return self.refined_traits().piecewise_linear; })
      .def_prop_ro("entmax_order",
                   [](const AnyRegularizer& self) -> std::optional<double> {
                     const double order = self.refined_traits().entmax_order;
                     return order > 0 ? std::optional(order) : std::nullopt;
                   })
      .def_prop_ro("dimension", &AnyRegularizer::dimension)
      .def_prop_ro("shape", &shape)
      .def_prop_ro("strong_convexity", &AnyRegularizer::strong_convexity)
      .def_prop_ro("smoothness", &AnyRegularizer::smoothness)
      .def("value", &value, "mu"_a.noconvert())
      .def("gradient", &gradient, "mu"_a.noconvert());
  bind_rows<float>(omega);
  bind_rows<double>(omega);
  bind_addresses(omega);
}

}  // namespace fenchel::python
