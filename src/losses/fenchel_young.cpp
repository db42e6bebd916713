// SPDX-License-Identifier: Apache-2.0
#include "fenchel/losses/fenchel_young.hpp"

#include "fenchel/core/check.hpp"
#include "fenchel/core/not_converged.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/structured_margin.hpp"
#include "losses/cost_margin.hpp"

namespace fenchel {
namespace {

// A vector is a batch of one row, whose entries messages name without a row.
constexpr BatchOptions single{.threads = 1, .one_vector = true};

template <class T>
MatrixView<T> one(std::span<T> row) {
  return MatrixView<T>(row);
}
template <class T>
Targets<T> target(std::span<const T> y) {
  return one(y);
}
template <class T>
Targets<T> target(const std::int64_t& label) {
  return std::span<const std::int64_t>(&label, 1);
}

double exact(const BatchLoss& loss) {
  require_converged("the loss", loss.report);
  return loss.total;
}

template <class T>
double conjugate_of(const FenchelYoungLoss& loss, std::span<const T> theta) {
  double result = 0;
  require_converged("the conjugate", loss.conjugate(one(theta), std::span<double>(&result, 1), single));
  return result;
}

template <class T>
std::vector<T> prediction_of(const FenchelYoungLoss& loss, std::span<const T> theta) {
  std::vector<T> out(theta.size());
  require_converged("the prediction", loss.predict(theta, out));
  return out;
}

}  // namespace

Report FenchelYoungLoss::predict(std::span<const double> theta, std::span<double> out) const {
  return predict(one(theta), one(out), single);
}
Report FenchelYoungLoss::predict(std::span<const float> theta, std::span<float> out) const {
  return predict(one(theta), one(out), single);
}
std::vector<double> FenchelYoungLoss::predict(std::span<const double> theta) const {
  return prediction_of(*this, theta);
}
std::vector<float> FenchelYoungLoss::predict(std::span<const float> theta) const {
  return prediction_of(*this, theta);
}

double FenchelYoungLoss::regularizer(std::span<const double> mu) const {
  const operations::SolvedValue solved = solve_regularizer(mu);
  require_converged("the value of the regularizer", solved.report);
  return solved.value;
}
operations::SolvedValue FenchelYoungLoss::solve_regularizer(std::span<const double> mu) const {
  check_point("mu", mu, traits().domain);
  omega_.check_point("mu", mu);
  return omega_.solve_value(mu);
}

double FenchelYoungLoss::conjugate(std::span<const double> theta) const { return conjugate_of(*this, theta); }
double FenchelYoungLoss::conjugate(std::span<const float> theta) const { return conjugate_of(*this, theta); }

double FenchelYoungLoss::value(std::span<const double> theta, std::span<const double> y) const {
  return exact(value(one(theta), target(y), {}, single));
}
double FenchelYoungLoss::value(std::span<const float> theta, std::span<const float> y) const {
  return exact(value(one(theta), target(y), {}, single));
}
double FenchelYoungLoss::value(std::span<const double> theta, std::int64_t label) const {
  return exact(value(one(theta), target<double>(label), {}, single));
}
double FenchelYoungLoss::value(std::span<const float> theta, std::int64_t label) const {
  return exact(value(one(theta), target<float>(label), {}, single));
}

double FenchelYoungLoss::value_and_gradient(std::span<const double> theta, std::span<const double> y,
                                            std::span<double> out) const {
  return exact(value_and_gradient(one(theta), target(y), {}, one(out), single));
}
double FenchelYoungLoss::value_and_gradient(std::span<const float> theta, std::span<const float> y,
                                            std::span<float> out) const {
  return exact(value_and_gradient(one(theta), target(y), {}, one(out), single));
}
double FenchelYoungLoss::value_and_gradient(std::span<const double> theta, std::int64_t label,
                                            std::span<double> out) const {
  return exact(value_and_gradient(one(theta), target<double>(label), {}, one(out), single));
}
double FenchelYoungLoss::value_and_gradient(std::span<const float> theta, std::int64_t label,
                                            std::span<float> out) const {
  return exact(value_and_gradient(one(theta), target<float>(label), {}, one(out), single));
}

Report FenchelYoungLoss::jvp(std::span<const double> theta, std::span<const double> v,
                             std::span<double> out) const {
  return jvp(one(theta), one(v), one(out), single);
}
Report FenchelYoungLoss::jvp(std::span<const float> theta, std::span<const float> v,
                             std::span<float> out) const {
  return jvp(one(theta), one(v), one(out), single);
}

Report FenchelYoungLoss::prox(std::span<const double> eta, double tau, std::span<double> out) const {
  return prox(one(eta), tau, one(out), single);
}
Report FenchelYoungLoss::prox(std::span<const float> eta, double tau, std::span<float> out) const {
  return prox(one(eta), tau, one(out), single);
}
std::vector<double> FenchelYoungLoss::prox(std::span<const double> eta, double tau) const {
  std::vector<double> out(eta.size());
  require_converged("the proximity operator", prox(eta, tau, out));
  return out;
}

void FenchelYoungLoss::link(std::span<const double> mu, std::span<double> out) const {
  check_point("mu", mu, traits().domain);
  omega_.check_point("mu", mu);
  check_size("out", out.size(), mu.size());
  omega_.gradient(mu, out, thread_workspace());
}

std::optional<double> FenchelYoungLoss::margin(std::size_t d) const {
  check_not_empty("d", d);
  if (cost_.empty()) return omega_.margin(d);
  const AnyPolytope* polytope = omega_.polytope();
  if (polytope && traits().domain == Domain::polytope) return structured_margin(*this, *polytope);
  return traits().domain == Domain::simplex ? cost_margin(*this, d) : omega_.margin(d);
}

}  // namespace fenchel
