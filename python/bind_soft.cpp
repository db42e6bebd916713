// SPDX-License-Identifier: Apache-2.0
// Soft ranks, soft sorting and soft-DTW of batches, and their derivatives, for the names that people know.
// All compute in double; single precision is converted on the way in and out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bindings.hpp"
#include "core/parallel.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/polytopes/soft_dtw.hpp"
#include "fenchel/polytopes/soft_dtw_barycenter.hpp"
#include "fenchel/polytopes/soft_rank.hpp"
#include "row_targets.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

// Calls the body for each i < count, in blocks that suit rows of so many numbers.
template <class Body>
void for_each(std::size_t count, std::size_t numbers, int threads, Body body) {
  for_each_block(count, rows_per_block(numbers * sizeof(double)), threads,
                 [&](std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) named("row", i, count, body);
                 });
}

template <class T>
void check_axes(const char* name, const Array<T>& array, std::size_t axes) {
  if (array.ndim() == axes) return;
  throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.ndim()) +
                              " axes; expected " + std::to_string(axes));
}

// Numbers as doubles, and back: what is double already is used where it is.
template <class T>
struct Doubles {
  explicit Doubles(std::span<const T> values) : copy(values.begin(), values.end()) {}
  std::span<const double> read() const { return copy; }
  std::vector<double> copy;
};
template <>
struct Doubles<double> {
  explicit Doubles(std::span<const double> values) : view(values) {}
  std::span<const double> read() const { return view; }
  std::span<const double> view;
};

void write(std::span<const double> from, std::span<float> to) {
  std::ranges::transform(from, to.begin(), [](double value) { return static_cast<float>(value); });
}
void write(std::span<const double> from, std::span<double> to) { std::ranges::copy(from, to.begin()); }

// apply(θ, out) of every row, or apply(θ, u, out) with an array u of the same shape.
template <class T, auto apply, class... Factors>
Result<T> soft(const Array<T>& theta, const Factors&... u, double strength, const std::string& regularization,
               bool descending, int threads) {
  check_axes("theta", theta, 2);
  (check_same_shape("u", u, theta), ...);
  const auto rows = rows_of("theta", theta);
  const auto result = new_array<T>(shape_of(theta));
  const auto out = rows_of(result, rows);
  SoftSortOptions options = SoftSortOptions::named(regularization);
  options.strength = strength;
  options.descending = descending;
  const GilRelease release;
  for_each(rows.rows(), rows.cols(), threads, [&](std::size_t i) {
    const Doubles<T> values(rows.row(i));
    std::vector<double> row(rows.cols());
    apply(values.read(), Doubles<T>(rows_of("u", u).row(i)).read()..., row, options, thread_workspace());
    write(row, out.row(i));
  });
  return result;
}

// Cost matrices [batch, m, n].
template <class T>
struct CostMatrices {
  explicit CostMatrices(const Array<T>& costs) : data(costs.data()) {
    check_axes("cost", costs, 3);
    count = costs.shape(0), m = costs.shape(1), n = costs.shape(2);
  }
  std::size_t size() const { return m * n; }
  std::span<const T> at(std::size_t i) const { return {data + i * size(), size()}; }
  const T* data;
  std::size_t count, m, n;
};

SoftDtwOptions soft_dtw_options(double gamma, std::int64_t band) {
  if (band < 0) {
    throw std::invalid_argument("band is " + std::to_string(band) + "; expected a whole number >= 0");
  }
  return {.gamma = gamma, .band = static_cast<std::size_t>(band)};
}

template <class T>
Result<double> soft_dtw_values(const Array<T>& costs, double gamma, std::int64_t band, int threads) {
  const CostMatrices<T> given(costs);
  const SoftDtwOptions options = soft_dtw_options(gamma, band);
  const auto values = new_array<double>({given.count});
  const GilRelease release;
  for_each(given.count, given.size(), threads, [&](std::size_t i) {
    const Doubles<T> cost(given.at(i));
    values.data()[i] = soft_dtw(MatrixView<const double>(cost.read().data(), given.m, given.n), options);
  });
  return values;
}

// Values, and alignments: value = align(cost matrix, alignment).
template <class T, class Align>
nb::tuple alignments_of(const Array<T>& costs, int threads, Align align) {
  const CostMatrices<T> given(costs);
  const auto values = new_array<double>({given.count});
  const auto alignments = new_array<T>(shape_of(costs));
  {
    const GilRelease release;
    for_each(given.count, given.size(), threads, [&](std::size_t i) {
      const Doubles<T> cost(given.at(i));
      values.data()[i] = align(MatrixView<const double>(cost.read().data(), given.m, given.n),
                               std::span<T>(alignments.data() + i * given.size(), given.size()));
    });
  }
  return nb::make_tuple(values, alignments);
}

