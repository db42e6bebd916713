// SPDX-License-Identifier: Apache-2.0
// Newton's method for kernel models: the minimum of P(a) = Σ_i w_i L(θ_i + c_i; y_i) + (λ/2)⟨a, K a⟩ over
// coefficients a, θ = K a. With the inner product ⟨u, K v⟩ of the kernel its gradient is −r, where
// r = w (y − ŷ(θ)) − λ a, and its Hessian λ + w J K, where J is the Jacobian of ŷ, so that conjugate
// gradients find the step with one product by K each. They take about as many products as K has eigenvalues
// above λ; updates of single examples take as many passes as K is badly conditioned against λ.
//
// Where ŷ is piecewise linear, J is that of a piece (a semismooth Newton method), and 0 for the examples
// whose ŷ stays at a corner: their steps are r_i/λ, and the products are among the others alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "fenchel/core/numeric.hpp"
#include "fenchel/core/workspace.hpp"
#include "training/problems/gemm.hpp"
#include "training/problems/linear_losses.hpp"
#include "training/solvers/gram_matrix.hpp"

namespace fenchel {

template <Real T>
class KernelNewton {
 public:
  /// `gram` is K.
  KernelNewton(const LinearLosses<T>& losses, GramMatrix<T>& gram, std::size_t outputs, double l2,
               int threads)
      : losses_(losses), gram_(gram), width_(outputs), l2_(l2), threads_(threads) {}

  /// Whether the loss has what the method needs: a continuous ŷ whose Jacobian is known.
  static bool suits(const FenchelYoungLoss& loss) {
    const Traits traits = loss.traits();
    return traits.convex && traits.strongly_convex && !traits.predict_by_search && !traits.jvp_by_differences;
  }

  /// From coefficients `a` (a row per example) until the duality gap of a and μ = ŷ(K a) is at most `gap`,
  /// steps do not help, or `work` multiplications are used up.
  void run(std::span<const double> a, double gap, double work) {
    work_ = work;
    a_.assign(a.begin(), a.end());
    theta_ = product(a_);
    evaluate();
    for (;;) {
      const std::vector<double> image = product(residual_);
      bound_ = across(residual_, image) / (2 * l2_);
      if (!(bound_ > gap) || !(work_ > 0)) break;
      find_step();
      step_image_ = product(step_);
      if (!search()) break;
    }
  }

  /// ŷ(θ): a row per example.
  const std::vector<double>& mu() const { return mu_; }
  const std::vector<double>& coefficients() const { return a_; }
  /// P(a).
  double objective() const { return loss_ + 0.5 * l2_ * across(a_, theta_); }
  /// The duality gap of a and ŷ(K a), which is ‖r‖²/(2 λ) in the inner product of the kernel.
  double bound() const { return bound_; }

 private:
  // More of the rows than this, and K is taken as a whole.
  static constexpr double whole_share = 0.7;
  // Columns that one thread takes at a time, and rows that are brought together for a product.
  static constexpr std::size_t columns = 64;
  static constexpr std::size_t gathered_rows = 256;

  std::size_t size() const { return gram_.size(); }

  // out += Kᵀ v for some rows of K: v has a row per row of K, the product a row per output.
  void add_product(std::span<const double> v, MatrixView<const double> gram, std::span<double> out) {
    const std::size_t count = gram.cols();
    work_ -= static_cast<double>(gram.rows()) * static_cast<double>(count) * static_cast<double>(width_);
    for_each_block(count, columns, threads_, [&](std::size_t begin, std::size_t end) {
      const MatrixView<const double> part(gram.data() + begin, gram.rows(), end - begin, gram.stride());
      const MatrixView<double> to(out.data() + begin, width_, end - begin, count);
      multiply(MatrixView<const double>(v.data(), gram.rows(), width_), true, part, 1.0, to);
    });
  }

