// SPDX-License-Identifier: Apache-2.0
// With r = ‖p‖_β and b = β/(β − 1), Ω(p) = b log r. Let g(r) be the largest ⟨θ, p⟩ with ‖p‖_β ≤ r: concave,
// as the maximum of a linear function over convex sets, and reached at p(τ) ∝ [θ − τ]₊^{1/(β−1)} for some τ,
// with slope g'(r) = s/r, s = ⟨θ, p⟩ − τ. So the maximum is that of g(r) − b log r on a curve. Between two of
// its points, g lies below both tangents and −b log r is convex: an upper bound is known, and halving the
// stretches whose bound is above the best point found leaves the global maximum (branch and bound). A few
// dozen points are enough.
#include "regularizers/renyi_maximum.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "core/pooled.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/solvers/root.hpp"

namespace fenchel {
namespace {

constexpr double certain = 1e-12;    // of 1 + the maximum: what another point may be better by
constexpr double rounding = 1e-9;    // the same where floating point ends before that
constexpr int most_points = 20'000;  // a few dozen are usual
constexpr double alike = 0.5;        // weights whose ratio is above are halved by δ, which keeps its digits

// Where on the curve: classes 0..k, from the top, are in the support, τ = θ_k − δ, and the weight of class k
// is w = δ^{1/(β−1)}. For large β that jumps from 0 to almost 1 within the rounding of τ, so both are kept.
struct Place {
  std::size_t k = 0;
  double delta = 0;
  double weight = 0;

  bool operator==(const Place&) const = default;
};

// A point of the curve, scores relative to the top one.
struct Point {
  Place place;
  double score = 0;  // g = ⟨θ, p⟩
  double omega = 0;  // Ω(p) = b log r
  double slope = 0;  // s = g − τ

  double objective() const { return score - omega; }
};

class Curve {
 public:
  // `sorted` holds finite scores in decreasing order, less the first.
  Curve(double beta, std::span<const double> sorted)
      : beta_(beta), power_(1 / (beta - 1)), b_(beta / (beta - 1)), sorted_(sorted) {}

  double b() const { return b_; }

  Place by_delta(std::size_t k, double delta) const { return {k, delta, std::pow(delta, power_)}; }
  Place by_weight(std::size_t k, double weight) const { return {k, std::pow(weight, beta_ - 1), weight}; }
  Place at(double tau) const {
    const auto below = std::ranges::partition_point(sorted_, [&](double score) { return score > tau; });
    const auto k = static_cast<std::size_t>(below - sorted_.begin()) - 1;
    return by_delta(k, sorted_[k] - tau);
  }
  // Every stationary point has ⟨θ, p⟩ = τ + b, and ⟨θ, p⟩ lies between the scores.
  Place first() const { return at(sorted_.back() - b_); }
  Place last() const { return at(sorted_.front() - b_); }

  Point sample(const Place& place) const {
    const double top = place.delta - sorted_[place.k];  // θ_0 − τ ≥ b
    const double scale = std::pow(top, -power_);
    // Σw, Σwρ and Σw(ρ − 1) with ρ = (θ − τ)/(θ_0 − τ) = w^{β−1}.
    double total = 0, first_moment = 0, drop = 0;
    for (std::size_t j = 0; j <= place.k; ++j) {
      const double w = relative_weight(sorted_[j], place, top, scale);
      const double lower = sorted_[j] / top;
      total += w;
      first_moment += w * (1 + lower);
      drop += w * lower;
    }
    const double mean = first_moment / total, below = drop / total;
    const double log_mean = mean > 0.5 ? std::log1p(below) : std::log(mean);
    return {place, top * below, power_ * log_mean - std::log(total), top * mean};
  }

  // p at a place, for scores in any order.
  void write(const Place& place, std::span<const double> theta, double highest, std::span<double> p) const {
    const double top = place.delta - sorted_[place.k];
    const double scale = std::pow(top, -power_);
    double total = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      const double score = theta[j] - highest;
      p[j] = score < sorted_[place.k] ? 0 : relative_weight(score, place, top, scale);
      total += p[j];
    }
    for (double& entry : p) entry /= total;
  }

  // A place between two others, where floating point has one.
  std::optional<Place> between(const Place& a, const Place& c) const {
    if (a.k > c.k + 1) return by_delta((a.k + c.k + 1) / 2, 0);
    if (a.k == c.k + 1 && a.delta > 0) return by_delta(a.k, 0);
    // The two lie on one stretch, whose lower end may be the place where the next class is about to enter.
    const Place low = a.k == c.k ? a : by_delta(c.k, sorted_[c.k] - sorted_[a.k]);
    const bool by_weights = power_ < 1 && c.weight < alike * low.weight;
    const Place middle = by_weights ? by_weight(c.k, 0.5 * (low.weight + c.weight))
                                    : by_delta(c.k, 0.5 * (low.delta + c.delta));
    if (middle == low || middle == c) return std::nullopt;
    return middle;
  }

