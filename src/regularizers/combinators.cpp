// SPDX-License-Identifier: Apache-2.0
#include "fenchel/regularizers/combinators.hpp"

#include <algorithm>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "regularizers/margin_search.hpp"

namespace fenchel {
namespace {

Spec extended(const AnyRegularizer& omega, std::string key, SpecValue value) {
  Spec spec = omega.spec();
  spec.parameters.emplace_back(std::move(key), std::move(value));
  return spec;
}

std::span<double> scaled(std::span<const double> values, double factor, Workspace& scratch) {
  const auto copy = scratch.take<double>(values.size());
  for (std::size_t j = 0; j < values.size(); ++j) copy[j] = values[j] * factor;
  return copy;
}

std::optional<double> times(double factor, std::optional<double> value) {
  return value ? std::optional(factor * *value) : std::nullopt;
}

// θ + c, shifted as Ω over the simplex expects, and the shift.
struct CostedScores {
  std::span<double> scores;
  double shift;

  CostedScores(std::span<const double> theta, const CostSensitive& self, Workspace& scratch)
      : scores(scratch.take<double>(theta.size())) {
    check_size("cost", self.cost.size(), theta.size());
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] = theta[j] + self.cost[j];
    shift = operations::shift_scores(self.omega.refined_traits().domain, scores);
  }
};

template <Real T>
std::size_t predict_at_temperature(const Temperature& self, MatrixView<const T> theta, MatrixView<T> out,
                                   RowSummaries summaries) {
  // Subtracting the maximum first keeps θ/t exact for scores over the simplex with a large common shift. Bad
  // entries become NaN here and are found by Ω's own kernel.
  const Domain domain = self.refined_traits().domain;
  Workspace& scratch = thread_workspace();
  const Workspace::Frame frame(scratch);
  const auto tops = scratch.take<double>(theta.rows());
  for (std::size_t i = 0; i < theta.rows(); ++i) {
    const auto row = out.row(i);
    std::ranges::copy(theta.row(i), row.begin());
    tops[i] = static_cast<double>(operations::shift_scores(domain, row));
    for (T& score : row) score /= static_cast<T>(self.temperature);
  }
  const std::size_t bad = self.omega.predict_block(MatrixView<const T>(out), out, summaries);
  if (summaries.wanted()) {
    for (std::size_t i = 0; i < theta.rows(); ++i) {
      summaries.conjugate[i] = self.temperature * (summaries.shift[i] + summaries.conjugate[i]);
      summaries.shift[i] = tops[i];
    }
  }
  return bad;
}

template <Real T>
bool jvp_at_temperature(const Temperature& self, MatrixView<const T> prediction, MatrixView<const T> v,
                        MatrixView<T> out) {
  if (!self.omega.jvp_block(prediction, v, out)) return false;
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (T& entry : out.row(i)) entry /= static_cast<T>(self.temperature);
  }
  return true;
}

template <Real T>
std::size_t predict_with_constant(const Constant& self, MatrixView<const T> theta, MatrixView<T> out,
                                  RowSummaries summaries) {
  const std::size_t bad = self.omega.predict_block(theta, out, summaries);
  for (double& entry : summaries.conjugate) entry -= self.constant;
  return bad;
}

}  // namespace

// ---------------------------------------------------------------- temperature

Traits Temperature::refined_traits() const {
  Traits refined = omega.refined_traits();
  refined.score_limit *= temperature;
  return refined;
}

Spec Temperature::spec() const { return extended(omega, "temperature", temperature); }

void Temperature::check() const {
  check_greater("temperature", temperature, 0);
  check_at_least("temperature", temperature, 1e-150);  // scores are divided by it
  check_finite("temperature", temperature);
}

operations::SolvedValue Temperature::solve_value(std::span<const double> mu) const {
  operations::SolvedValue solved = omega.solve_value(mu);
  solved.value *= temperature;
  return solved;
}

Report Temperature::predict(std::span<const double> theta, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  return omega.predict(scaled(theta, 1 / temperature, scratch), out, scratch);
}

double Temperature::conjugate(std::span<const double> theta, std::span<const double> prediction) const {
  const Workspace::Frame frame(thread_workspace());
  return temperature * omega.conjugate(scaled(theta, 1 / temperature, thread_workspace()), prediction);
}

double Temperature::loss(std::span<const double> theta, std::span<const double> y,
                         std::span<const double> prediction) const {
  const Workspace::Frame frame(thread_workspace());
  return temperature * omega.loss(scaled(theta, 1 / temperature, thread_workspace()), y, prediction);
}

void Temperature::gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
  omega.gradient(mu, out, scratch);
  for (double& entry : out) entry *= temperature;
}

Report Temperature::prox(std::span<const double> eta, double tau, std::span<double> out,
                         Workspace& scratch) const {
  return omega.prox(eta, tau * temperature, out, scratch);
}

void Temperature::jvp(std::span<const double> theta, std::span<const double> prediction,
                      std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  omega.jvp(scaled(theta, 1 / temperature, scratch), prediction, v, out, scratch);
  for (double& entry : out) entry /= temperature;
}

std::optional<double> Temperature::margin(std::size_t d) const { return times(temperature, omega.margin(d)); }

std::optional<double> Temperature::strong_convexity() const {
  return times(temperature, omega.strong_convexity());
}

std::optional<double> Temperature::smoothness() const { return times(temperature, omega.smoothness()); }

