// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/divergences.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/losses/fenchel_young.hpp"

namespace fenchel {
namespace {

void check_distribution(MatrixView<const double> outcomes, std::span<const double> p) {
  check_size("p", p.size(), outcomes.rows());
  check_point("p", p, Domain::simplex);
}

std::vector<double> mean_outcome(MatrixView<const double> outcomes, std::span<const double> p) {
  std::vector<double> mean(outcomes.cols(), 0.0);
  for (std::size_t i = 0; i < outcomes.rows(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += p[i] * outcomes.row(i)[j];
  }
  return mean;
}

}  // namespace

double bregman_divergence(const AnyRegularizer& omega, std::span<const double> y,
                          std::span<const double> mu) {
  check_size("mu", mu.size(), y.size());
  const Domain domain = omega.refined_traits().domain;
  check_point("y", y, domain);
  check_point("mu", mu, domain);
  std::vector<double> slope(mu.size());
  omega.gradient(mu, slope, thread_workspace());
  double result = omega.value(y) - omega.value(mu);
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (y[j] != mu[j]) result -= slope[j] * (y[j] - mu[j]);
  }
  return std::max(result, 0.0);
}

double kullback_leibler(std::span<const double> y, std::span<const double> mu) {
  check_size("mu", mu.size(), y.size());
  check_point("y", y, Domain::cone);
  check_point("mu", mu, Domain::cone);
  double result = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (y[j] > 0) result += y[j] * std::log(y[j] / mu[j]);
    result += mu[j] - y[j];
  }
  return std::max(result, 0.0);
}

double expected_loss(const AnyRegularizer& omega, std::span<const double> theta,
                     MatrixView<const double> outcomes, std::span<const double> p) {
  check_distribution(outcomes, p);
  double total = 0;
  for (std::size_t i = 0; i < outcomes.rows(); ++i) {
    if (p[i] > 0) total += p[i] * FenchelYoungLoss(omega).value(theta, outcomes.row(i));
  }
  return total;
}

double bregman_information(const AnyRegularizer& omega, MatrixView<const double> outcomes,
                           std::span<const double> p) {
  check_distribution(outcomes, p);
  const Domain domain = omega.refined_traits().domain;
  double total = -omega.value(mean_outcome(outcomes, p));
  for (std::size_t i = 0; i < outcomes.rows(); ++i) {
    check_point("outcomes", outcomes.row(i), domain, static_cast<std::ptrdiff_t>(i));
    if (p[i] > 0) total += p[i] * omega.value(outcomes.row(i));
  }
  return total;
}

double bayes_risk(const AnyRegularizer& omega, MatrixView<const double> outcomes, std::span<const double> p) {
  return bregman_information(omega, outcomes, p);
}

double regret(const AnyRegularizer& omega, std::span<const double> theta, MatrixView<const double> outcomes,
              std::span<const double> p) {
  check_distribution(outcomes, p);
  const std::vector<double> mean = mean_outcome(outcomes, p);
  return FenchelYoungLoss(omega).value(theta, mean);
}

double proper_loss(const AnyRegularizer& omega, std::span<const double> p, std::span<const double> y) {
  check_size("y", y.size(), p.size());
  check_point("p", p, Domain::simplex);
  check_point("y", y, Domain::simplex);
  std::vector<double> slope(p.size());
  omega.gradient(p, slope, thread_workspace());
  double result = -omega.value(p);
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (y[j] != p[j]) result -= slope[j] * (y[j] - p[j]);
  }
  return result;
}

double brier_score(std::span<const double> p, std::size_t label) {
  check_point("p", p, Domain::simplex);
  check_label("label", static_cast<std::int64_t>(label), p.size());
  double total = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    const double difference = (j == label ? 1 : 0) - p[j];
    total += difference * difference;
  }
  return total;
}

}  // namespace fenchel
