// SPDX-License-Identifier: Apache-2.0
#include "fenchel/training/penalty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/spec_reader.hpp"
#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/option_error.hpp"

namespace fenchel {
namespace {

double soft_threshold(double x, double level) { return x > level ? x - level : x < -level ? x + level : 0; }

constexpr std::array<PenaltyKind, 5> kinds{{
    {.name = "none", .has_lambda = false, .make = [](double, double) -> Penalty { return NoPenalty(); }},
    {.name = "l2", .make = [](double lambda, double) -> Penalty { return L2(lambda); }},
    {.name = "l1", .make = [](double lambda, double) -> Penalty { return L1(lambda); }},
    {.name = "elastic_net",
     .has_rho = true,
     .make = [](double lambda, double rho) -> Penalty { return ElasticNet(lambda, rho); }},
    {.name = "group_lasso", .make = [](double lambda, double) -> Penalty { return GroupLasso(lambda); }},
}};

void check_strength(std::string_view option, double value) {
  check_option_at_least(option, value, 0);
  check_option_finite(option, value);
}

}  // namespace

std::span<const PenaltyKind> penalty_kinds() { return kinds; }

bool has_rho(std::string_view penalty) {
  const auto* kind = std::ranges::find(kinds, penalty, &PenaltyKind::name);
  return kind != kinds.end() && kind->has_rho;
}

Penalty make_penalty(std::string_view name, double lambda, double rho) {
  const auto* kind = std::ranges::find(kinds, name, &PenaltyKind::name);
  if (kind == kinds.end()) {
    std::vector<std::string_view> names;
    names.reserve(kinds.size());
    for (const PenaltyKind& each : kinds) names.push_back(each.name);
    throw OptionError(fmt::format("`penalty` is '{}'; expected {}{}", name, fmt::join(names, ", "),
                                  spec::suggestion(name, names)));
  }
  if (kind->has_lambda) check_strength("lambda", lambda);
  if (kind->has_rho) check_strength("rho", rho);
  const Penalty result = kind->make(lambda, rho);
  result.check();
  return result;
}

void Penalty::check() const {
  check_at_least("penalty.l2", l2, 0);
  check_at_least("penalty.l1", l1, 0);
  check_at_least("penalty.group", group, 0);
  check_finite("penalty.l2", l2);
  check_finite("penalty.l1", l1);
  check_finite("penalty.group", group);
}

double Penalty::smooth_value(std::span<const double> w) const {
  return l2 == 0 ? 0 : 0.5 * l2 * squared_norm(w);
}

double Penalty::value(std::span<const double> w, std::size_t width) const {
  double total = smooth_value(w);
  if (l1 > 0) {
    double sum = 0;
    for (const double entry : w) sum += std::abs(entry);
    total += l1 * sum;
  }
  if (group > 0) {
    double sum = 0;
    for (std::size_t at = 0; at < w.size(); at += width) sum += std::sqrt(squared_norm(w.subspan(at, width)));
    total += group * sum;
  }
  return total;
}

void Penalty::add_smooth_gradient(std::span<const double> w, std::span<double> gradient) const {
  if (l2 == 0) return;
  for (std::size_t j = 0; j < w.size(); ++j) gradient[j] += l2 * w[j];
}

void Penalty::prox(double step, std::size_t width, std::span<double> w) const {
  if (l1 > 0) {
    for (double& entry : w) entry = soft_threshold(entry, step * l1);
  }
  if (group > 0) {
    for (std::size_t at = 0; at < w.size(); at += width) {
      const auto row = w.subspan(at, width);
      const double norm = std::sqrt(squared_norm(row));
      const double scale = norm > step * group ? 1 - step * group / norm : 0;
      for (double& entry : row) entry *= scale;
    }
  }
}

void Penalty::full_prox(double step, std::size_t width, std::span<double> w) const {
  prox(step, width, w);
  if (l2 == 0) return;
  const double scale = 1 / (1 + step * l2);
  for (double& entry : w) entry *= scale;
}

double Penalty::conjugate(std::span<const double> v, std::size_t width) const {
  // Row by row: soft thresholding leaves what the other terms have to hold, and of its norm the group term
  // takes `group`. What remains must be 0 without l2.
  double total = 0;
  std::vector<double> rest(width);
  for (std::size_t at = 0; at < v.size(); at += width) {
    for (std::size_t k = 0; k < width; ++k) rest[k] = soft_threshold(v[at + k], l1);
    const double excess = std::max(0.0, norm(rest) - group);
    if (excess == 0) continue;
    if (l2 == 0) return infinity;
    total += 0.5 * excess * (excess / l2);
  }
  return total;
}

void Penalty::conjugate_gradient(std::span<const double> v, std::size_t width, std::span<double> w) const {
  for (std::size_t j = 0; j < v.size(); ++j) w[j] = v[j] / l2;
  prox(1 / l2, width, w);
}

}  // namespace fenchel
