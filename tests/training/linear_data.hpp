// SPDX-License-Identifier: Apache-2.0
// Small random problems of linear models, dense and sparse, that own their memory.
#pragma once

#include <cstdint>
#include <vector>

#include "fenchel/training/problem.hpp"
#include "support.hpp"

namespace fenchel::test {

/// Which problem to make.
struct LinearShape {
  std::size_t examples = 60;
  std::size_t features = 7;
  std::size_t outputs = 4;
  bool sparse = false;
  bool labels = true;
  bool weighted = false;
  bool centered = false;
  Intercept intercept = Intercept::free;
  std::uint64_t seed = 1;
};

/// Examples around a true model, and the views of a problem over them.
template <class T>
class LinearData {
 public:
  LinearData(const AnyRegularizer& omega, const LinearShape& shape)
      : dense_(shape.examples, shape.features), y_(shape.examples, shape.outputs) {
    Random random(shape.seed);
    const Domain domain = omega.refined_traits().domain;
    const Vector truth = normal_vector(random, shape.features * shape.outputs);
    csr_.cols = shape.features;
    for (std::size_t i = 0; i < shape.examples; ++i) {
      std::size_t best = 0;
      Vector scores(shape.outputs);
      for (std::size_t j = 0; j < shape.features; ++j) {
        const bool zero = shape.sparse && random.uniform() < 0.6;
        const T x = zero ? T{0} : static_cast<T>(0.5 + random.normal());
        dense_(i, j) = x;
        for (std::size_t k = 0; k < shape.outputs; ++k) {
          scores[k] += static_cast<double>(x) * truth[j * shape.outputs + k];
        }
        if (zero) continue;
        csr_.indices.push_back(static_cast<std::int32_t>(j));
        csr_.values.push_back(x);
      }
      csr_.offsets.push_back(static_cast<std::int64_t>(csr_.indices.size()));
      for (std::size_t k = 0; k < shape.outputs; ++k) {
        scores[k] += 2 * random.normal();
        if (scores[k] > scores[best]) best = k;
      }
      labels_.push_back(static_cast<std::int32_t>(best));
      const Vector point = domain_point(random, shape.outputs, domain);
      for (std::size_t k = 0; k < shape.outputs; ++k) y_(i, k) = static_cast<T>(point[k]);
      weights_.push_back(i % 7 == 3 ? 0 : 0.5 + random.uniform());
    }
    for (std::size_t j = 0; j < shape.features; ++j) center_.push_back(0.3 * random.normal());
    problem = std::make_unique<LinearProblem<T>>(LinearProblem<T>{
        .x = shape.sparse ? FeaturesView<T>(csr_) : FeaturesView<T>(dense_),
        .y = shape.labels ? Targets<T>(labels_) : Targets<T>(y_.view()),
        .outputs = shape.outputs,
        .omega = omega,
        .weights = shape.weighted ? std::span<const double>(weights_) : std::span<const double>(),
        .center = shape.centered ? std::span<const double>(center_) : std::span<const double>(),
        .intercept = shape.intercept});
  }
  LinearData(const LinearData&) = delete;
  LinearData& operator=(const LinearData&) = delete;

  std::unique_ptr<LinearProblem<T>> problem;

 private:
  Matrix<T> dense_;
  CsrMatrix<T> csr_;
  Matrix<T> y_;
  std::vector<std::int32_t> labels_;
  Vector weights_, center_;
};

/// F(W) straight from the definition, in double, one example at a time.
template <class T>
double plain_objective(const LinearProblem<T>& problem, const Vector& w) {
  double total = 0;
  const std::size_t outputs = problem.outputs, p = problem.features();
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    Vector x(p), theta(outputs), y(outputs);
    if (problem.x.sparse()) {
      const auto indices = problem.x.sparse_rows().indices(i);
      for (std::size_t e = 0; e < indices.size(); ++e) {
        x[static_cast<std::size_t>(indices[e])] = static_cast<double>(problem.x.sparse_rows().values(i)[e]);
      }
    } else {
      for (std::size_t j = 0; j < p; ++j) x[j] = static_cast<double>(problem.x.dense_rows().row(i)[j]);
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      if (problem.intercept != Intercept::none) theta[k] = w[p * outputs + k];
      for (std::size_t j = 0; j < p; ++j) {
        theta[k] += (x[j] - (problem.center.empty() ? 0 : problem.center[j])) * w[j * outputs + k];
      }
      if (!problem.y.are_labels()) y[k] = static_cast<double>(problem.y.rows().row(i)[k]);
    }
    if (problem.y.are_labels()) y[static_cast<std::size_t>(problem.y.label(i))] = 1;
    if (!problem.cost.empty()) {
      Vector cost(outputs);
      problem.cost.write(y, cost);
      theta = moved(theta, 1, cost);
    }
    total += (problem.weights.empty() ? 1 : problem.weights[i]) * loss_value(problem.omega, theta, y);
  }
  return total;
}

}  // namespace fenchel::test