bool Temperature::takes_blocks() const {
  const Domain domain = omega.refined_traits().domain;
  return omega.takes_blocks() && (domain == Domain::simplex || domain == Domain::polytope);
}

std::size_t Temperature::predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                       RowSummaries summaries) const {
  return predict_at_temperature(*this, theta, out, summaries);
}
std::size_t Temperature::predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                       RowSummaries summaries) const {
  return predict_at_temperature(*this, theta, out, summaries);
}

bool Temperature::jvp_block(MatrixView<const float> prediction, MatrixView<const float> v,
                            MatrixView<float> out) const {
  return jvp_at_temperature(*this, prediction, v, out);
}
bool Temperature::jvp_block(MatrixView<const double> prediction, MatrixView<const double> v,
                            MatrixView<double> out) const {
  return jvp_at_temperature(*this, prediction, v, out);
}

std::optional<double> Temperature::ridge() const { return times(temperature, omega.ridge()); }

// ---------------------------------------------------------------- constant

Traits Constant::refined_traits() const {
  Traits refined = omega.refined_traits();
  refined.zero_at_vertices = refined.zero_at_vertices && constant == 0;
  return refined;
}

Spec Constant::spec() const { return extended(omega, "constant", constant); }

void Constant::check() const { check_finite("constant", constant); }

operations::SolvedValue Constant::solve_value(std::span<const double> mu) const {
  operations::SolvedValue solved = omega.solve_value(mu);
  solved.value += constant;
  return solved;
}

std::size_t Constant::predict_block(MatrixView<const float> theta, MatrixView<float> out,
                                    RowSummaries summaries) const {
  return predict_with_constant(*this, theta, out, summaries);
}
std::size_t Constant::predict_block(MatrixView<const double> theta, MatrixView<double> out,
                                    RowSummaries summaries) const {
  return predict_with_constant(*this, theta, out, summaries);
}

// ---------------------------------------------------------------- cost

Traits CostSensitive::refined_traits() const {
  Traits refined = omega.refined_traits();
  refined.symmetric = false;
  refined.zero_at_vertices = false;
  refined.score_limit -= max_of(cost);
  return refined;
}

Spec CostSensitive::spec() const { return extended(omega, "cost", cost); }

void CostSensitive::check() const {
  check_not_empty("cost", cost.size());
  check_finite("cost", std::span<const double>(cost));
  if (const auto d = omega.dimension()) check_size("cost", cost.size(), *d);
}

double CostSensitive::value(std::span<const double> mu) const { return solve_value(mu).value; }

operations::SolvedValue CostSensitive::solve_value(std::span<const double> mu) const {
  check_size("cost", cost.size(), mu.size());
  operations::SolvedValue solved = omega.solve_value(mu);
  solved.value -= dot_masked(cost, mu);
  return solved;
}

Report CostSensitive::predict(std::span<const double> theta, std::span<double> out,
                              Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const CostedScores shifted(theta, *this, scratch);
  return omega.predict(shifted.scores, out, scratch);
}

double CostSensitive::conjugate(std::span<const double> theta, std::span<const double> prediction) const {
  const Workspace::Frame frame(thread_workspace());
  const CostedScores shifted(theta, *this, thread_workspace());
  return shifted.shift + omega.conjugate(shifted.scores, prediction);
}

double CostSensitive::loss(std::span<const double> theta, std::span<const double> y,
                           std::span<const double> prediction) const {
  const Workspace::Frame frame(thread_workspace());
  const CostedScores shifted(theta, *this, thread_workspace());
  return omega.loss(shifted.scores, y, prediction);
}

void CostSensitive::gradient(std::span<const double> mu, std::span<double> out, Workspace& scratch) const {
  omega.gradient(mu, out, scratch);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] -= cost[j];
}

Report CostSensitive::prox(std::span<const double> eta, double tau, std::span<double> out,
                           Workspace& scratch) const {
  check_size("cost", cost.size(), eta.size());
  const Workspace::Frame frame(scratch);
  const auto shifted = scratch.take<double>(eta.size());
  for (std::size_t j = 0; j < eta.size(); ++j) shifted[j] = eta[j] + tau * cost[j];
  return omega.prox(shifted, tau, out, scratch);
}

void CostSensitive::jvp(std::span<const double> theta, std::span<const double> prediction,
                        std::span<const double> v, std::span<double> out, Workspace& scratch) const {
  const Workspace::Frame frame(scratch);
  const CostedScores shifted(theta, *this, scratch);
  omega.jvp(shifted.scores, prediction, v, out, scratch);
}

std::optional<double> CostSensitive::margin(std::size_t d) const {
  check_size("cost", cost.size(), d);
  const AnyPolytope* polytope = omega.polytope();
  if (polytope && omega.refined_traits().domain == Domain::polytope) {
    const auto costed = [&](std::span<const double> theta, std::span<const double>, std::span<double> mu) {
      predict(theta, mu, thread_workspace());
    };
    if (single_structure(*polytope)) return 0;
    return search_structured_margin(*polytope, costed, {.differentiable = omega.ridge().has_value()});
  }
  const auto inner = omega.margin(d);
  if (!inner) return std::nullopt;
  // The worst truth is the class with the least cost against the one with the most.
  const auto [least, most] = std::ranges::minmax(cost);
  return *inner + most - least;
}

}  // namespace fenchel
