// SPDX-License-Identifier: Apache-2.0
// Training with an Ω of your own, in two ways: fit() makes a model of a data set, train() finds the
// parameters of a problem made of views, with any penalty and any solver, and shows every step. The Ω is that
// of own_omega.cpp, Σ p log(p/π): its loss is the logistic one at θ + log π, so that it learns the same W and
// other intercepts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "fenchel/fenchel.hpp"

namespace {

struct Prior {
  std::vector<double> frequency;

  static constexpr fenchel::Traits traits{
      .name = "prior", .sparse = false, .symmetric = false, .zero_at_vertices = false};
  double value(std::span<const double> p) const {
    double sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] > 0 ? p[j] * std::log(p[j] / frequency[j]) : 0;
    return sum;
  }
  void predict(std::span<const double> theta, std::span<double> out, fenchel::Workspace&) const {
    double sum = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) sum += out[j] = frequency[j] * std::exp(theta[j]);
    for (double& entry : out) entry /= sum;
  }
};

}  // namespace

int main() {
  const fenchel::Dataset data = fenchel::synth_classification({.classes = 3, .samples = 200, .seed = 1});
  const fenchel::FenchelYoungLoss loss{Prior{{0.7, 0.2, 0.1}}};

  const auto own = fenchel::fit(loss, data, fenchel::L2{1.0});
  const auto logistic = fenchel::fit(fenchel::Shannon{}, data, fenchel::L2{1.0});
  double difference = std::abs(own.last_step.objective - logistic.last_step.objective);
  for (std::size_t j = 0; j < own.features(); ++j) {
    difference = std::max(difference, std::abs(own.weights(j, 0) - logistic.weights(j, 0)));
  }
  std::printf("fit: objectives and weights differ by %.1g\n", difference);

  const fenchel::TrainResult trained = data.x.visit([&]<class T>(const fenchel::FeaturesView<T>& x) {
    const fenchel::LinearProblem<T> problem{
        .x = x, .y = data.labels.indices, .outputs = data.labels.names.size(), .loss = loss};
    return fenchel::train(problem, {.penalty = fenchel::ElasticNet{1.0, 0.5}, .solver = fenchel::Fista{}},
                          [](const fenchel::StepReport& step, const fenchel::Algorithm& algorithm) {
                            if (algorithm.report().iterations % 10 == 0) {
                              std::printf("train: objective %.6f\n", step.objective);
                            }
                            return true;  // go on
                          });
  });
  std::size_t zeros = 0;
  for (const double weight : trained.parameters) zeros += weight == 0 ? 1 : 0;
  std::printf("train: %zu of %zu parameters are 0\n", zeros, trained.parameters.size());
  return own.report.converged() && trained.report.converged() && difference < 1e-2 && zeros > 0 ? 0 : 1;
}