template <class T>
nb::tuple soft_dtw_gradient(const Array<T>& costs, double gamma, std::int64_t band, int threads) {
  const SoftDtwOptions options = soft_dtw_options(gamma, band);
  return alignments_of(costs, threads, [&](MatrixView<const double> cost, std::span<T> out) {
    Matrix<double> alignment(cost.rows(), cost.cols());
    const double value = soft_dtw(cost, alignment.view(), options);
    write(alignment.entries(), out);
    return value;
  });
}

// Hard alignments.
template <class T>
nb::tuple dtw_paths(const Array<T>& costs, std::int64_t band, int threads) {
  const std::size_t width = soft_dtw_options(1, band).band;
  return alignments_of(costs, threads, [&](MatrixView<const double> cost, std::span<T> out) {
    const WarpingPath best = dtw(cost, width);
    std::ranges::fill(out, T{0});
    for (const auto& cell : best.path) out[cell.i * cost.cols() + cell.j] = 1;
    return best.value;
  });
}

// The barycentre of series [steps, width], how the search ended and after how many iterations.
nb::tuple soft_dtw_barycenter_of(const std::vector<Array<double>>& series, double gamma,
                                 const std::optional<Array<double>>& weights,
                                 const std::optional<Array<double>>& start, std::int64_t band,
                                 double tolerance, int max_iterations, int threads) {
  const auto view = [](const char* name, const Array<double>& one) {
    check_axes(name, one, 2);
    return rows_of(name, one);
  };
  std::vector<MatrixView<const double>> views;
  for (const auto& one : series) views.push_back(view("a series", one));
  SoftDtwBarycenterOptions options;
  options.soft_dtw = soft_dtw_options(gamma, band);
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.threads = threads;
  if (weights) {
    check_axes("weights", *weights, 1);
    check_size("weights", weights->size(), series.size());
    options.weights = {weights->data(), weights->size()};
  }
  if (start) options.start = view("start", *start);
  SoftDtwBarycenter found;
  {
    const GilRelease release;
    found = soft_dtw_barycenter(views, options);
  }
  const auto result = new_array<double>({found.series.rows(), found.series.cols()});
  std::ranges::copy(found.series.entries(), result.data());
  return nb::make_tuple(result, std::string(to_string(found.report.status)), found.report.iterations);
}

template <class T>
void bind_batches(nb::module_& module) {
  module.def("soft_rank", &soft<T, &soft_rank>, "theta"_a.noconvert(), "strength"_a, "regularization"_a,
             "descending"_a, "n_threads"_a = 1);
  module.def("soft_rank_vjp", &soft<T, &soft_rank_vjp, Array<T>>, "theta"_a.noconvert(), "u"_a.noconvert(),
             "strength"_a, "regularization"_a, "descending"_a, "n_threads"_a = 1);
  module.def("soft_sort", &soft<T, &soft_sort>, "theta"_a.noconvert(), "strength"_a, "regularization"_a,
             "descending"_a, "n_threads"_a = 1);
  module.def("soft_sort_vjp", &soft<T, &soft_sort_vjp, Array<T>>, "theta"_a.noconvert(), "u"_a.noconvert(),
             "strength"_a, "regularization"_a, "descending"_a, "n_threads"_a = 1);
  module.def("soft_sort_jvp", &soft<T, &soft_sort_jvp, Array<T>>, "theta"_a.noconvert(), "v"_a.noconvert(),
             "strength"_a, "regularization"_a, "descending"_a, "n_threads"_a = 1);
  module.def("soft_dtw", &soft_dtw_values<T>, "cost"_a.noconvert(), "gamma"_a = 1.0, "band"_a = 0,
             "n_threads"_a = 1);
  module.def("soft_dtw_gradient", &soft_dtw_gradient<T>, "cost"_a.noconvert(), "gamma"_a = 1.0, "band"_a = 0,
             "n_threads"_a = 1);
  module.def("dtw", &dtw_paths<T>, "cost"_a.noconvert(), "band"_a = 0, "n_threads"_a = 1);
}

}  // namespace

void bind_soft(nb::module_& module) {
  bind_batches<float>(module);
  bind_batches<double>(module);
  module.def("soft_dtw_barycenter", &soft_dtw_barycenter_of, "series"_a, "gamma"_a, "weights"_a.none(),
             "start"_a.none(), "band"_a, "tolerance"_a, "max_iterations"_a, "n_threads"_a);
}

}  // namespace fenchel::python
