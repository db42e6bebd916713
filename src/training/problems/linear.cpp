// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/problems/linear.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/training/problems/kernel.hpp"
#include "losses/block.hpp"
#include "training/problems/feature_range.hpp"
#include "training/problems/linear_rows.hpp"

namespace fenchel {
namespace {

template <Real T>
void check_features(const FeaturesView<T>& x) {
  if (!x.sparse()) {
    const auto& rows = x.dense_rows();
    if (rows.stride() < rows.cols()) {
      throw std::invalid_argument(
          fmt::format("x has a stride of {} below its {} columns", rows.stride(), rows.cols()));
    }
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      check_finite("x", rows.row(i), static_cast<std::ptrdiff_t>(i));
      check_feature_range(rows.row(i), i, [](std::size_t j) { return j; });
    }
    return;
  }
  const CsrView<T>& rows = x.sparse_rows();
  if (rows.rows() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::invalid_argument(fmt::format("x has {} sparse rows; expected at most 2^31 - 1", rows.rows()));
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (rows.offsets()[i + 1] < rows.offsets()[i]) {
      throw std::invalid_argument(fmt::format("row {} of x ends before it begins", i));
    }
    const auto indices = rows.indices(i);
    const auto values = rows.values(i);
    std::int64_t previous = -1;
    for (std::size_t e = 0; e < indices.size(); ++e) {
      if (indices[e] <= previous) {
        throw std::invalid_argument(fmt::format("row {} of x has column {} after {}; columns must increase",
                                                i, indices[e], previous));
      }
      if (static_cast<std::size_t>(indices[e]) >= rows.cols()) {
        throw std::invalid_argument(
            fmt::format("row {} of x has column {}; expected less than {}", i, indices[e], rows.cols()));
      }
      previous = indices[e];
      if (!std::isfinite(values[e])) {
        throw std::invalid_argument(
            fmt::format("{} is {}; values must be finite",
                        entry_name("x", static_cast<std::ptrdiff_t>(i), static_cast<std::size_t>(indices[e])),
                        values[e]));
      }
    }
    check_feature_range(values, i, [&](std::size_t e) { return static_cast<std::size_t>(indices[e]); });
  }
}

template <Real T>
void check_targets(const LinearProblem<T>& problem) {
  check_size("y", problem.y.size(), problem.examples());
  const Domain domain = problem.loss.omega().refined_traits().domain;
  if (problem.y.are_labels()) {
    if (domain == Domain::polytope) {
      throw std::invalid_argument("y holds labels; expected rows, each the vector of a structure");
    }
    for (std::size_t i = 0; i < problem.y.size(); ++i) {
      check_label("y", problem.y.label(i), problem.outputs, static_cast<std::ptrdiff_t>(i));
    }
    return;
  }
  const MatrixView<const T>& rows = problem.y.rows();
  if (rows.cols() != problem.outputs) {
    throw std::invalid_argument(
        fmt::format("y has {} columns; expected {}, the number of outputs", rows.cols(), problem.outputs));
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    check_point("y", rows.row(i), domain, static_cast<std::ptrdiff_t>(i));
    if (domain != Domain::polytope) continue;
    const std::vector<double> point(rows.row(i).begin(), rows.row(i).end());
    problem.loss.omega().check_point(fmt::format("y[{}]", i), point);
  }
}

template <Real T>
void check(const LinearProblem<T>& problem) {
  if (problem.examples() == 0) throw std::invalid_argument("x has no rows; expected at least one example");
  if (problem.outputs == 0) throw std::invalid_argument("outputs is 0; expected at least 1");
  const std::size_t rows = problem.features() + 1;
  if (rows > std::numeric_limits<std::size_t>::max() / sizeof(double) / problem.outputs) {
    throw std::invalid_argument(fmt::format("{} features times {} outputs are too many parameters",
                                            problem.features(), problem.outputs));
  }
  const auto dimension = problem.loss.omega().dimension();
  if (dimension && *dimension != problem.outputs) {
    throw std::invalid_argument(fmt::format("outputs is {}; expected {}, the dimension of {}",
                                            problem.outputs, *dimension,
                                            to_json(problem.loss.omega().spec())));
  }
  check_features(problem.x);
  check_targets(problem);
  batch::check_weights(problem.weights, problem.examples());
  if (!problem.center.empty()) {
    check_size("center", problem.center.size(), problem.features());
    check_finite("center", problem.center);
  }
}

template <Real T>
void check_kernel(const KernelProblem<T>& problem) {
  problem.kernel.check();
  check(linear_part(problem));
}

}  // namespace

void check_problem(const LinearProblem<float>& problem) { check(problem); }
void check_problem(const LinearProblem<double>& problem) { check(problem); }
void check_problem(const KernelProblem<float>& problem) { check_kernel(problem); }
void check_problem(const KernelProblem<double>& problem) { check_kernel(problem); }

}  // namespace fenchel
