// SPDX-License-Identifier: Apache-2.0
// The worst θ for a label k leads every other by m. With Δ_j = c_k,j − c_k,k its loss is zero iff
//   Σ_j p_j (m − Δ_j) ≥ Ω(e_k) − Ω(p)   for all p, j ≠ k.
// Where Ω is convex and differentiable at e_k, that is m ≥ ∂_kΩ(e_k) − ∂_jΩ(e_k) + Δ_j for all j. Elsewhere m
// is found by bisection below the margin of Ω plus the largest Δ, which is always enough.
#include "losses/cost_margin.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "losses/row_loss.hpp"

namespace fenchel {
namespace {

constexpr double zero_loss = 1e-13;  // relative to the scores: a loss that is zero but for rounding
constexpr double precision = 1e-12;  // of the margin, relative

// What one label needs.
class LabelMargin {
 public:
  LabelMargin(const FenchelYoungLoss& loss, std::size_t label, std::size_t d)
      : loss_(loss), label_(label), y_(d, 0.0), cost_(d), theta_(d), residual_(d), slope_(d) {
    y_[label] = 1;
    loss.cost().write(y_, cost_);
    const double own = cost_[label];
    for (double& entry : cost_) entry -= own;
  }

  // The largest Δ.
  double largest() const {
    double result = -infinity;
    for (std::size_t j = 0; j < cost_.size(); ++j) {
      if (j != label_) result = std::max(result, cost_[j]);
    }
    return result;
  }

  // From the slopes of Ω at the vertex.
  double by_slopes(Workspace& scratch) {
    loss_.omega().gradient(y_, slope_, scratch);
    double result = -infinity;
    for (std::size_t j = 0; j < cost_.size(); ++j) {
      if (j != label_) result = std::max(result, slope_[label_] - slope_[j] + cost_[j]);
    }
    return result;
  }

  // By bisection: `enough` is, and so is everything above the result.
  double by_bisection(double enough, Workspace& scratch) {
    const double scale = 1 + std::abs(enough);
    double below = enough - scale;
    while (has_zero_loss(below, scratch)) {
      enough = below;
      below -= scale;
      if (enough < -1e3 * scale) return enough;  // no lead is needed at all: this label decides nothing
    }
    while (enough - below > precision * scale) {
      const double middle = 0.5 * (below + enough);
      (has_zero_loss(middle, scratch) ? enough : below) = middle;
    }
    return enough;
  }

 private:
  bool has_zero_loss(double lead, Workspace& scratch) {
    for (std::size_t j = 0; j < theta_.size(); ++j) theta_[j] = j == label_ ? 0 : cost_[j] - lead;
    const double top = operations::shift_scores(Domain::simplex, std::span<double>(theta_));
    Report report;
    const double loss = loss_and_residual(loss_.omega(), theta_, y_, {residual_, report}, scratch);
    return loss <= zero_loss * (1 + std::abs(top));
  }

  const FenchelYoungLoss& loss_;
  std::size_t label_;
  std::vector<double> y_, cost_, theta_, residual_, slope_;
};

}  // namespace

std::optional<double> cost_margin(const FenchelYoungLoss& loss, std::size_t d) {
  const auto plain = loss.omega().margin(d);
  if (!plain || d == 1) return plain;
  const Traits facts = loss.traits();
  Workspace& scratch = thread_workspace();
  double margin = -infinity;
  for (std::size_t k = 0; k < d; ++k) {
    LabelMargin label(loss, k, d);
    const double needed = facts.convex && facts.differentiable
                              ? label.by_slopes(scratch)
                              : label.by_bisection(*plain + label.largest(), scratch);
    margin = std::max(margin, needed);
  }
  return margin;
}

}  // namespace fenchel