 private:
  double relative_weight(double score, const Place& place, double top, double scale) const {
    const double above = score - sorted_[place.k];
    if (above == 0 && power_ < 1) return place.weight * scale;
    return std::exp(power_ * std::log1p(score / top));
  }

  double beta_;
  double power_;
  double b_;
  std::span<const double> sorted_;
};

// What g(r) − b log r is at most between a and c, r smaller at a. With x = r/r_a − 1 the tangents of g are
// g_a + s_a x and g_c + s_c ((1 + x) r_a/r_c − 1), and the bound is largest where they meet or at an end.
double bound(const Point& a, const Point& c, double b) {
  const double ends = std::max(a.objective(), c.objective());
  const double width = std::expm1((c.omega - a.omega) / b);  // r_c/r_a − 1
  if (!(width > 0)) return ends;
  const double steeper = a.slope - c.slope / (1 + width);
  if (!(steeper > 0)) return ends;
  const double x = std::clamp((c.score - a.score - c.slope * width / (1 + width)) / steeper, 0.0, width);
  return std::max(ends, a.score + a.slope * x - a.omega - b * std::log1p(x));
}

struct Stretch {
  Point a, c;
  double most = 0;

  bool operator<(const Stretch& other) const { return most < other.most; }
};

// Branch and bound.
class BranchAndBound {
 public:
  explicit BranchAndBound(const Curve& curve) : curve_(curve) { heap_->clear(); }

  Point run(Report& report) {
    const Point first = curve_.sample(curve_.first()), last = curve_.sample(curve_.last());
    best_ = first;
    improve(last);
    push(first, last);
    points_ = 2;
    while (!heap_->empty() && heap_->front().most > enough() && points_ < most_points) {
      std::pop_heap(heap_->begin(), heap_->end());
      const Stretch stretch = heap_->back();
      heap_->pop_back();
      const std::optional<Place> middle = curve_.between(stretch.a.place, stretch.c.place);
      if (!middle) {
        unresolved_ = std::max(unresolved_, stretch.most);
        continue;
      }
      const Point point = curve_.sample(*middle);
      ++points_;
      improve(point);
      push(stretch.a, point);
      push(point, stretch.c);
    }
    const double most = std::max(unresolved_, heap_->empty() ? -infinity : heap_->front().most);
    const double open = std::max(most - best_.objective(), 0.0);
    const bool proven = open <= rounding * (1 + std::abs(best_.objective()));
    report = {proven ? Status::converged : Status::stationary, points_, open};
    return best_;
  }

 private:
  double enough() const { return best_.objective() + certain * (1 + std::abs(best_.objective())); }
  void improve(const Point& point) {
    if (point.objective() > best_.objective()) best_ = point;
  }
  void push(const Point& a, const Point& c) {
    const double most = bound(a, c, curve_.b());
    if (most <= enough()) return;
    heap_->push_back({a, c, most});
    std::push_heap(heap_->begin(), heap_->end());
  }

  const Curve& curve_;
  const Pooled<std::vector<Stretch>> heap_;
  Point best_;
  double unresolved_ = -infinity;  // the bound of stretches between neighbouring floating-point numbers
  int points_ = 0;
};

// The stationary point next to one that is almost it: where s falls through b as τ grows.
Place polished(const Curve& curve, const Point& near, double lowest) {
  constexpr double first_step = 1e-8;  // the objective is known to 1e-12, and flat there
  const double b = curve.b();
  const double tau = near.score - near.slope;
  const auto excess = [&](double at) { return RootSample{curve.sample(curve.at(at)).slope - b, 0}; };
  const double start = excess(tau).value;
  if (start == 0) return near.place;
  const double end = start > 0 ? -b : lowest - b;  // s ≤ b at the one, s ≥ b at the other
  double inner = tau;
  for (double step = first_step * (1 + std::abs(tau));; step *= 2) {
    const double outer = start > 0 ? std::min(tau + step, end) : std::max(tau - step, end);
    if (excess(outer).value * start <= 0) {
      return curve.at(find_root(excess, std::min(inner, outer), std::max(inner, outer)).x);
    }
    if (outer == end) return near.place;
    inner = outer;
  }
}

}  // namespace

Report maximize_renyi(double beta, std::span<const double> theta, std::span<double> p, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  const double highest = max_of(theta);
  const auto sorted = scratch.take<double>(theta.size());
  std::size_t count = 0;
  for (const double score : theta) {
    if (score > -infinity) sorted[count++] = score - highest;
  }
  const auto scores = sorted.first(count);
  std::ranges::sort(scores, std::greater<>());
  const Curve curve(beta, scores);
  Report report;
  const Point best = BranchAndBound(curve).run(report);
  curve.write(polished(curve, best, scores.back()), theta, highest, p);
  return report;
}

}  // namespace fenchel
