// SPDX-License-Identifier: Apache-2.0
#include "training/certificates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/training/problem.hpp"
#include "training/verify/plain_problem.hpp"

namespace fenchel {
namespace {

// A sweep divides the difference by a number that may be close to 1 where few examples are undecided. In as
// many sweeps as these it should fall by a tenth; else what is left is left to verification.
constexpr int patience = 100;
constexpr double slowest = 0.9;
constexpr int most_sweeps = 10000;
// Of the sum of weights: the rest is rounding.
constexpr double balanced = 1e-15;

template <Real T>
double weight_of(const LinearProblem<T>& problem, std::size_t i) {
  return problem.weights.empty() ? 1 : problem.weights[i];
}

// Σ w_i y_i.
template <Real T>
std::vector<double> target_sums(const LinearProblem<T>& problem) {
  std::vector<double> sums(problem.outputs), y(problem.outputs);
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    problem.y.write(i, std::span(y));
    for (std::size_t k = 0; k < y.size(); ++k) sums[k] += weight_of(problem, i) * y[k];
  }
  return sums;
}

// One sweep: factors Y_k/M_k for outputs (and for their complements on the cube), then rows become points of
// the domain again.
void scale_rows(CsrMatrix<double>& mu, Domain domain, std::span<const double> factors,
                std::span<const double> complements) {
  for (std::size_t i = 0; i < mu.rows(); ++i) {
    const auto begin = static_cast<std::size_t>(mu.offsets[i]),
               end = static_cast<std::size_t>(mu.offsets[i + 1]);
    double sum = 0;
    for (std::size_t e = begin; e < end; ++e) {
      sum += factors[static_cast<std::size_t>(mu.indices[e])] * mu.values[e];
    }
    if (domain == Domain::simplex && !(sum > 0)) continue;
    for (std::size_t e = begin; e < end; ++e) {
      const auto k = static_cast<std::size_t>(mu.indices[e]);
      const double scaled = factors[k] * mu.values[e];
      const double rest = complements[k] * (1 - mu.values[e]);
      if (domain == Domain::simplex) mu.values[e] = scaled / sum;
      if (domain == Domain::cone) mu.values[e] = scaled;
      if (domain == Domain::cube && scaled + rest > 0) mu.values[e] = scaled / (scaled + rest);
    }
  }
}

}  // namespace

std::optional<std::string> refuse_certificate(const FenchelYoungLoss& loss, const TaskTargets& targets,
                                              const std::string& loss_name) {
  try {
    const plain::Examples examples = plain::make_examples(targets, {}, loss.omega().spec(), loss_name);
    if (loss.cost().empty() != (examples.cost == plain::Cost::none)) {
      return "`certificate`: the loss has a cost of its own, which a model file does not hold";
    }
  } catch (const std::invalid_argument& error) {
    return fmt::format("`certificate`: {}", error.what());
  }
  return std::nullopt;
}

template <Real T>
CsrMatrix<double> dual_point(const LinearProblem<T>& problem, const Algorithm& algorithm,
                             std::span<const double> parameters) {
  std::shared_ptr<const Examples> examples;
  std::vector<double> theta(problem.outputs), gradient(problem.outputs), y(problem.outputs);
  CsrMatrix<double> mu;
  mu.cols = problem.outputs;
  for (std::size_t i = 0; i < problem.examples(); ++i) {
    if (!algorithm.dual_gradient(i, gradient)) {
      if (!examples) examples = make_examples(problem);
      examples->scores(i, parameters, theta);
      examples->loss(i, theta, gradient, thread_workspace());
    }
    problem.y.write(i, std::span(y));
    const double weight = weight_of(problem, i);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double value = weight > 0 ? y[k] + gradient[k] / weight : y[k];
      if (value == 0) continue;
      mu.indices.push_back(static_cast<std::int32_t>(k));
      mu.values.push_back(value);
    }
    mu.offsets.push_back(static_cast<std::int64_t>(mu.values.size()));
  }
  return mu;
}

template <Real T>
void balance(const LinearProblem<T>& problem, CsrMatrix<double>& mu) {
  const Domain domain = problem.loss.omega().refined_traits().domain;
  const bool cube = domain == Domain::cube || domain == Domain::polytope;
  if (domain == Domain::reals) return;  // verification shifts them
  double total = 0;
  for (std::size_t i = 0; i < problem.examples(); ++i) total += weight_of(problem, i);
  const std::vector<double> wanted = target_sums(problem);
  std::vector<double> sums(problem.outputs), factors(problem.outputs), complements(problem.outputs);
  double earlier = infinity;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t i = 0; i < mu.rows(); ++i) {
      for (auto e = static_cast<std::size_t>(mu.offsets[i]); e < static_cast<std::size_t>(mu.offsets[i + 1]);
           ++e) {
        sums[static_cast<std::size_t>(mu.indices[e])] += weight_of(problem, i) * mu.values[e];
      }
    }
    double difference = 0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      difference = std::max(difference, std::abs(wanted[k] - sums[k]));
      factors[k] = sums[k] > 0 ? wanted[k] / sums[k] : 1;
      complements[k] = total > sums[k] ? (total - wanted[k]) / (total - sums[k]) : 1;
    }
    if (difference <= balanced * total) return;
    if (sweep % patience == 0) {
      if (difference > slowest * earlier) return;
      earlier = difference;
    }
    scale_rows(mu, cube ? Domain::cube : domain, factors, complements);
  }
}

template CsrMatrix<double> dual_point(const LinearProblem<float>&, const Algorithm&, std::span<const double>);
template CsrMatrix<double> dual_point(const LinearProblem<double>&, const Algorithm&,
                                      std::span<const double>);
template void balance(const LinearProblem<float>&, CsrMatrix<double>&);
template void balance(const LinearProblem<double>&, CsrMatrix<double>&);

}  // namespace fenchel
