// SPDX-License-Identifier: Apache-2.0
// Operations on rows that are given by their addresses: what tensors of torch use. On a row of ten, making an
// array of Python for each argument would cost more than the operation. Callers vouch for contiguous memory
// of the right size.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "bindings.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/regularizers/any.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

/// Rows of float or double somewhere in memory.
struct Place {
  std::uintptr_t address;
  std::size_t rows;
  std::size_t columns;

  template <class T>
  MatrixView<T> view() const {
    return {reinterpret_cast<T*>(address), rows, columns};  // NOLINT(performance-no-int-to-ptr)
  }
};

template <class T>
Report predict(const AnyRegularizer& omega, const Place& theta, std::uintptr_t out,
               const BatchOptions& options) {
  return FenchelYoungLoss(omega).predict(theta.view<const T>(),
                                         Place{out, theta.rows, theta.columns}.view<T>(), options);
}

template <class T>
BatchLoss total(const AnyRegularizer& omega, const Place& theta, std::span<const std::int64_t> labels,
                std::uintptr_t gradient, const BatchOptions& options) {
  return FenchelYoungLoss(omega).value_and_gradient(theta.view<const T>(), Targets<T>(labels), {},
                                                    Place{gradient, theta.rows, theta.columns}.view<T>(),
                                                    options);
}

}  // namespace

void bind_addresses(nb::class_<AnyRegularizer>& omega) {
  omega
      .def(
          "predict_at",
          [](const AnyRegularizer& self, std::uintptr_t theta, std::uintptr_t out, std::size_t rows,
             std::size_t columns, bool single, int threads) {
            const BatchOptions options{.threads = threads, .one_vector = rows == 1};
            computed(self, [&] {
              return (single ? predict<float> : predict<double>)(self, {theta, rows, columns}, out, options);
            });
          },
          "theta"_a, "out"_a, "rows"_a, "columns"_a, "single"_a, "n_threads"_a,
          "predict of contiguous rows of float (single) or double at an address")
      .def(
          "total_at",
          [](const AnyRegularizer& self, std::uintptr_t theta, std::uintptr_t labels, std::uintptr_t gradient,
             std::size_t rows, std::size_t columns, std::int64_t ignored, bool single,
             int threads) -> std::optional<double> {
            const std::span<const std::int64_t> y(reinterpret_cast<const std::int64_t*>(labels),  // NOLINT
                                                  rows);
            if (std::ranges::find(y, ignored) != y.end()) return std::nullopt;
            const BatchOptions options{.threads = threads, .one_vector = rows == 1};
            BatchLoss sum;
            computed(self, [&] {
              sum =
                  (single ? total<float> : total<double>)(self, {theta, rows, columns}, y, gradient, options);
              return sum.report;
            });
            return sum.total;
          },
          "theta"_a, "labels"_a, "gradient"_a, "rows"_a, "columns"_a, "ignored"_a, "single"_a, "n_threads"_a,
          "the sum of the losses of rows with labels, all at addresses, and the gradient; None if a label is "
          "`ignored`");
}

}  // namespace fenchel::python
