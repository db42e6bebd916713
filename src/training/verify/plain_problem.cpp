// SPDX-License-Identifier: Apache-2.0
#include "training/verify/plain_problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace fenchel::plain {
namespace {

// μ_i as stored, then moved to where it may be.
class DualPoint {
 public:
  DualPoint(const Examples& examples, const CsrMatrix<double>& mu) : examples_(examples), mu_(mu) {}

  // Makes Σ w_i (y_i − μ_i) = 0 from now on.
  void balance();
  double imbalance() const;
  void write(std::size_t i, std::span<double> out) const;

 private:
  void write_stored(std::size_t i, std::span<double> out) const;
  // The means of y_i and of μ_i, with the weights.
  void find_means(std::vector<double>& y, std::vector<double>& mu) const;

  const Examples& examples_;
  const CsrMatrix<double>& mu_;
  double share_ = 0;           // of the common point in a mixture
  std::vector<double> point_;  // the common point, or what is added to every μ_i
};

void DualPoint::write_stored(std::size_t i, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (auto e = static_cast<std::size_t>(mu_.offsets[i]); e < static_cast<std::size_t>(mu_.offsets[i + 1]);
       ++e) {
    out[static_cast<std::size_t>(mu_.indices[e])] += mu_.values[e];
  }
  const Set set = examples_.omega->set();
  if (set == Set::reals) return;
  double sum = 0;
  for (double& entry : out) {
    entry = std::max(entry, 0.0);
    if (set == Set::cube) entry = std::min(entry, 1.0);
    sum += entry;
  }
  if (set != Set::simplex) return;
  if (!(sum > 0 && std::isfinite(sum))) {
    throw std::invalid_argument(fmt::format("the dual variable of example {} is not near the simplex", i));
  }
  for (double& entry : out) entry /= sum;
}

void DualPoint::write(std::size_t i, std::span<double> out) const {
  write_stored(i, out);
  if (point_.empty()) return;
  if (examples_.omega->set() == Set::reals) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += point_[k];
  } else {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = (1 - share_) * out[k] + share_ * point_[k];
  }
}

void DualPoint::find_means(std::vector<double>& y, std::vector<double>& mu) const {
  const std::size_t outputs = examples_.outputs();
  std::vector<double> row(outputs);
  std::vector<long double> sums(outputs), target_sums(outputs);
  long double total = 0;
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const double weight = examples_.weights[i];
    if (weight == 0) continue;
    total += weight;
    write_stored(i, row);
    for (std::size_t k = 0; k < outputs; ++k) sums[k] += weight * row[k];
    examples_.target(i, row);
    for (std::size_t k = 0; k < outputs; ++k) target_sums[k] += weight * row[k];
  }
  y.assign(outputs, 0);
  mu.assign(outputs, 0);
  for (std::size_t k = 0; total > 0 && k < outputs; ++k) {
    y[k] = static_cast<double>(target_sums[k] / total);
    mu[k] = static_cast<double>(sums[k] / total);
  }
}

double DualPoint::imbalance() const {
  std::vector<double> y, mu;
  find_means(y, mu);
  double largest = 0;
  for (std::size_t k = 0; k < y.size(); ++k) largest = std::max(largest, std::abs(y[k] - mu[k]));
  return largest;
}

// With all μ_i mixed with the point z = ȳ + ρ(ȳ − μ̄) in the share 1/(1 + ρ), their mean is ȳ. The larger ρ
// the smaller the change; the set of Ω says how large it may be.
void DualPoint::balance() {
  std::vector<double> y, mu;
  find_means(y, mu);
  const std::size_t outputs = y.size();
  point_.resize(outputs);
  const Set set = examples_.omega->set();
  if (set == Set::reals) {
    for (std::size_t k = 0; k < outputs; ++k) point_[k] = y[k] - mu[k];
    return;
  }
  double rho = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < outputs; ++k) {
    if (mu[k] > y[k]) rho = std::min(rho, y[k] / (mu[k] - y[k]));
    if (set == Set::cube && y[k] > mu[k]) rho = std::min(rho, (1 - y[k]) / (y[k] - mu[k]));
  }
  if (std::isinf(rho)) rho = 1 / std::numeric_limits<double>::epsilon();  // a cone, or no difference at all
  share_ = 1 / (1 + rho);
  for (std::size_t k = 0; k < outputs; ++k) {
    point_[k] = std::max(y[k] + rho * (y[k] - mu[k]), 0.0);
    if (set == Set::cube) point_[k] = std::min(point_[k], 1.0);
  }
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

