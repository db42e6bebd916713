// SPDX-License-Identifier: Apache-2.0
// α-entmax with an α for each row: the layer, its backward pass from ŷ, and the loss. All release the GIL.
#include <cstdint>
#include <span>

#include "bindings.hpp"
#include "fenchel/losses/entmax.hpp"
#include "row_targets.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

std::span<const double> span_of(const Array<double>& array) { return {array.data(), array.size()}; }

template <class T>
Result<T> entmax_rows(const Array<T>& theta, const Array<double>& alphas, int threads) {
  const auto rows = rows_of("theta", theta);
  const Result<T> result = new_array<T>(shape_of(theta));
  const GilRelease release;
  batch::entmax(rows, span_of(alphas), rows_of(result, rows),
                {.threads = threads, .one_vector = theta.ndim() == 1});
  return result;
}

template <class T>
nb::tuple entmax_backward(const Array<T>& prediction, const Array<double>& alphas, const Array<T>& v,
                          bool alpha_wanted, int threads) {
  const auto rows = rows_of("prediction", prediction);
  const Result<T> theta = new_array<T>(shape_of(prediction));
  const auto alpha = new_array<double>({alpha_wanted ? rows.rows() : 0});
  {
    const GilRelease release;
    batch::entmax_backward(rows, span_of(alphas), rows_of("v", v),
                           {rows_of(theta, rows), {alpha.data(), alpha.size()}}, {.threads = threads});
  }
  return nb::make_tuple(theta, alpha);
}

// Y: labels (int64), or T for rows like theta.
template <class T, class Y>
nb::tuple entmax_loss(const Array<T>& theta, const Array<Y>& y, const Array<double>& alphas,
                      bool alpha_wanted, int threads) {
  const auto rows = rows_of("theta", theta);
  const auto losses = new_array<double>({rows.rows()});
  const Result<T> gradient = new_array<T>(shape_of(theta));
  const auto alpha = new_array<double>({alpha_wanted ? rows.rows() : 0});
  {
    const GilRelease release;
    batch::entmax_loss(rows, span_of(alphas), targets_of(y, theta), {losses.data(), losses.size()},
                       {rows_of(gradient, rows), {alpha.data(), alpha.size()}},
                       {.threads = threads, .one_vector = theta.ndim() == 1});
  }
  return nb::make_tuple(losses, gradient, alpha);
}

template <class T>
void bind_rows(nb::module_& module) {
  module.def("entmax_rows", &entmax_rows<T>, "theta"_a.noconvert(), "alphas"_a.noconvert(),
             "n_threads"_a = 1);
  module.def("entmax_backward", &entmax_backward<T>, "prediction"_a.noconvert(), "alphas"_a.noconvert(),
             "v"_a.noconvert(), "alpha_wanted"_a = true, "n_threads"_a = 1);
  module.def("entmax_loss", &entmax_loss<T, std::int64_t>, "theta"_a.noconvert(), "y"_a.noconvert(),
             "alphas"_a.noconvert(), "alpha_wanted"_a = true, "n_threads"_a = 1);
  module.def("entmax_loss", &entmax_loss<T, T>, "theta"_a.noconvert(), "y"_a.noconvert(),
             "alphas"_a.noconvert(), "alpha_wanted"_a = true, "n_threads"_a = 1);
}

}  // namespace

void bind_entmax(nb::module_& module) {
  bind_rows<float>(module);
  bind_rows<double>(module);
}

}  // namespace fenchel::python
