// SPDX-License-Identifier: Apache-2.0
// Certificates of models, and their verification (training/verify.hpp).
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>

#include "fenchel/core/option_error.hpp"
#include "fenchel/training/verify.hpp"
#include "training.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

nb::dict dictionary(const Verification& found) {
  nb::dict result;
  result["verified"] = found.verified;
  result["primal"] = found.primal;
  result["dual"] = found.dual;
  result["gap"] = found.gap;
  result["relative"] = found.relative;
  result["tolerance"] = found.tolerance;
  result["imbalance"] = found.imbalance;
  result["radius"] = found.radius;
  result["problems"] = found.problems;
  return result;
}

std::span<const double> span_of(const std::optional<Array<double>>& weights) {
  if (!weights) return {};
  return {weights->data(), weights->size()};
}

void check_certificate(const FitRun& run) {
  if (const auto reason = run.fit->refuses_certificate()) throw OptionError(*reason);
}

nb::dict certify_model(Model& model, const FitRun& run, const Features& x, const TaskTargets& targets,
                       const std::optional<Array<double>>& weights) {
  const Verification found = [&] {
    const GilRelease release;
    return certify(model.any, *run.fit, {x, targets, span_of(weights)});
  }();
  return dictionary(found);
}

nb::dict verify_model(const Model& model, const Features& x, const TaskTargets& targets,
                      const std::optional<Array<double>>& weights, std::optional<double> tolerance) {
  const Verification found = [&] {
    const GilRelease release;
    return verify(model.any, {x, targets, span_of(weights)}, tolerance);
  }();
  return dictionary(found);
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("check_certificate", &check_certificate, "fit"_a);
  module.def("certify", &certify_model, "model"_a, "fit"_a, "x"_a, "targets"_a,
             "weights"_a.none().noconvert());
  module.def("verify", &verify_model, "model"_a, "x"_a, "targets"_a, "weights"_a.none().noconvert(),
             "tolerance"_a.none());
}

}  // namespace fenchel::python