double primal_of(const Examples& examples, const Model& model) {
  std::vector<double> theta(examples.outputs()), y(examples.outputs());
  long double total = model.penalty();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples.weights[i] == 0) continue;
    model.scores(i, theta);
    examples.target(i, y);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += examples.cost_of(y[k]);
    if (examples.omega->set() == Set::simplex) {  // the loss does not change, and large numbers do not cancel
      const double top = *std::ranges::max_element(theta);
      for (double& entry : theta) entry -= top;
    }
    const double loss = examples.omega->conjugate(theta) + examples.omega->value(y) - dot(theta, y);
    total += examples.weights[i] * loss;
  }
  return static_cast<double>(total);
}

double dual_of(const Examples& examples, Model& model, const DualPoint& point) {
  const std::size_t outputs = examples.outputs();
  std::vector<double> mu(outputs), y(outputs), r(outputs);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples.weights[i] == 0) continue;
    point.write(i, mu);
    examples.target(i, y);
    for (std::size_t k = 0; k < outputs; ++k) r[k] = examples.weights[i] * (y[k] - mu[k]);
    model.add(i, r);
  }
  const double factor = model.largest_factor();
  long double total = -model.conjugate(factor);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples.weights[i] == 0) continue;
    point.write(i, mu);
    examples.target(i, y);
    double cost = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      const double step = factor * (mu[k] - y[k]);
      cost += examples.cost_of(y[k]) * step;
      if (factor < 1) mu[k] = y[k] + step;
    }
    total += examples.weights[i] * (examples.omega->value(y) - examples.omega->value(mu) + cost);
  }
  return static_cast<double>(total);
}

}  // namespace

void Examples::target(std::size_t i, std::span<double> y) const {
  if (targets.task != Task::classification) {
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = targets.rows(i, k);
    return;
  }
  std::ranges::fill(y, 0.0);
  y[static_cast<std::size_t>(targets.labels[i])] = 1;
}

Bounds bounds_of(const Examples& examples, Model& model, const CsrMatrix<double>& mu, bool free_intercept) {
  DualPoint point(examples, mu);
  Bounds result{.primal = primal_of(examples, model), .imbalance = point.imbalance()};
  if (free_intercept) point.balance();
  result.dual = dual_of(examples, model, point);
  return result;
}

Examples make_examples(const TaskTargets& targets, std::vector<double> weights, const Spec& omega,
                       std::string_view loss_name) {
  if (TaskSet{Task::ranking, Task::label_ranking, Task::tagging, Task::structured}.contains(targets.task)) {
    throw std::invalid_argument(fmt::format(
        "verification has no plain formulas for {}: its omega is over structures", to_string(targets.task)));
  }
  Examples result{.targets = targets, .weights = std::move(weights), .omega = make_omega(omega)};
  std::string name = parse_spec(loss_name).name;
  std::ranges::replace(name, '-', '_');
  const auto is = [&](std::string_view other) { return name == other; };
  if (name.ends_with("+margin") || is("hinge") || is("svm") || is("crammer_singer") || is("softmax_margin") ||
      is("one_vs_all_hinge") || is("smoothed_hinge")) {
    result.cost = result.omega->set() == Set::cube ? Cost::hamming : Cost::zero_one;
    if (is("smoothed_hinge")) result.cost_scale = 0.5;
  }
  return result;
}

}  // namespace fenchel::plain
