// SPDX-License-Identifier: Apache-2.0
#include "regularizers/pairwise_costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fenchel/core/check.hpp"
#include "fenchel/core/numeric.hpp"
#include "solvers/interior_point.hpp"

namespace fenchel::pairwise {
namespace {

// s_j = Σ_i p_i c_ij.
std::vector<double> expected_costs(const CostMatrix& costs, std::span<const double> p) {
  check_size("costs", costs.size(), p.size());
  std::vector<double> s(p.size(), 0.0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) s[j] += p[i] * costs[i][j];
  }
  return s;
}

// r_j = (min s)/s_j, with 0/0 read as 1: finite also where a class is certain.
std::vector<double> ratios(const std::vector<double>& s, double least) {
  std::vector<double> r(s.size());
  for (std::size_t j = 0; j < s.size(); ++j) r[j] = s[j] == least ? 1 : least / s[j];
  return r;
}

// maximise scale·(⟨θ,p⟩ + H(p)) − (ridge/2)‖p‖² over the classes in `active`, in the variables (p, t).
struct Programme {
  Kind kind;
  const CostMatrix& costs;
  std::vector<std::size_t> active;
  std::span<const double> theta;
  double weight;  // of H
  double ridge;   // of ½‖p‖²

  std::size_t classes() const { return costs.size(); }
  std::size_t size() const { return active.size() + (kind == Kind::squared ? 0 : 1); }

  void operator()(std::span<const double> x, std::span<double> gradient, std::span<double> hessian) const {
    const std::size_t a = active.size();
    const std::size_t n = size();
    const auto d = static_cast<double>(classes());
    std::ranges::fill(hessian, 0.0);
    std::vector<double> s(classes(), 0.0), by_s(classes(), 0.0), by_ss(classes(), 0.0), by_st(classes(), 0.0);
    for (std::size_t i = 0; i < a; ++i) {
      for (std::size_t j = 0; j < classes(); ++j) s[j] += x[i] * costs[active[i]][j];
    }
    double total = 0;
    for (const double entry : s) total += 1 / entry;
    double rank_one = 0;  // the squared hinge's Hessian in s has −d² S w² (w²)ᵀ
    std::vector<double> w2(classes(), 0.0);
    if (kind == Kind::squared) {
      for (std::size_t j = 0; j < classes(); ++j) {
        const double w = 1 / (s[j] * total);
        w2[j] = w * w;
        by_s[j] = -0.5 * d * d * w * w;
        by_ss[j] = d * d * w * w / s[j];
      }
      rank_one = -d * d * total;
    } else {
      const double t = x[a];
      gradient[a] = -weight * d;
      if (kind == Kind::smoothed) {
        gradient[a] += weight * t * total;
        hessian[a * n + a] = weight * total;
        for (std::size_t j = 0; j < classes(); ++j) {
          by_s[j] = -0.5 * t * t / (s[j] * s[j]);
          by_ss[j] = t * t / (s[j] * s[j] * s[j]);
          by_st[j] = -t / (s[j] * s[j]);
        }
      }
    }
    std::vector<double> projected(a, 0.0);
    for (std::size_t i = 0; i < a; ++i) {
      const auto& row = costs[active[i]];
      gradient[i] = -theta[active[i]] + ridge * x[i];
      for (std::size_t j = 0; j < classes(); ++j) {
        gradient[i] += weight * row[j] * by_s[j];
        projected[i] += row[j] * w2[j];
        if (kind != Kind::squared) hessian[i * n + a] += weight * row[j] * by_st[j];
      }
      if (kind != Kind::squared) hessian[a * n + i] = hessian[i * n + a];
      hessian[i * n + i] += ridge;
      for (std::size_t k = 0; k < a; ++k) {
        for (std::size_t j = 0; j < classes(); ++j) {
          hessian[i * n + k] += weight * row[j] * by_ss[j] * costs[active[k]][j];
        }
      }
    }
    for (std::size_t i = 0; i < a; ++i) {
      for (std::size_t k = 0; k < a; ++k)
        hessian[i * n + k] += weight * rank_one * projected[i] * projected[k];
    }
  }
};

constexpr double certain_gap = 1e-10;  // relative to the scores

// Near a vertex the multipliers of the interior-point method may not settle though the point has: max_i g_i −
// ⟨p, g⟩, g the gradient of what is maximised, bounds what is left to gain.
Report certified(const Programme& programme, std::span<const double> p, Report report) {
  std::vector<double> slope(p.size());
  gradient(programme.kind, programme.costs, p, slope);
  double highest = -infinity, mean = 0, size = 1;
  for (const std::size_t j : programme.active) {
    const double entry = programme.theta[j] - programme.weight * slope[j] - programme.ridge * p[j];
    highest = std::max(highest, entry);
    mean += p[j] * entry;
    size = std::max(size, std::abs(programme.theta[j]));
  }
  report.residual = std::min(report.residual, std::max(highest - mean, 0.0));
  if (highest - mean <= certain_gap * size) report.status = Status::converged;
  return report;
}

Report solve(const Programme& programme, std::span<double> out) {
  const std::size_t a = programme.active.size();
  const std::size_t n = programme.size();
  const std::size_t d = programme.classes();
  std::vector<double> x(n, 1 / static_cast<double>(a));
  std::ranges::fill(out, 0.0);
  for (const std::size_t j : programme.active) out[j] = 1 / static_cast<double>(a);
  const std::vector<double> s = expected_costs(programme.costs, out);
  const double least = *std::ranges::min_element(s);
  std::ranges::fill(out, 0.0);
  if (a == 1 || least == 0) {
    // Nothing to mix, or H vanishes on these classes: the best score wins.
    const auto best =
        std::ranges::max_element(programme.active, {}, [&](std::size_t j) { return programme.theta[j]; });
    out[*best] = 1;
    return {};
  }
  ConvexProgram problem{programme, {}, {}, std::vector<double>(n, 0.0)};
  std::fill_n(problem.equality.begin(), a, 1.0);
  auto add_row = [&](std::vector<double> row) {
    problem.inequality.insert(problem.inequality.end(), row.begin(), row.end());
    problem.bound.push_back(0);
  };
  for (std::size_t i = 0; i < a; ++i) {
    std::vector<double> row(n, 0.0);
    row[i] = -1;
    add_row(row);
  }
  if (programme.kind != Kind::squared) {
    x[a] = 0.5 * least;
    for (std::size_t j = 0; j < d; ++j) {
      std::vector<double> row(n, 0.0);
      for (std::size_t i = 0; i < a; ++i) row[i] = -programme.costs[programme.active[i]][j];
      row[a] = 1;
      add_row(row);
    }
  }
  std::vector<double> multipliers(problem.bound.size());
  const Report report = InteriorPoint{}.minimize(problem, x, multipliers);
  double sum = 0;
  for (std::size_t i = 0; i < a; ++i) {
    if (x[i] < multipliers[i]) x[i] = 0;  // strict complementarity: the multiplier is the one that stays
    sum += x[i];
  }
  for (std::size_t i = 0; i < a; ++i) out[programme.active[i]] = x[i] / sum;
  return report.converged() ? report : certified(programme, out, report);
}

// The classes that can have mass. Moving mass to the best class changes H by at most the largest cost times
// Σ_j |∂H/∂s_j| ≤ max(3d/2, d²/2), so a score lower than that (in all, `weight` times that, plus 1 for the
// ridge) is as good as a mask; leaving it out keeps the programme well scaled.
std::vector<std::size_t> contenders(const CostMatrix& costs, std::span<const double> theta, double weight,
                                    double ridge) {
  const auto d = static_cast<double>(costs.size());
  double largest = 0;
  for (const auto& row : costs) largest = std::max(largest, max_of(row));
  const double cut = max_of(theta) - weight * largest * std::max(1.5 * d, 0.5 * d * d) - ridge;
  std::vector<std::size_t> active;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    if (theta[j] >= cut && theta[j] != -infinity) active.push_back(j);
  }
  return active;
}

}  // namespace

