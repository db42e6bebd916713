// SPDX-License-Identifier: Apache-2.0
#include "solvers/minimax.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "fenchel/core/numeric.hpp"
#include "solvers/blas.hpp"
#include "solvers/minimax_newton.hpp"
#include "solvers/simplex_quadratic.hpp"

namespace fenchel {
namespace {

// A step is taken if f falls by this share of what the model promises.
constexpr double enough = 0.1;
// By which the metric is multiplied: where a step leads to where a function is not finite, where nothing
// curves along it, and where pieces alone are trusted.
constexpr double shorter = 0.1;
constexpr double longer = 4;
constexpr double farther = 10;
// The longest step, relative to x: the models know nothing so far away.
constexpr double farthest = 100;
// ⟨step, change of gradient⟩ below this share of the product of their norms is rounding.
constexpr double least_curvature = 1e-14;
// Iterations without progress before giving up at working precision.
constexpr int patience = 6;
// What the weighted gradients may still promise, relative to the value.
constexpr double cancelled = 1e-10;
// Iterations after which Newton's method is tried: by then linear pieces have shown that they do not suffice.
constexpr int newton_after = 20;
// What its conditions may lack, relative to the value.
constexpr double newton_tolerance = 1e-12;

// The linear pieces value + ⟨gradient, x − centre⟩ of the functions, with their weights in the last model.
struct Pieces {
  std::size_t dimension;
  std::vector<double> values, gradients, weights;
  std::vector<std::size_t> functions;

  std::size_t size() const { return values.size(); }
  std::span<const double> gradient(std::size_t c) const {
    return std::span(gradients).subspan(c * dimension, dimension);
  }
  void add(std::span<const double> f, std::span<const double> slopes) {
    values.insert(values.end(), f.begin(), f.end());
    gradients.insert(gradients.end(), slopes.begin(), slopes.end());
    weights.resize(values.size(), 0.0);
    for (std::size_t i = 0; i < f.size(); ++i) functions.push_back(i);
  }
  // Forgets pieces without weight, but for `count` of them from `first`; returns where those are now.
  std::size_t forget(std::size_t first, std::size_t count) {
    std::size_t kept = 0, now = 0;
    for (std::size_t c = 0; c < size(); ++c) {
      if (c == first) now = kept;
      if (weights[c] <= 0 && (c < first || c >= first + count)) continue;
      values[kept] = values[c];
      weights[kept] = weights[c];
      functions[kept] = functions[c];
      std::copy_n(gradient(c).begin(), dimension,
                  gradients.begin() + static_cast<std::ptrdiff_t>(kept * dimension));
      ++kept;
    }
    values.resize(kept);
    weights.resize(kept);
    functions.resize(kept);
    gradients.resize(kept * dimension);
    return now;
  }
  void move_centre(std::span<const double> step) {
    for (std::size_t c = 0; c < size(); ++c) values[c] += dot(gradient(c), step);
  }
};

// One run of the bundle method.
class Bundle {
 public:
  Bundle(Minimax::Functions functions, std::span<double> x, std::span<double> weights)
      : functions_(functions),
        x_(x),
        weights_(weights),
        n_(x.size()),
        m_(weights.size()),
        values_(m_),
        gradients_(m_ * n_),
        trial_(n_),
        trial_values_(m_),
        trial_gradients_(m_ * n_),
        metric_(n_ * n_, 0.0),
        sum_(n_),
        step_(n_),
        change_(n_),
        image_(n_),
        pieces_{n_, {}, {}, {}, {}} {
    functions_(x_, values_, gradients_);
    pieces_.add(values_, gradients_);
    for (std::size_t j = 0; j < n_; ++j) metric_[j * n_ + j] = 1;
  }

  double value() const { return max_of(values_); }
  double promised() const { return promised_; }
  // Whether the weighted gradients cancel: nothing is gained within a distance of the size of x.
  bool cancels() const {
    return max_abs(sum_) * std::max(1.0, max_abs(x_)) <= cancelled * std::max(1.0, std::abs(value()));
  }
  double slope() const { return max_abs(sum_) * std::max(1.0, max_abs(x_)); }
  // From here on the pieces alone are trusted, in a metric of the plain kind: where functions have kinks,
  // what BFGS learns from them may keep steps short far from the optimum.
  void trust_pieces() {
    reach_ = learns_ ? std::max(1.0, max_abs(x_)) : farther * reach_;
    learns_ = false;
    std::ranges::fill(metric_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) metric_[j * n_ + j] = reach_;
  }

  // The lowest point of the model and the weights there.
  void ask() {
    const std::size_t size = pieces_.size();
    images_.resize(size * n_);
    products_.resize(size * size);
    for (std::size_t c = 0; c < size; ++c)
      multiply(pieces_.gradient(c), std::span(images_).subspan(c * n_, n_));
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        products_[a * size + b] = products_[b * size + a] =
            dot(pieces_.gradient(a), std::span<const double>(images_).subspan(b * n_, n_));
      }
    }
    quadratic_.minimize(products_, pieces_.values, pieces_.weights);
    std::ranges::fill(weights_, 0.0);
    std::ranges::fill(sum_, 0.0);
    for (std::size_t c = 0; c < size; ++c) {
      if (pieces_.weights[c] <= 0) continue;
      weights_[pieces_.functions[c]] += pieces_.weights[c];
      for (std::size_t j = 0; j < n_; ++j) sum_[j] += pieces_.weights[c] * pieces_.gradient(c)[j];
    }
    multiply(sum_, step_);
    for (double& entry : step_) entry = -entry;
    if (const double most = farthest * std::max(1.0, max_abs(x_)); max_abs(step_) > most) {
      const double factor = most / max_abs(step_);
      scale(factor);
      for (double& entry : step_) entry *= factor;
    }
    double model = -infinity;
    for (std::size_t c = 0; c < size; ++c) {
      model = std::max(model, pieces_.values[c] + dot(pieces_.gradient(c), step_));
    }
    promised_ = value() - model;
  }