  // K v: v has a row per example, most of them 0 perhaps.
  std::vector<double> product(std::span<const double> v) {
    std::vector<double> out(v.size());
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < size(); ++i)
      if (max_abs(v.subspan(i * width_, width_)) > 0) rows.push_back(i);
    if (static_cast<double>(rows.size()) > whole_share * static_cast<double>(size())) {
      add_product(v, gram_.whole(threads_), out);
      return out;
    }
    std::vector<double> values(std::min(rows.size(), gathered_rows) * size()), own(values.size());
    for (std::size_t first = 0; first < rows.size(); first += gathered_rows) {
      const std::size_t count = std::min(gathered_rows, rows.size() - first);
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t i = rows[first + r];
        std::ranges::copy(gram_.row(i, threads_), values.begin() + static_cast<std::ptrdiff_t>(r * size()));
        std::ranges::copy(v.subspan(i * width_, width_),
                          own.begin() + static_cast<std::ptrdiff_t>(r * width_));
      }
      add_product(std::span(own).first(count * width_), {values.data(), count, size()}, out);
    }
    return out;
  }

  // ⟨v, image⟩, where v has a row per example and the image a row per output.
  double across(std::span<const double> v, std::span<const double> image) const {
    const std::size_t count = v.size() / width_;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      double own = 0;
      for (std::size_t k = 0; k < width_; ++k) own += v[i * width_ + k] * image[k * count + i];
      sum += own;
    }
    return sum;
  }

  template <class Body>
  void for_each(std::size_t count, const Body& body) const {
    constexpr std::size_t examples = 64;
    for_each_block(count, examples, threads_, [&](std::size_t begin, std::size_t end) {
      Workspace& scratch = thread_workspace();
      const Workspace::Frame frame(scratch);
      const auto u = scratch.take<double>(width_);
      for (std::size_t i = begin; i < end; ++i) body(i, u, scratch);
    });
  }

  static void gather(std::span<const double> image, std::size_t i, std::span<double> out) {
    const std::size_t count = image.size() / out.size();
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = image[k * count + i];
  }

  // At (a, θ): ŷ, r = w (y − ŷ) − λ a, which is the gradient with its sign changed, and the losses.
  void evaluate() {
    mu_.resize(a_.size());
    residual_.resize(a_.size());
    std::vector<double> values(size());
    for_each(size(), [&](std::size_t i, std::span<double> u, Workspace& scratch) {
      const auto residual = std::span(residual_).subspan(i * width_, width_);
      const auto mu = std::span(mu_).subspan(i * width_, width_);
      gather(theta_, i, u);
      values[i] = losses_.value_and_gradient(i, u, residual, scratch);
      losses_.predict(i, u, mu, scratch);
      for (std::size_t k = 0; k < width_; ++k) residual[k] = -residual[k] - l2_ * a_[i * width_ + k];
    });
    loss_ = sum_of(values);
  }

  // w_i J_i v, J at θ.
  void apply_jacobian(std::size_t i, std::span<const double> v, std::span<double> out,
                      Workspace& scratch) const {
    const double weight = losses_.weight(i);
    std::ranges::fill(out, 0.0);
    if (weight == 0) return;
    const Workspace::Frame frame(scratch);
    const auto u = scratch.take<double>(width_);
    gather(theta_, i, u);
    losses_.add_cost(i, u, scratch);
    const auto theta = losses_.row().shifted(u, scratch);
    losses_.row().omega().jvp(theta, std::span(mu_).subspan(i * width_, width_), v, out, scratch);
    for (double& entry : out) entry *= weight;
  }

  // The examples whose ŷ moves with θ; J of the others is 0.
  std::vector<std::size_t> moving() const {
    std::vector<char> moves(size());
    std::vector<double> probe(width_);
    for (std::size_t k = 0; k < width_; ++k) probe[k] = std::cos(static_cast<double>(k * k + 1));
    for_each(size(), [&](std::size_t i, std::span<double> out, Workspace& scratch) {
      apply_jacobian(i, probe, out, scratch);
      moves[i] = max_abs(out) > 0 ? 1 : 0;
    });
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < size(); ++i)
      if (moves[i] != 0) found.push_back(i);
    return found;
  }

  // K among some examples: as a whole, or gathered in `values`.
  MatrixView<const double> gram_among(std::span<const std::size_t> examples, std::vector<double>& values) {
    const std::size_t count = examples.size();
    if (count == size()) return gram_.whole(threads_);
    values.resize(count * count);
    for (std::size_t r = 0; r < count; ++r) {
      const auto row = gram_.row(examples[r], threads_);
      for (std::size_t c = 0; c < count; ++c) values[r * count + c] = row[examples[c]];
    }
    return {values.data(), count, count};
  }

  // The step s with (λ + w J K) s = r, about. It is r_i/λ where J_i is 0; by conjugate gradients, in the
  // inner product of the kernel, among the others.
  void find_step() {
    step_ = residual_;
    for (double& entry : step_) entry /= l2_;
    const std::vector<std::size_t> examples = moving();
    if (examples.empty()) return;
    const std::size_t count = examples.size();
    // What the others do to the scores of these.
    std::vector<double> still = step_;
    for (const std::size_t i : examples) std::ranges::fill(std::span(still).subspan(i * width_, width_), 0.0);
    const std::vector<double> shift = product(still);
    std::vector<double> r(count * width_);
    for_each(count, [&](std::size_t j, std::span<double> u, Workspace& scratch) {
      const std::size_t i = examples[j];
      const auto own = std::span(r).subspan(j * width_, width_);
      gather(shift, i, u);
      apply_jacobian(i, u, own, scratch);
      for (std::size_t k = 0; k < width_; ++k) own[k] = residual_[i * width_ + k] - own[k];
    });
    std::vector<double> values;
    const std::vector<double> step = solve(examples, gram_among(examples, values), std::move(r));
    for (std::size_t j = 0; j < count; ++j) {
      std::ranges::copy(std::span(step).subspan(j * width_, width_),
                        step_.begin() + static_cast<std::ptrdiff_t>(examples[j] * width_));
    }
  }

  std::vector<double> solve(std::span<const std::size_t> examples, MatrixView<const double> gram,
                            std::vector<double> r) {
    constexpr double share = 1e-3;  // of ‖r‖² of all examples, at which the step is good enough
    std::vector<double> image(r.size()), change(r.size()), step(r.size());
    add_product(r, gram, image);
    std::vector<double> direction = r, direction_image = image;
    double squared = across(r, image);
    const double enough = share * 2 * l2_ * bound_;
    while (squared > enough && work_ > 0) {
      for_each(examples.size(), [&](std::size_t j, std::span<double> u, Workspace& scratch) {
        gather(direction_image, j, u);
        apply_jacobian(examples[j], u, std::span(change).subspan(j * width_, width_), scratch);
      });
      add_scaled(l2_, direction, change.data());
      const double curvature = across(change, direction_image);
      if (!(curvature > 0)) break;
      const double along = squared / curvature;
      add_scaled(along, direction, step.data());
      add_scaled(-along, change, r.data());
      std::ranges::fill(image, 0.0);
      add_product(r, gram, image);
      const double before = squared;
      squared = across(r, image);
      for (std::size_t e = 0; e < r.size(); ++e) {
        direction[e] = r[e] + squared / before * direction[e];
        direction_image[e] = image[e] + squared / before * direction_image[e];
      }
    }
    return step;
  }

  // Along the step, to where P hardly falls any more. Returns whether it fell. Looks at slopes alone: P is
  // convex, and its values have lost the digits that tell near the optimum.
  bool search() {
    constexpr double flat = 0.1;  // of the slope at the start
    constexpr int most_trials = 30;
    const std::vector<double> a = a_, theta = theta_;
    const auto slope_at = [&](double length) {
      a_ = a;
      theta_ = theta;
      add_scaled(length, step_, a_.data());
      add_scaled(length, step_image_, theta_.data());
      evaluate();
      return -across(residual_, step_image_);
    };
    const double first = -across(residual_, step_image_);
    double low = 0, high = 1, low_slope = first;
    double high_slope = slope_at(1);
    if (!(high_slope > -flat * first)) return first < 0;
    for (int trials = 0; trials < most_trials; ++trials) {
      // Between the secant's zero and the middle: slopes have kinks.
      const double secant = low - low_slope * (high - low) / (high_slope - low_slope);
      const double length = 0.5 * (secant + 0.5 * (low + high));
      const double slope = slope_at(length);
      if (std::abs(slope) <= -flat * first) return true;
      (slope < 0 ? low : high) = length;
      (slope < 0 ? low_slope : high_slope) = slope;
    }
    if (low > 0) {
      slope_at(low);
      return true;
    }
    slope_at(0);
    return false;
  }

  const LinearLosses<T>& losses_;
  GramMatrix<T>& gram_;
  std::size_t width_;
  double l2_;
  int threads_;
  std::vector<double> a_;      // a row per example
  std::vector<double> theta_;  // a row per output
  std::vector<double> mu_, residual_;
  std::vector<double> step_, step_image_;
  double loss_ = 0;  // without the penalty
  double bound_ = std::numeric_limits<double>::infinity();
  double work_ = 0;  // multiplications that are left
};

}  // namespace fenchel
