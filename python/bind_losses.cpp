// SPDX-License-Identifier: Apache-2.0
// L_Ω(θ + c_y; y) on rows, of an Ω and the costs that it is trained with: θ along the last axis, any leading
// axes, float32 or float64, the GIL released.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "bindings.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "row_targets.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

// Y: labels (int64), or T for rows like theta.
template <class T, class Y>
Result<double> loss_values(const FenchelYoungLoss& loss, const Array<T>& theta, const Array<Y>& y,
                           int threads) {
  const auto rows = rows_of("theta", theta);
  const Targets<T> targets = targets_of(y, theta);
  const auto result = new_array<double>(leading(shape_of(theta)));
  computed(loss.omega(), [&] {
    return loss.value(rows, targets, {result.data(), rows.rows()}, options_of(theta, threads)).report;
  });
  return result;
}

template <class T, class Y>
nb::tuple values_and_gradient(const FenchelYoungLoss& loss, const Array<T>& theta, const Array<Y>& y,
                              int threads) {
  const auto rows = rows_of("theta", theta);
  const Targets<T> targets = targets_of(y, theta);
  const auto losses = new_array<double>(leading(shape_of(theta)));
  const auto gradient = new_array<T>(shape_of(theta));
  computed(loss.omega(), [&] {
    return loss
        .value_and_gradient(rows, targets, {losses.data(), rows.rows()}, rows_of(gradient, rows),
                            options_of(theta, threads))
        .report;
  });
  return nb::make_tuple(losses, gradient);
}

template <class T, class Y>
void bind_values(nb::class_<FenchelYoungLoss>& loss) {
  loss.def("value", &loss_values<T, Y>, "theta"_a.noconvert(), "y"_a.noconvert(), "n_threads"_a = 1)
      .def("value_and_gradient", &values_and_gradient<T, Y>, "theta"_a.noconvert(), "y"_a.noconvert(),
           "n_threads"_a = 1);
}

}  // namespace

void bind_losses(nb::module_& module) {
  nb::class_<FenchelYoungLoss> loss(module, "Loss", "An omega and the costs that are added to the scores.");
  // Every call from NumPy makes one; with names of arguments it takes a third longer.
  loss.def(nb::init<const AnyRegularizer&>())
      .def(nb::init<const AnyRegularizer&, const Cost&>())
      .def("margin", &FenchelYoungLoss::margin, "d"_a);
  bind_values<float, std::int64_t>(loss);
  bind_values<float, float>(loss);
  bind_values<double, std::int64_t>(loss);
  bind_values<double, double>(loss);
}

}  // namespace fenchel::python