  // Tries that point: goes there, or learns why not. True if f has fallen.
  bool tell() {
    for (std::size_t j = 0; j < n_; ++j) trial_[j] = x_[j] + step_[j];
    functions_(trial_, trial_values_, trial_gradients_);
    if (!all_finite(trial_values_) || !all_finite(trial_gradients_)) {
      scale(shorter);
      return false;
    }
    if (learns_) learn();
    const double before = value();
    if (max_of(trial_values_) > before - enough * promised_) {
      centre_ = pieces_.forget(centre_, m_);
      for (std::size_t i = 0; i < m_; ++i) {
        trial_values_[i] -= dot(std::span<const double>(trial_gradients_).subspan(i * n_, n_), step_);
      }
      pieces_.add(trial_values_, trial_gradients_);
      return false;
    }
    pieces_.forget(pieces_.size(), 0);
    pieces_.move_centre(step_);
    if (learns_ && !curved_) scale(longer);
    std::ranges::copy(trial_, x_.begin());
    values_.swap(trial_values_);
    gradients_.swap(trial_gradients_);
    centre_ = pieces_.size();
    pieces_.add(values_, gradients_);
    return value() < before;
  }

 private:
  void multiply(std::span<const double> v, std::span<double> out) const {
    for (std::size_t j = 0; j < n_; ++j) out[j] = dot(std::span(metric_).subspan(j * n_, n_), v);
  }
  void scale(double factor) {
    for (double& entry : metric_) entry *= factor;
  }
  static bool all_finite(std::span<const double> values) {
    return std::ranges::all_of(values, [](double entry) { return std::isfinite(entry); });
  }

  // The update of BFGS, of the inverse: H ← (I − ρ s cᵀ) H (I − ρ c sᵀ) + ρ s sᵀ, ρ = 1/⟨s, c⟩.
  void learn() {
    std::ranges::fill(change_, 0.0);
    for (std::size_t i = 0; i < m_; ++i) {
      if (weights_[i] <= 0) continue;
      for (std::size_t j = 0; j < n_; ++j) {
        change_[j] += weights_[i] * (trial_gradients_[i * n_ + j] - gradients_[i * n_ + j]);
      }
    }
    const double curvature = dot(step_, change_);
    const double size = std::sqrt(squared_norm(change_));
    curved_ = curvature > least_curvature * size * std::sqrt(squared_norm(step_));
    if (!curved_) return;
    if (fresh_) scale(curvature / (size * size));
    fresh_ = false;
    multiply(change_, image_);
    const double factor = (1 + dot(change_, image_) / curvature) / curvature;
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b < n_; ++b) {
        metric_[a * n_ + b] +=
            factor * step_[a] * step_[b] - (step_[a] * image_[b] + image_[a] * step_[b]) / curvature;
      }
    }
  }

  Minimax::Functions functions_;
  std::span<double> x_, weights_;
  std::size_t n_, m_;
  std::vector<double> values_, gradients_, trial_, trial_values_, trial_gradients_;
  std::vector<double> metric_;  // the inverse of a Hessian
  std::vector<double> sum_, step_, change_, image_, images_, products_;
  Pieces pieces_;
  std::size_t centre_ = 0;  // where the pieces of the centre begin
  SimplexQuadratic quadratic_;
  double promised_ = infinity;
  bool fresh_ = true, curved_ = false, learns_ = true;
  double reach_ = 1;
};

}  // namespace

Minimax::Result Minimax::minimize(Functions functions, std::span<double> x, std::span<double> weights) const {
  const OneBlasThread alone;
  Bundle bundle(functions, x, weights);
  if (!std::isfinite(bundle.value())) return {bundle.value(), {Status::diverged, 0, infinity}};
  // Where it stands, or what Newton's method makes of that.
  const auto ended = [&](Status status, int iteration) -> Result {
    const double value = bundle.value(), allowed = newton_tolerance * std::max(1.0, std::abs(value));
    std::vector<double> point(x.begin(), x.end()), found(weights.begin(), weights.end());
    const Result newton = newton_minimax(functions, point, found, newton_tolerance);
    if (!newton.report.converged() || newton.value > value + allowed) {
      return {value, {status, iteration, std::max(std::abs(bundle.promised()), bundle.slope())}};
    }
    std::ranges::copy(point, x.begin());
    std::ranges::copy(found, weights.begin());
    return {newton.value, {Status::converged, iteration, newton.report.residual}};
  };
  double least = infinity;
  int idle = 0;
  bool pieces = false;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (iteration == newton_after) {
      const Result newton = ended(Status::stalled, iteration);
      if (newton.report.converged()) return newton;
    }
    bundle.ask();
    const double promised = std::abs(bundle.promised());
    const bool flat = promised <= tolerance * std::max(1.0, std::abs(bundle.value()));
    if (flat && bundle.cancels()) {
      return {bundle.value(), {Status::converged, iteration, std::max(promised, bundle.slope())}};
    }
    if (flat || idle > patience) {
      if (idle > patience && pieces) return ended(Status::stalled, iteration);
      bundle.trust_pieces();
      pieces = true;
      idle = 0;
      continue;
    }
    const bool lower = bundle.tell();
    idle = lower || promised < least ? 0 : idle + 1;
    least = std::min(least, promised);
  }
  return ended(Status::max_iterations, max_iterations);
}

}  // namespace fenchel
