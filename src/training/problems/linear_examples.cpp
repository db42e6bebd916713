// SPDX-License-Identifier: Apache-2.0
// The examples of a linear problem one at a time: θ_i = Wᵀ (x_i − center) + b.
#include <algorithm>

#include "training/problems/kinds.hpp"
#include "training/problems/linear_losses.hpp"

namespace fenchel {
namespace {

template <Real T>
class LinearExamples final : public Examples {
 public:
  explicit LinearExamples(const LinearProblem<T>& problem) : problem_(problem), losses_(problem) {}

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
    return losses_.value_and_gradient(i, theta, gradient, scratch);
  }
  double dual_bound(std::size_t i, std::span<const double> g, Workspace& scratch) const override {
    return losses_.dual_bound(i, g, scratch);
  }
  double dual_concavity(std::size_t i) const override {
    const double weight = losses_.weight(i);
    return weight > 0 ? problem_.loss.strong_convexity().value_or(0) / weight : 0;
  }

 private:
  // Calls visit(j, x_ij − center_j) for every feature that may be other than 0.
  template <class Visit>
  void for_each_feature(std::size_t i, Visit visit) const {
    problem_.x.for_each(i, visit);
    for (std::size_t j = 0; j < problem_.center.size(); ++j) {
      if (problem_.center[j] != 0) visit(j, -problem_.center[j]);
    }
  }

  LinearProblem<T> problem_;
  LinearLosses<T> losses_;
};

}  // namespace

template <Real T>
std::shared_ptr<const Examples> examples_of(const LinearProblem<T>& problem) {
  return std::make_shared<LinearExamples<T>>(problem);
}
template std::shared_ptr<const Examples> examples_of(const LinearProblem<float>&);
template std::shared_ptr<const Examples> examples_of(const LinearProblem<double>&);

}  // namespace fenchel
