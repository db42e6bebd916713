// SPDX-License-Identifier: Apache-2.0
// Projections of rows onto convex sets, and products with their Jacobians. All compute in double.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/polytopes/convex_sets.hpp"
#include "row_targets.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

// apply(x, out) of every row, or apply(x, v, out) with rows v of the same shape.
template <class T, class Apply, class... Factors>
Result<T> for_rows(const Array<T>& x, int threads, const Apply& apply, const Factors&... v) {
  (check_same_shape("v", v, x), ...);
  const auto rows = rows_of("x", x);
  const auto result = new_array<T>(shape_of(x));
  const auto out = rows_of(result, rows);
  const GilRelease release;
  for_each_block(rows.rows(), rows_per_block(rows.cols() * sizeof(double)), threads,
                 [&](std::size_t first, std::size_t last) {
                   std::vector<double> found(rows.cols());
                   const auto doubles = [](auto row) { return std::vector<double>(row.begin(), row.end()); };
                   for (std::size_t i = first; i < last; ++i) {
                     named("row", i, rows.rows(), [&](std::size_t at) {
                       apply(doubles(rows.row(at)), doubles(rows_of("v", v).row(at))..., found);
                       std::ranges::transform(found, out.row(at).begin(),
                                              [](double entry) { return static_cast<T>(entry); });
                     });
                   }
                 });
  return result;
}

using Numbers = std::vector<double>;

template <class T>
Result<T> project_rows(const Array<T>& x, const std::string& into, int threads) {
  const ConvexSet set = make_convex_set(into);
  return for_rows(x, threads, [&](const Numbers& row, Numbers& out) { project(set, row, out); });
}

template <class T>
Result<T> project_rows_jvp(const Array<T>& x, const Array<T>& v, const std::string& into, int threads) {
  const ConvexSet set = make_convex_set(into);
  return for_rows(
      x, threads,
      [&](const Numbers& row, const Numbers& direction, Numbers& out) {
        project_jvp(set, row, direction, out);
      },
      v);
}

template <class T>
void bind_of(nb::module_& module) {
  module.def("project", &project_rows<T>, "x"_a.noconvert(), "into"_a, "n_threads"_a = 1);
  module.def("project_jvp", &project_rows_jvp<T>, "x"_a.noconvert(), "v"_a.noconvert(), "into"_a,
             "n_threads"_a = 1);
}

}  // namespace

void bind_projections(nb::module_& module) {
  bind_of<float>(module);
  bind_of<double>(module);
}

}  // namespace fenchel::python