void check_costs(const CostMatrix& costs) {
  std::vector<double> column_sum(costs.size(), 0.0);
  for (std::size_t k = 0; k < costs.size(); ++k) {
    check_size(fmt::format("costs[{}]", k), costs[k].size(), costs.size());
    for (std::size_t j = 0; j < costs.size(); ++j) {
      const std::string name = fmt::format("costs[{}][{}]", k, j);
      check_finite(name, costs[k][j]);
      check_at_least(name, costs[k][j], 0);
      column_sum[j] += costs[k][j];
    }
  }
  for (std::size_t j = 0; j < costs.size() && costs.size() > 1; ++j) {
    if (column_sum[j] == 0) {
      throw std::invalid_argument(
          fmt::format("costs has only zeros in column {}; expected a positive cost", j));
    }
  }
}

double value(Kind kind, const CostMatrix& costs, std::span<const double> p) {
  const std::vector<double> s = expected_costs(costs, p);
  const double least = *std::ranges::min_element(s);
  const auto d = static_cast<double>(p.size());
  if (kind == Kind::hinge) return -d * least;
  const std::vector<double> r = ratios(s, least);
  const double sum = std::accumulate(r.begin(), r.end(), 0.0);
  return kind == Kind::smoothed ? least * (0.5 * sum - d) : -0.5 * d * d * least / sum;
}

void gradient(Kind kind, const CostMatrix& costs, std::span<const double> p, std::span<double> out) {
  const std::vector<double> s = expected_costs(costs, p);
  const double least = *std::ranges::min_element(s);
  const std::vector<double> r = ratios(s, least);
  const double sum = std::accumulate(r.begin(), r.end(), 0.0);
  const auto ties = static_cast<double>(std::ranges::count(s, least));
  const auto d = static_cast<double>(p.size());
  std::ranges::fill(out, 0.0);
  for (std::size_t j = 0; j < p.size(); ++j) {
    const bool tied = s[j] == least;
    double by_s = 0;  // ∂Ω/∂s_j, where ties share the slope in the minimum
    switch (kind) {
      case Kind::hinge:
        by_s = tied ? -d / ties : 0;
        break;
      case Kind::smoothed:
        by_s = -0.5 * r[j] * r[j] - (tied ? (d - sum) / ties : 0);
        break;
      case Kind::squared:
        by_s = -0.5 * d * d * r[j] * r[j] / (sum * sum);
        break;
    }
    for (std::size_t i = 0; i < p.size(); ++i) out[i] += costs[i][j] * by_s;
  }
}

Report predict(Kind kind, const CostMatrix& costs, std::span<const double> theta, std::span<double> out) {
  check_size("costs", costs.size(), theta.size());
  return solve({kind, costs, contenders(costs, theta, 1, 0), theta, 1, 0}, out);
}

Report prox(Kind kind, const CostMatrix& costs, std::span<const double> eta, double tau,
            std::span<double> out) {
  check_size("costs", costs.size(), eta.size());
  return solve({kind, costs, contenders(costs, eta, tau, 1), eta, tau, 1}, out);
}

std::optional<double> margin(Kind kind, const CostMatrix& costs, std::size_t d) {
  check_size("costs", costs.size(), d);
  return operations::margin_by_search([&](std::span<const double> p) { return value(kind, costs, p); }, d);
}

}  // namespace fenchel::pairwise
