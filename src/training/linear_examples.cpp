// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/linear_examples.hpp"

#include <algorithm>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

template <Real T>
class LinearExamples final : public Examples {
 public:
  explicit LinearExamples(const LinearProblem<T>& problem)
      : problem_(problem), domain_(problem.omega.refined_traits().domain) {}

  std::size_t size() const override { return problem_.examples(); }
  ParameterShape shape() const override { return problem_.shape(); }
  std::size_t scores_size(std::size_t) const override { return problem_.outputs; }

  void scores(std::size_t i, std::span<const double> w, std::span<double> theta) const override {
    const std::size_t outputs = problem_.outputs;
    if (problem_.intercept == Intercept::none) {
      std::ranges::fill(theta, 0.0);
    } else {
      std::ranges::copy(w.subspan(problem_.features() * outputs, outputs), theta.begin());
    }
    for_each_feature(i, [&](std::size_t j, double x) {
      for (std::size_t k = 0; k < outputs; ++k) theta[k] += x * w[j * outputs + k];
    });
  }

  void add(std::size_t i, std::span<const double> r, double scale, std::span<double> w) const override {
    const std::size_t outputs = problem_.outputs;
    if (problem_.intercept != Intercept::none) {
      const auto b = w.subspan(problem_.features() * outputs, outputs);
      for (std::size_t k = 0; k < outputs; ++k) b[k] += scale * r[k];
    }
    for_each_feature(i, [&](std::size_t j, double x) {
      for (std::size_t k = 0; k < outputs; ++k) w[j * outputs + k] += scale * x * r[k];
    });
  }

  double loss(std::size_t i, std::span<const double> theta, std::span<double> gradient,
              Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const std::size_t outputs = problem_.outputs;
    const auto target = scratch.take<double>(outputs);
    const auto augmented = scratch.take<double>(outputs);
    load_target(i, target);
    if (problem_.cost.empty()) {
      std::ranges::fill(augmented, 0.0);
    } else {
      problem_.cost.write(target, augmented);
    }
    for (std::size_t k = 0; k < outputs; ++k) augmented[k] += theta[k];
    if (domain_ == Domain::simplex) {
      const double top = max_of(augmented);
      for (double& score : augmented) score -= top;
    }
    problem_.omega.predict(augmented, gradient, scratch);
    const double weight = problem_.weights.empty() ? 1 : problem_.weights[i];
    const double value = weight == 0 ? 0 : weight * problem_.omega.loss(augmented, target, gradient);
    for (std::size_t k = 0; k < outputs; ++k) gradient[k] = weight * (gradient[k] - target[k]);
    return value;
  }

 private:
  // Calls visit(j, x_ij − center_j) for every feature that may be other than 0.
  template <class Visit>
  void for_each_feature(std::size_t i, Visit visit) const {
    if (problem_.x.sparse()) {
      const auto indices = problem_.x.sparse_rows().indices(i);
      const auto values = problem_.x.sparse_rows().values(i);
      for (std::size_t e = 0; e < indices.size(); ++e) {
        visit(static_cast<std::size_t>(indices[e]), static_cast<double>(values[e]));
      }
    } else {
      const auto row = problem_.x.dense_rows().row(i);
      for (std::size_t j = 0; j < row.size(); ++j) visit(j, static_cast<double>(row[j]));
    }
    for (std::size_t j = 0; j < problem_.center.size(); ++j) {
      if (problem_.center[j] != 0) visit(j, -problem_.center[j]);
    }
  }

  void load_target(std::size_t i, std::span<double> target) const {
    if (problem_.y.are_labels()) {
      std::ranges::fill(target, 0.0);
      target[static_cast<std::size_t>(problem_.y.label(i))] = 1;
    } else {
      std::ranges::transform(problem_.y.rows().row(i), target.begin(),
                             [](T value) { return static_cast<double>(value); });
    }
  }

  LinearProblem<T> problem_;
  Domain domain_;
};

}  // namespace

std::unique_ptr<Examples> make_linear_examples(const LinearProblem<float>& problem) {
  return std::make_unique<LinearExamples<float>>(problem);
}
std::unique_ptr<Examples> make_linear_examples(const LinearProblem<double>& problem) {
  return std::make_unique<LinearExamples<double>>(problem);
}

}  // namespace fenchel
