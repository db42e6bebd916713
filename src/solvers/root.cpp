// SPDX-License-Identifier: Apache-2.0
#include "fenchel/solvers/root.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <utility>

#include "fenchel/core/numeric.hpp"

namespace fenchel {
namespace {

constexpr std::array<std::pair<std::string_view, RootMethod>, 3> methods{
    {{"bisection", RootMethod::bisection}, {"toms748", RootMethod::toms748}, {"newton", RootMethod::newton}}};

// Of the range of φ in the bracket: with such a value, a step below one rounding error is one to the root.
constexpr double negligible_share = 1e-10;

// The search in progress: a bracket, the values at its ends and the better of the two.
struct Bracket {
  double lower, upper, at_lower, at_upper;
  int evaluations = 0;

  void take(double x, double value) {
    if (value >= 0) {
      lower = x;
      at_lower = value;
    } else {
      upper = x;
      at_upper = value;
    }
  }
  double midpoint() const { return lower + 0.5 * (upper - lower); }
  bool closed() const { return !(midpoint() > lower && midpoint() < upper); }
  double residual() const { return std::min(std::abs(at_lower), std::abs(at_upper)); }
};

Root finish(const Bracket& bracket, Status status) {
  const double x = std::abs(bracket.at_lower) <= std::abs(bracket.at_upper) ? bracket.lower : bracket.upper;
  return {x, bracket.lower, bracket.upper, {status, bracket.evaluations, bracket.residual()}};
}

Root by_bisection(FunctionRef<RootSample(double)> phi, Bracket bracket, const RootOptions& options) {
  while (bracket.evaluations < options.max_iterations) {
    if (bracket.closed() || bracket.residual() <= options.residual) return finish(bracket, Status::converged);
    const double x = bracket.midpoint();
    bracket.take(x, phi(x).value);
    ++bracket.evaluations;
  }
  return finish(bracket, Status::max_iterations);
}

Root by_newton(FunctionRef<RootSample(double)> phi, Bracket bracket, RootSample first,
               const RootOptions& options) {
  // φ is usually convex, so the walk starts at the lower end, from where Newton is monotone.
  double x = bracket.lower;
  RootSample sample = first;
  double last_step = bracket.upper - bracket.lower;
  const double range = bracket.at_lower - bracket.at_upper;
  bool stuck = false;
  while (bracket.evaluations < options.max_iterations) {
    if (bracket.closed() || bracket.residual() <= options.residual) return finish(bracket, Status::converged);
    double next = x - sample.value / sample.slope;
    if (next == x) {  // the step is below one rounding error
      if (std::abs(sample.value) <= negligible_share * range) return finish(bracket, Status::converged);
      // The root is next to x, or the slope says nothing about where it is.
      next = stuck ? bracket.midpoint() : std::nextafter(x, sample.value > 0 ? infinity : -infinity);
      stuck = true;
    }
    const bool inside = next > bracket.lower && next < bracket.upper;
    // Out of the bracket, or steps that do not shrink: bisect, so that the worst case is that of bisection.
    if (!inside || std::abs(next - x) > 0.5 * std::abs(last_step)) next = bracket.midpoint();
    last_step = next - x;
    x = next;
    sample = phi(x);
    ++bracket.evaluations;
    bracket.take(x, sample.value);
  }
  return finish(bracket, Status::max_iterations);
}

Root by_toms748(FunctionRef<RootSample(double)> phi, Bracket bracket, const RootOptions& options) {
  namespace policies = boost::math::policies;
  using Quiet = policies::policy<policies::evaluation_error<policies::ignore_error>>;
  auto value = [&](double x) {
    const double result = phi(x).value;
    const double known = std::isnan(result) ? bracket.at_upper : result;  // undefined counts as negative
    bracket.take(x, known);
    return known;
  };
  // Its interpolation cannot start from an infinite value.
  while (!(std::isfinite(bracket.at_lower) && std::isfinite(bracket.at_upper)) && !bracket.closed() &&
         bracket.evaluations < options.max_iterations) {
    value(bracket.midpoint());
    ++bracket.evaluations;
  }
  if (bracket.closed()) return finish(bracket, Status::converged);
  // TOMS 748 keeps two roundings away from the ends of its bracket; the last ones are left to bisection.
  auto nearly_closed = [&](double a, double b) {
    return b - a <= 4 * machine_epsilon * std::max(std::abs(a), std::abs(b)) ||
           bracket.residual() <= options.residual;
  };
  auto budget = static_cast<std::uintmax_t>(options.max_iterations);
  boost::math::tools::toms748_solve(value, bracket.lower, bracket.upper, bracket.at_lower, bracket.at_upper,
                                    nearly_closed, budget, Quiet());
  bracket.evaluations += static_cast<int>(budget);
  return by_bisection(phi, bracket, options);
}

}  // namespace

std::optional<RootMethod> root_method(std::string_view name) {
  for (const auto& [known, method] : methods) {
    if (known == name) return method;
  }
  return std::nullopt;
}

std::string_view to_string(RootMethod method) {
  for (const auto& [name, known] : methods) {
    if (known == method) return name;
  }
  return "unknown";
}

Root find_root(FunctionRef<RootSample(double)> phi, double lower, double upper, const RootOptions& options) {
  const RootSample at_lower = phi(lower);
  if (!(at_lower.value > 0) || lower == upper) {
    return {lower, lower, lower, {Status::converged, 1, std::abs(at_lower.value)}};
  }
  const RootSample at_upper = phi(upper);
  if (!(at_upper.value < 0)) {
    return {upper, upper, upper, {Status::converged, 2, std::abs(at_upper.value)}};
  }
  const Bracket bracket{lower, upper, at_lower.value, at_upper.value, 2};
  switch (options.method) {
    case RootMethod::bisection:
      return by_bisection(phi, bracket, options);
    case RootMethod::toms748:
      return by_toms748(phi, bracket, options);
    case RootMethod::newton:
      return by_newton(phi, bracket, at_lower, options);
  }
  return by_bisection(phi, bracket, options);
}

}  // namespace fenchel
